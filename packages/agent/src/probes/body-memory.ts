// The memory that all bodies in progress share, and that of large heads: however many targets send a lot at once, it
// stays limited.

/** Each body may take so much without asking. */
export const FREE_BYTES = 32 * 1024
const SHARED_BYTES = 32 * 1024 * 1024

class SharedMemory {
  left = SHARED_BYTES
  readonly waiting: Lease[] = []
}

const BODIES = new SharedMemory()
/** Not that of the bodies: who waits for a body's part may still have that of a head. */
export const HEADS = new SharedMemory()

/**
 * A share of that memory, held by one run until it is judged. A run that holds one can finish, so nobody waits forever.
 */
export class Lease {
  readonly #memory: SharedMemory
  #bytes = 0
  #isHeld = false
  #askedAt: number | undefined
  #waited_ms = 0
  #onGranted: (() => void) | undefined

  constructor(memory = BODIES) {
    this.#memory = memory
  }

  /** For how long the run had to wait for it. */
  get waited_ms(): number {
    return this.#waited_ms + (this.#askedAt === undefined ? 0 : performance.now() - this.#askedAt)
  }

  /** True when it is held. Else the turn of this one comes, and `onGranted` is called then. Asked for once. */
  take(bytes: number, onGranted: () => void): boolean {
    this.#bytes = bytes
    if (this.#memory.waiting.length === 0 && this.#grant()) return true
    this.#onGranted = onGranted
    this.#askedAt = performance.now()
    this.#memory.waiting.push(this)
    return false
  }

  /** Gives it back, or leaves the queue. */
  release(): void {
    const { waiting } = this.#memory
    if (this.#isHeld) this.#memory.left += this.#bytes
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
    if (this.#bytes > this.#memory.left) return false
    this.#memory.left -= this.#bytes
    this.#isHeld = true
    return true
  }
}
