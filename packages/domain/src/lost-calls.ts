// Remembers calls that this process could not accept, although other processes perhaps could.
import type { Clock } from '@dogwatch/runtime/clock'

/** Refused call: its caller, and the time at which it came (milliseconds since the Unix epoch). */
export interface RefusedCall {
  caller: string
  at: number
}

/** Maximum delay of a deadline because of refused calls. A caller that is only refused is not silent. */
export const MAX_REFUSED_MS = 3_600_000

/** Maximum number of callers to remember until their refused requests are stored. Each process stores them every two seconds. */
const MOST_CALLERS = 10_000

/** Newest refused call of each caller, by the monotonic clock. A call stays here until it is stored. */
class RefusedCalls {
  readonly #arrivals = new Map<string, number>()
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #most: number

  constructor(clock: Pick<Clock, 'monotonicMs'>, most = MOST_CALLERS) {
    this.#clock = clock
    this.#most = most
  }

  /**
   * Remembers a call. `arrived_ms`: when it came, by the monotonic clock. Returns false if there is no room for another caller.
   */
  note(caller: string, arrived_ms: number): boolean {
    const before = this.#arrivals.get(caller)
    if (before === undefined && this.#arrivals.size >= this.#most) return false
    this.#arrivals.set(caller, Math.max(before ?? arrived_ms, arrived_ms))
    return true
  }

  /**
   * Passes all calls to `write`, with `now` as the current time. Keeps calls that `write` fails to store, and calls that come in
   * the meantime.
   */
  async hand(now: number, write: (calls: readonly RefusedCall[]) => Promise<void>): Promise<void> {
    const noted = [...this.#arrivals]
    if (noted.length === 0) return
    const now_ms = this.#clock.monotonicMs()
    await write(noted.map(([caller, arrived_ms]) => ({ caller, at: Math.floor(now - (now_ms - arrived_ms)) })))
    for (const [caller, arrived_ms] of noted)
      if (this.#arrivals.get(caller) === arrived_ms) this.#arrivals.delete(caller)
  }
}

/** Remembers refused calls and outages until their reader takes them. */
export class LostCalls {
  /** Refused pings that affect only their own heartbeat, by its token. */
  readonly #pings: RefusedCalls
  /** Refused requests of agents, by the hash of the API key (hexadecimal). */
  readonly #requests: RefusedCalls
  #span: { first_ms: number; last_ms: number } | undefined
  readonly #clock: Pick<Clock, 'monotonicMs'>

  constructor(clock: Pick<Clock, 'monotonicMs'>, most?: number) {
    this.#clock = clock
    this.#pings = new RefusedCalls(clock, most)
    this.#requests = new RefusedCalls(clock, most)
  }

  /** Remembers the refused ping of one heartbeat. Counts as an outage of the service if there are too many to remember. */
  notePing(token: string, arrived_ms: number): void {
    if (!this.#pings.note(token, arrived_ms)) this.noteOutage()
  }

  /** Remembers the refused request of an agent. Omits some if there are too many, because each agent sends another one soon. */
  noteRequest(key_hash: string, arrived_ms: number): void {
    this.#requests.note(key_hash, arrived_ms)
  }

  /** Remembers that pings are refused for a reason that has nothing to do with their heartbeats. */
  noteOutage(): void {
    const now_ms = this.#clock.monotonicMs()
    this.#span = { first_ms: this.#span?.first_ms ?? now_ms, last_ms: now_ms }
  }

  /**
   * Returns the beginning and end of the time when any ping was lost, in milliseconds since the Unix epoch, with `now` as the
   * current time. Then forgets it.
   */
  takeOutage(now: number): { began: number; ended: number } | undefined {
    const span = this.#span
    if (!span) return undefined
    this.#span = undefined
    const now_ms = this.#clock.monotonicMs()
    // A single ping has no duration, so the span is widened by 1 ms on both sides.
    return { began: now - (now_ms - span.first_ms) - 1, ended: now - (now_ms - span.last_ms) + 1 }
  }

  /** Passes the pings of single heartbeats to `write`. */
  handPings(now: number, write: (calls: readonly RefusedCall[]) => Promise<void>): Promise<void> {
    return this.#pings.hand(now, write)
  }

  /** Passes the requests of agents to `write`. */
  handRequests(now: number, write: (calls: readonly RefusedCall[]) => Promise<void>): Promise<void> {
    return this.#requests.hand(now, write)
  }
}
