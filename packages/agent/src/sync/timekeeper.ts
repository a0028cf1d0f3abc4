// Server time as the agent goes by it: learnt from each answer, and told to people when it was wrong.

import { type Log, say } from '../process/log.ts'
import { ServerClock } from '@dogwatch/monitor-sdk/agent'

export interface TimekeeperOptions {
  /** Milliseconds of a clock that only goes forth. */
  mono: () => number
  /** The machine's own idea of the time, in milliseconds since the Unix epoch. */
  wall: () => number
  log: Log
  /**
   * Called when the time was set and not eased: plans made by the old time must be made again. `wasAssumed`: since the agent began, no
   * answer had confirmed the old time.
   */
  onSet: (by_ms: number, wasAssumed: boolean) => void
  /** An answer told a time that is far from what was known. */
  onDoubted?: () => void
}

/** What an answer says about the time. */
export interface Answered {
  /** Milliseconds of the clock that only goes forth. */
  sent: number
  received: number
  /** The server's own word, RFC 3339. */
  now?: string | undefined
  /** The Date header, in whole seconds: for servers that never said more. */
  date?: string | undefined
}

/** As of before a restart. */
export interface SavedTime {
  /** By how much the server's clock was ahead of the machine's. */
  clock_ahead_ms: number
  /** Whether the server has ever told `now`. */
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

  /** Milliseconds since the Unix epoch, by the server. It goes back only when it was wrong by more than a second. */
  now(): number {
    return this.#clock.now()
  }

  /** By how many milliseconds the server's time is ahead of the machine's. */
  get ahead_ms(): number {
    const { mono, wall } = this.#options
    return this.#clock.offset + mono() - wall()
  }

  /** When an answer last told the time, on the clock that only goes forth; minus infinity before one did. */
  get toldAt(): number {
    return this.#toldAt
  }

  get saved(): SavedTime {
    return { clock_ahead_ms: this.ahead_ms, tells_now: this.#tellsNow }
  }

  /** Takes up the time where the agent left it before a restart. */
  resume({ clock_ahead_ms, tells_now = false }: SavedTime): void {
    const { mono, wall } = this.#options
    this.#clock.assume(wall() + clock_ahead_ms - mono())
    this.#tellsNow = tells_now
  }

  /** Takes in an answer. True when what it says is to be confirmed by another one, soon. */
  hear({ sent, received, now, date }: Answered): boolean {
    if (now !== undefined && !this.#tellsNow) {
      this.#tellsNow = true
      this.#clock.forget()
    }
    // A server that leaves out what it could tell doubts its clock. Its Date is of that same clock.
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

  /** Once, each time it begins and ends: meanwhile the time goes on by this machine's own oscillator. */
  #noteUntold(isUntold: boolean): void {
    if (isUntold === this.#isUntold) return
    this.#isUntold = isUntold
    if (isUntold) say(this.#options.log, 'warn', { event: 'time_not_told' })
    else say(this.#options.log, 'info', { event: 'time_told_again' })
  }
}
