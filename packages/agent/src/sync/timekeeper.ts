// Keeps the server time for the agent: learns it from each response, and logs when it was wrong.

import { ServerClock } from '@dogwatch/monitor-sdk/agent'
import { type Log, say } from '../process/log.ts'

export interface TimekeeperOptions {
  /** Returns the time of a clock that never goes back, in milliseconds. */
  mono: () => number
  /** Returns the time of the machine's own clock, in milliseconds since the Unix epoch. */
  wall: () => number
  log: Log
  /**
   * Called when the server time jumped instead of being adjusted gradually, so that plans must be made again. `wasAssumed` means
   * that no response had confirmed the old time.
   */
  onSet: (by_ms: number, wasAssumed: boolean) => void
  /** Runs when the time in a response is far from the expected time. */
  onDoubted?: () => void
}

/** The time information in a response. */
export interface ServerTimeSample {
  /** Time of the request, in milliseconds of the monotonic clock. */
  sent: number
  received: number
  /** The server's own time, as RFC 3339. */
  now?: string | undefined
  /** The Date header, in whole seconds, for servers that never sent `now`. */
  date?: string | undefined
}

/** Time information that the agent saved before a restart. */
export interface SavedTime {
  /** Lead of the server's clock over the machine's, in milliseconds. */
  clock_ahead_ms: number
  /** Whether the server has ever sent `now`. */
  tells_now?: boolean | undefined
}

const WARN_MS = 5000

export class Timekeeper {
  readonly #options: TimekeeperOptions
  readonly #clock: ServerClock
  #tellsNow = false
  #toldAt = Number.NEGATIVE_INFINITY
  #isUntold = false
  #isAssumed = true

  constructor(options: TimekeeperOptions) {
    const { mono, wall } = options
    this.#options = options
    this.#clock = new ServerClock(mono, wall() - mono())
  }

  /**
   * Returns the server time, in milliseconds since the Unix epoch. This clock goes back only to correct an error of more than a
   * second.
   */
  now(): number {
    return this.#clock.now()
  }

  /** Lead of the server's time over the machine's, in milliseconds. */
  get ahead_ms(): number {
    const { mono, wall } = this.#options
    return this.#clock.offset + mono() - wall()
  }

  /** Time of the last response that contained the server time, on the monotonic clock. Minus infinity before the first one. */
  get toldAt(): number {
    return this.#toldAt
  }

  get saved(): SavedTime {
    return { clock_ahead_ms: this.ahead_ms, tells_now: this.#tellsNow }
  }

  /** Restores the time that the agent saved before a restart. */
  resume({ clock_ahead_ms, tells_now = false }: SavedTime): void {
    const { mono, wall } = this.#options
    this.#clock.assume(wall() + clock_ahead_ms - mono())
    this.#tellsNow = tells_now
  }

  /** Receives the time information of a response. Returns whether another response should confirm the time soon. */
  hear({ sent, received, now, date }: ServerTimeSample): boolean {
    if (now !== undefined && !this.#tellsNow) {
      this.#tellsNow = true
      this.#clock.forget()
    }
    // If a server has sent `now` before and now omits it, it doubts its own clock. Its Date header comes from the same clock.
    const server_ms = Date.parse((this.#tellsNow ? now : date) ?? '')
    this.#noteUntold(Number.isNaN(server_ms))
    if (Number.isNaN(server_ms)) return false
    this.#toldAt = received
    return this.#learn({ sent, received, server_ms, unit_ms: this.#tellsNow ? 1 : 1000 })
  }

  #learn(told: Parameters<ServerClock['learn']>[0]): boolean {
    const { log, onSet, onDoubted } = this.#options
    const learnt = this.#clock.learn(told)
    if (learnt.kind === 'doubted') {
      say(log, 'warn', { event: 'clock_doubted', by_ms: Math.round(learnt.by_ms) })
      onDoubted?.()
      return true
    }
    const wasAssumed = this.#isAssumed
    this.#isAssumed = false
    if (learnt.kind === 'eased') return false
    const by_ms = Math.round(learnt.by_ms)
    say(log, 'warn', { event: 'clock_set', by_ms })
    const ahead_ms = Math.round(this.ahead_ms)
    if (Math.abs(ahead_ms) > WARN_MS) say(log, 'warn', { event: 'clock_differs', ahead_ms })
    onSet(by_ms, wasAssumed)
    return false
  }

  /**
   * Logs once when the server stops sending the time, and once when it resumes. In between, the agent continues with this
   * machine's monotonic clock.
   */
  #noteUntold(isUntold: boolean): void {
    if (isUntold === this.#isUntold) return
    this.#isUntold = isUntold
    if (isUntold) say(this.#options.log, 'warn', { event: 'time_not_told' })
    else say(this.#options.log, 'info', { event: 'time_told_again' })
  }
}
