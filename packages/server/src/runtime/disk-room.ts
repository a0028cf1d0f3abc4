// Whether the database has room on its disk, by what became of the statements of this process.
import type { Clock } from './clock.ts'

/** For so long after the last failure nothing is believed to fit: chores and presence go on trying meanwhile. */
const FULL_MS = 5_000

export class DiskRoom {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #full_at_ms = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** A statement failed for want of room just now. */
  noteFull(): void {
    this.#full_at_ms = this.#clock.monotonicMs()
  }

  isFull(): boolean {
    return this.#clock.monotonicMs() - this.#full_at_ms < FULL_MS
  }
}
