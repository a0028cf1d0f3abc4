// Notices when this process itself stood still: what it measured then says nothing about the targets.

const LOOK_MS = 50
/** A stall of this length is more than the noise of a busy machine. */
const STALL_MS = 250

/** It looks only while somebody watches: an agent without a run in progress sleeps. */
export class LoopLag {
  readonly #mono: () => number
  #lookedAt: number
  #stall = { from: Number.NEGATIVE_INFINITY, to: Number.NEGATIVE_INFINITY }
  #watchers = 0
  #timer: NodeJS.Timeout | undefined

  /** @param mono milliseconds of a clock that only goes forth. */
  constructor(mono: () => number) {
    this.#mono = mono
    this.#lookedAt = mono()
  }

  /** Call it before what may be hindered by a stall begins, and the returned function when that has ended. */
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
   * True when, at or after `began`, the event loop stood still for longer than that: a quarter of a second if not said. Only
   * stalls that were watched are known.
   */
  hasStalledSince(began: number, longer_than_ms = STALL_MS): boolean {
    // The caller may be the first to run after the stall.
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
