// Pings that this process could not take while others perhaps could: for a job, that is an outage as well.
import type { Clock } from '../../runtime/clock.ts'

/** Remembers by the monotonic clock when pings were refused, until that is recorded. */
export class LostPings {
  #span: { first_ms: number; last_ms: number } | undefined
  readonly #clock: Pick<Clock, 'monotonicMs'>

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  note(): void {
    const now_ms = this.#clock.monotonicMs()
    this.#span = { first_ms: this.#span?.first_ms ?? now_ms, last_ms: now_ms }
  }

  /** The span in which pings were lost, in milliseconds since the Unix epoch, taken at `now`; then it is forgotten. */
  take(now: number): { began: number; ended: number } | undefined {
    const span = this.#span
    if (!span) return undefined
    this.#span = undefined
    const now_ms = this.#clock.monotonicMs()
    // A single ping would have no duration.
    return { began: now - (now_ms - span.first_ms) - 1, ended: now - (now_ms - span.last_ms) + 1 }
  }
}
