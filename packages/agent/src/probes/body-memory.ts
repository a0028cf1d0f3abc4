// The memory that all bodies under way share: however many targets send a lot at once, it stays within a bound.

/** Each body may take so much without asking. */
export const FREE_BYTES = 32 * 1024
const SHARED_BYTES = 32 * 1024 * 1024

let left = SHARED_BYTES
const waiting: Lease[] = []

/** A part of that memory, for one run until it is judged. Who has it can go on to the end, so that nobody waits for ever. */
export class Lease {
  #bytes = 0
  #isHeld = false
  #askedAt: number | undefined
  #waited_ms = 0
  #onGranted: (() => void) | undefined

  /** For how long the run had to wait for it. */
  get waited_ms(): number {
    return this.#waited_ms + (this.#askedAt === undefined ? 0 : performance.now() - this.#askedAt)
  }

  /** True when it is held. Else the turn of this one comes, and `onGranted` is called then. Asked for once. */
  take(bytes: number, onGranted: () => void): boolean {
    this.#bytes = bytes
    if (waiting.length === 0 && this.#grant()) return true
    this.#onGranted = onGranted
    this.#askedAt = performance.now()
    waiting.push(this)
    return false
  }

  /** Gives it back, or leaves the queue. */
  release(): void {
    if (this.#isHeld) left += this.#bytes
    else if (this.#askedAt !== undefined) waiting.splice(waiting.indexOf(this), 1)
    this.#waited_ms = this.waited_ms
    this.#askedAt = undefined
    this.#isHeld = false
    while (waiting[0]?.grantInTurn()) waiting.shift()
  }

  grantInTurn(): boolean {
    if (!this.#grant()) return false
    this.#waited_ms = this.waited_ms
    this.#askedAt = undefined
    // Its callback may give back at once: not before this one has left the queue.
    if (this.#onGranted) queueMicrotask(this.#onGranted)
    return true
  }

  #grant(): boolean {
    if (this.#bytes > left) return false
    left -= this.#bytes
    this.#isHeld = true
    return true
  }
}
