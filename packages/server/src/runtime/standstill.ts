// Whether this process stood still: it was paused, or its machine was, or something took all of the processor. Requests that
// came meanwhile are only looked at afterwards, and seem to have come just then.

/** A shorter pause delays a request no more than a network does. */
const LEAST_MS = 1_000
/** What arrived during a standstill is looked at within this time after its end. */
const AFTER_MS = 5_000

/** All times are milliseconds of one clock that never goes back, and that counts the time in which the machine was asleep. */
export class Standstill {
  #looked_at: number
  #last: { began: number; ended: number } | undefined

  constructor(now: number) {
    this.#looked_at = now
  }

  /** To be called several times a second: where no call comes, the process stood still. */
  look(now: number): void {
    const began = this.#looked_at
    this.#looked_at = now
    if (now - began <= LEAST_MS) return
    // What arrived during the one before may have waited for this one as well.
    const isNext = this.#last !== undefined && began - this.#last.ended <= AFTER_MS
    this.#last = { began: isNext && this.#last ? this.#last.began : began, ended: now }
  }

  /** How long a request that is looked at now may have waited for this process to go on; 0 unless it just stood still. */
  heldMs(now: number): number {
    this.look(now)
    return this.#last && now - this.#last.ended <= AFTER_MS ? now - this.#last.began : 0
  }
}
