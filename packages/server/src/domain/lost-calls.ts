// Calls that this process could not take while others perhaps could.
import type { Clock } from '../runtime/clock.ts'

/** A call that was refused: by whom it was made, and when (milliseconds since the Unix epoch) it came. */
export interface Refused {
  caller: string
  at: number
}

/** Who calls and is refused all the time is not silent. Even so, no deadline is put off by refusals for longer than this. */
export const MAX_REFUSED_MS = 3_600_000

/** Callers that are remembered until their calls are written. Each process writes every two seconds. */
const MOST_CALLERS = 10_000

/** The newest call of each caller that was refused, by the monotonic clock, until it is written. */
class RefusedCalls {
  readonly #arrivals = new Map<string, number>()
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #most: number

  constructor(clock: Pick<Clock, 'monotonicMs'>, most = MOST_CALLERS) {
    this.#clock = clock
    this.#most = most
  }

  /** `arrived_ms`: when the call came, by the monotonic clock. False when there is no room for another caller. */
  note(caller: string, arrived_ms: number): boolean {
    const before = this.#arrivals.get(caller)
    if (before === undefined && this.#arrivals.size >= this.#most) return false
    this.#arrivals.set(caller, Math.max(before ?? arrived_ms, arrived_ms))
    return true
  }

  /** Has all of them written, `now` being the time. What is not written, or is refused meanwhile, is kept. */
  async hand(now: number, write: (calls: readonly Refused[]) => Promise<void>): Promise<void> {
    const noted = [...this.#arrivals]
    if (noted.length === 0) return
    const now_ms = this.#clock.monotonicMs()
    await write(noted.map(([caller, arrived_ms]) => ({ caller, at: Math.floor(now - (now_ms - arrived_ms)) })))
    for (const [caller, arrived_ms] of noted)
      if (this.#arrivals.get(caller) === arrived_ms) this.#arrivals.delete(caller)
  }
}

/** Remembers what was lost until somebody takes note of it. */
export class LostCalls {
  /** Pings that were refused to their own heartbeats alone, by its token. */
  readonly #pings: RefusedCalls
  /** Requests of agents that were refused, by the hash of the API key (hexadecimal). */
  readonly #requests: RefusedCalls
  #span: { first_ms: number; last_ms: number } | undefined
  readonly #clock: Pick<Clock, 'monotonicMs'>

  constructor(clock: Pick<Clock, 'monotonicMs'>, most?: number) {
    this.#clock = clock
    this.#pings = new RefusedCalls(clock, most)
    this.#requests = new RefusedCalls(clock, most)
  }

  /** The ping of one heartbeat is not taken. Where there are too many to remember, that is an outage of the service. */
  notePing(token: string, arrived_ms: number): void {
    if (!this.#pings.note(token, arrived_ms)) this.noteOutage()
  }

  /** The request of an agent is not served. It calls twice a minute: where there are too many to remember, some are not. */
  noteRequest(key_hash: string, arrived_ms: number): void {
    this.#requests.note(key_hash, arrived_ms)
  }

  /** Pings are not taken for a reason that has nothing to do with whose they are. */
  noteOutage(): void {
    const now_ms = this.#clock.monotonicMs()
    this.#span = { first_ms: this.#span?.first_ms ?? now_ms, last_ms: now_ms }
  }

  /** Since when and until when any ping was lost, in milliseconds since the Unix epoch, if it is `now`; then it is forgotten. */
  takeOutage(now: number): { began: number; ended: number } | undefined {
    const span = this.#span
    if (!span) return undefined
    this.#span = undefined
    const now_ms = this.#clock.monotonicMs()
    // A single ping has no length of its own.
    return { began: now - (now_ms - span.first_ms) - 1, ended: now - (now_ms - span.last_ms) + 1 }
  }

  /** Has the pings of single heartbeats written. */
  handPings(now: number, write: (calls: readonly Refused[]) => Promise<void>): Promise<void> {
    return this.#pings.hand(now, write)
  }

  /** Has the requests of agents written. */
  handRequests(now: number, write: (calls: readonly Refused[]) => Promise<void>): Promise<void> {
    return this.#requests.hand(now, write)
  }
}
