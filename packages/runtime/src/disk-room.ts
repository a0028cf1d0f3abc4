// Knows whether the database has disk space, by the failures of this process's own statements.
import type { Clock } from './clock.ts'

/**
 * Time in milliseconds after a failure during which the disk counts as full. Only chores and presence reports still try to write.
 */
const FULL_MS = 5_000

export class DiskRoom {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #full_at_ms = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** Records that a statement failed because the disk is full. */
  noteFull(): void {
    this.#full_at_ms = this.#clock.monotonicMs()
  }

  isFull(): boolean {
    return this.#clock.monotonicMs() - this.#full_at_ms < FULL_MS
  }
}
