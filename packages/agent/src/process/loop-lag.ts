// Detects when this process itself stalled, because its measurements then say nothing about the targets.

const LOOK_MS = 50
/** Minimum length of a stall, in milliseconds. It is more than the noise of a busy machine. */
const STALL_MS = 250

/** Detector of stalls of the event loop. Its timer runs only during a `watch`, so that an idle agent sleeps. */
export class LoopLag {
  readonly #mono: () => number
  #lookedAt: number
  #stall = { from: Number.NEGATIVE_INFINITY, to: Number.NEGATIVE_INFINITY }
  #watchers = 0
  #timer: NodeJS.Timeout | undefined

  /** @param mono milliseconds of a clock that never goes back. */
  constructor(mono: () => number) {
    this.#mono = mono
    this.#lookedAt = mono()
  }

  /** Starts to watch for stalls. The caller must call the returned function when its work has ended. */
  watch(): () => void {
    if (this.#watchers === 0) {
      this.#lookedAt = this.#mono()
      this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
    }
    this.#watchers += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#watchers -= 1
      if (this.#watchers === 0) clearInterval(this.#timer)
    }
  }

  /**
   * Whether the event loop stalled for longer than `longer_than_ms` at or after `began`. Default: 250 ms. Only stalls during a
   * `watch` are known.
   */
  hasStalledSince(began: number, longer_than_ms = STALL_MS): boolean {
    // The caller may run after a stall before the timer does.
    if (this.#watchers > 0) this.#look()
    const { from, to } = this.#stall
    return to - Math.max(from, began) > longer_than_ms
  }

  #look(): void {
    const [from, to] = [this.#lookedAt + LOOK_MS, this.#mono()]
    this.#lookedAt = to
    if (to - from > STALL_MS) this.#stall = { from, to }
  }
}
