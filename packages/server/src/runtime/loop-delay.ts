// How late this process comes to what it has to do: more work than one thread can take shows here first.

const EVERY_MS = 100
/** Of the last looks: one long pause alone says little. */
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
