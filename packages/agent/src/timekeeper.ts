// Server time as the agent goes by it: learnt from each answer, and told to the log when it had to be set.
import { type Sample, ServerClock } from './clock.ts'
import { type Log, say } from './log.ts'

export interface TimekeeperOptions {
  /** Milliseconds of a clock that only goes forth. */
  mono: () => number
  /** The machine's own idea of the time, in milliseconds since the Unix epoch. */
  wall: () => number
  log: Log
  /** The time was set and not eased: what was planned by the old one is to be planned anew. */
  onSet: () => void
}

const WARN_MS = 5000

export class Timekeeper {
  readonly #options: TimekeeperOptions
  readonly #clock: ServerClock

  constructor(options: TimekeeperOptions) {
    const { mono, wall } = options
    this.#options = options
    this.#clock = new ServerClock(mono, wall() - mono())
  }

  /** Milliseconds since the Unix epoch, by the server. */
  now(): number {
    return this.#clock.now()
  }

  /** By how many milliseconds the server's time is ahead of the machine's. */
  get ahead_ms(): number {
    const { mono, wall } = this.#options
    return this.#clock.offset + mono() - wall()
  }

  /** Takes up the time where the agent left it before a restart. */
  resume(ahead_ms: number): void {
    const { mono, wall } = this.#options
    this.#clock.assume(wall() + ahead_ms - mono())
  }

  learn(sample: Sample): void {
    const { log, onSet } = this.#options
    const step_ms = Math.round(this.#clock.learn(sample))
    if (step_ms === 0) return
    say(log, 'info', { event: 'clock_set', step_ms })
    const ahead_ms = Math.round(this.ahead_ms)
    if (Math.abs(ahead_ms) > WARN_MS) say(log, 'warn', { event: 'clock_differs', ahead_ms })
    onSet()
  }
}
