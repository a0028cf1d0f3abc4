// The delay of the event loop: more work than one thread can do shows here first.

const EVERY_MS = 100
/** Number of recent measurements: one long pause alone says little. */
const WEIGHT = 0.2

export class LoopDelay {
  readonly #timer: NodeJS.Timeout
  #due = performance.now() + EVERY_MS
  #ms = 0

  constructor() {
    this.#timer = setInterval(() => this.#look(), EVERY_MS)
    this.#timer.unref()
  }

  get ms(): number {
    return this.#ms
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    this.#ms += WEIGHT * (Math.max(0, now - this.#due) - this.#ms)
    this.#due = now + EVERY_MS
  }
}
