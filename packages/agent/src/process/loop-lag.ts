// Notices when this process itself stood still: what it measured then says nothing about the targets.

const LOOK_MS = 50
/** A stall of this length is more than the noise of a busy machine. */
const STALL_MS = 250

export class LoopLag {
  readonly #mono: () => number
  #lookedAt: number
  #stall = { from: Number.NEGATIVE_INFINITY, to: Number.NEGATIVE_INFINITY }
  readonly #timer: NodeJS.Timeout

  /** @param mono milliseconds of a clock that only goes forth. */
  constructor(mono: () => number) {
    this.#mono = mono
    this.#lookedAt = mono()
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
  }

  /** True when, at or after `began`, the event loop stood still for longer than that: a quarter of a second if not said. */
  hasStalledSince(began: number, longer_than_ms = STALL_MS): boolean {
    // The caller may be the first to run after the stall.
    this.#look()
    const { from, to } = this.#stall
    return to - Math.max(from, began) > longer_than_ms
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const [from, to] = [this.#lookedAt + LOOK_MS, this.#mono()]
    this.#lookedAt = to
    if (to - from > STALL_MS) this.#stall = { from, to }
  }
}
