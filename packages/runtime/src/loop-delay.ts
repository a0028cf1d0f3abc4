// Measures how late the event loop runs timers, which is the first sign of more work than one thread can do.

const EVERY_MS = 100
/** Weight of a new measurement in the average. It is small, because one long pause alone says little. */
const WEIGHT = 0.2
/** Number of measurements without a reading after which measuring stops. */
const UNREAD = 20

/**
 * Delay of the event loop. Measures only while someone reads it, which happens with every request, so that a server without
 * requests can sleep.
 */
export class LoopDelay {
  #timer: NodeJS.Timeout | undefined
  #due = 0
  #ms = 0
  #unread = 0

  /** Average delay in milliseconds. Reading it starts measuring; the first reading after a stop is 0. */
  get ms(): number {
    this.#unread = 0
    if (!this.#timer) this.#begin()
    return this.#ms
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#ms = 0
  }

  #begin(): void {
    this.#due = performance.now() + EVERY_MS
    this.#timer = setInterval(() => this.#look(), EVERY_MS)
    this.#timer.unref()
  }

  #look(): void {
    const now = performance.now()
    this.#ms += WEIGHT * (Math.max(0, now - this.#due) - this.#ms)
    this.#due = now + EVERY_MS
    this.#unread += 1
    if (this.#unread >= UNREAD) this.stop()
  }
}
