// Notices when this process stood still, because it or its machine was paused, or another program used the whole
// processor. Requests that arrived in the meantime are handled late, and seem to have arrived only then.

/** Minimum length of a standstill in milliseconds. A shorter pause delays a request no more than a network does. */
const LEAST_MS = 1_000
/** Maximum time in milliseconds until this process has handled the requests that arrived during a standstill. */
const AFTER_MS = 5_000

/**
 * Detects standstills. All times are milliseconds of a clock that never goes back and that also counts sleep of the machine.
 */
export class Standstill {
  #looked_at: number
  #last: { began: number; ended: number } | undefined

  constructor(now: number) {
    this.#looked_at = now
  }

  /**
   * Checks for a standstill. The caller must call this function twice a second, because a late call is the sign of a standstill.
   */
  look(now: number): void {
    const began = this.#looked_at
    this.#looked_at = now
    if (now - began <= LEAST_MS) return
    // Requests that arrived during the previous standstill might have waited for this one as well.
    const isNext = this.#last !== undefined && began - this.#last.ended <= AFTER_MS
    this.#last = { began: isNext && this.#last ? this.#last.began : began, ended: now }
  }

  /**
   * Returns how many milliseconds the current request might have waited because this process stood still. Returns 0 if it has not
   * stood still recently.
   */
  heldMs(now: number): number {
    this.look(now)
    return this.#last && now - this.#last.ended <= AFTER_MS ? now - this.#last.began : 0
  }
}
