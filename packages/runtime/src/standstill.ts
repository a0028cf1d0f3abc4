// Notices when this process stood still: it or its machine was paused, or another program used the whole processor.
// Requests that arrived in the meantime are handled only afterwards, and seem to have arrived just then.

/** Minimum length of a standstill. A shorter pause delays a request no more than a network does. */
const LEAST_MS = 1_000
/** Time after a standstill within which the requests that arrived during it are handled. */
const AFTER_MS = 5_000

/** Detects standstills. All times are milliseconds of one clock that never goes back and also counts sleep of the machine. */
export class Standstill {
  #looked_at: number
  #last: { began: number; ended: number } | undefined

  constructor(now: number) {
    this.#looked_at = now
  }

  /** Checks for a standstill. The caller must call it twice a second, because a missing call is the sign of one. */
  look(now: number): void {
    const began = this.#looked_at
    this.#looked_at = now
    if (now - began <= LEAST_MS) return
    // Requests that arrived during the previous standstill can also have waited for this one.
    const isNext = this.#last !== undefined && began - this.#last.ended <= AFTER_MS
    this.#last = { began: isNext && this.#last ? this.#last.began : began, ended: now }
  }

  /** Returns how long the current request can have waited for this process. Returns 0 unless it just stood still. */
  heldMs(now: number): number {
    this.look(now)
    return this.#last && now - this.#last.ended <= AFTER_MS ? now - this.#last.began : 0
  }
}
