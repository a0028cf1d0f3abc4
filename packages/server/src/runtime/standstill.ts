// Notices when this process stood still: it or its machine was paused, or something else took all of the processor.
// Requests that arrived meanwhile are handled only afterwards, and seem to have arrived just then.

/** A shorter pause delays a request no more than a network does. */
const LEAST_MS = 1_000
/** Requests that arrived during a standstill are handled within this time after its end. */
const AFTER_MS = 5_000

/**
 * All times are milliseconds of one clock that never goes back and also counts the time in which the machine was
 * asleep.
 */
export class Standstill {
  #looked_at: number
  #last: { began: number; ended: number } | undefined

  constructor(now: number) {
    this.#looked_at = now
  }

  /** Call it twice a second: when no call comes, the process stood still. */
  look(now: number): void {
    const began = this.#looked_at
    this.#looked_at = now
    if (now - began <= LEAST_MS) return
    // Requests that arrived during the standstill before may have waited for this one as well.
    const isNext = this.#last !== undefined && began - this.#last.ended <= AFTER_MS
    this.#last = { began: isNext && this.#last ? this.#last.began : began, ended: now }
  }

  /** How long a request that is handled now may have waited for this process; 0 unless it just stood still. */
  heldMs(now: number): number {
    this.look(now)
    return this.#last && now - this.#last.ended <= AFTER_MS ? now - this.#last.began : 0
  }
}
