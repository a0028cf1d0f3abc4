// Limits the memory that all bodies in progress share, and that of large heads, however many targets send a lot at once. The
// targets of one network leave some of it to others, however slowly they send.
import ipaddr from 'ipaddr.js'

/** Maximum length of a body that is read, in bytes. */
export const BODY_MAX_BYTES = 1024 * 1024
/** Memory that each body may use without a lease, in bytes. */
export const FREE_BYTES = 32 * 1024
const SHARED_BYTES = 32 * 1024 * 1024
/** Memory reserved for holders that have none yet, or less than an equal share, in bytes. Another may come at any time. */
const RESERVED_BYTES = SHARED_BYTES / 4

class SharedMemory {
  left = SHARED_BYTES
  readonly heldBy = new Map<string, number>()
  readonly waiting: Lease[] = []

  /** Grants what is possible: first to the holder with the least memory, and among equals to the one that waits longest. */
  settle(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.waiting.splice(this.waiting.indexOf(next), 1)
      next.grant()
    }
  }

  add({ holder, bytes }: Lease, sign: 1 | -1): void {
    this.left -= sign * bytes
    const held = this.#heldBy(holder) + sign * bytes
    if (held > 0) this.heldBy.set(holder, held)
    else this.heldBy.delete(holder)
  }

  #next(): Lease | undefined {
    const [first, ...others] = this.waiting
    if (!first) return undefined
    const next = others.reduce((a, b) => (this.#heldBy(b.holder) < this.#heldBy(a.holder) ? b : a), first)
    return this.#mayTake(next) ? next : undefined
  }

  #mayTake({ holder, bytes }: Lease): boolean {
    const held = this.#heldBy(holder)
    if (bytes > this.left) return false
    if (held === 0 || this.left - bytes >= RESERVED_BYTES) return true
    const holders = new Set([...this.heldBy.keys(), ...this.waiting.map((lease) => lease.holder)])
    return held + bytes <= SHARED_BYTES / Math.max(2, holders.size)
  }

  #heldBy(holder: string): number {
    return this.heldBy.get(holder) ?? 0
  }
}

const BODIES = new SharedMemory()
/** Memory for heads. It is separate, because a run that waits for a body's memory may still use that of a head. */
export const HEADS = new SharedMemory()

/** A share of that memory, which one run keeps until it is judged. A run that has one can finish, so no run waits forever. */
export class Lease {
  bytes = 0
  /** Network that the memory is charged to. */
  holder = ''
  readonly #memory: SharedMemory
  #isHeld = false
  #askedAt: number | undefined
  #waited_ms = 0
  #onGranted: (() => void) | undefined

  constructor(memory = BODIES) {
    this.#memory = memory
  }

  /** Time that the run has waited for the memory, in milliseconds. */
  get waited_ms(): number {
    return this.#waited_ms + (this.#askedAt === undefined ? 0 : performance.now() - this.#askedAt)
  }

  /**
   * Requests memory, once. Returns whether it was granted at once. If not, `onGranted` runs later. The network of `address`, the
   * target's, shares the memory.
   */
  take(bytes: number, onGranted: () => void, address = ''): boolean {
    this.bytes = bytes
    this.holder = networkOf(address)
    this.#askedAt = performance.now()
    this.#memory.waiting.push(this)
    this.#memory.settle()
    if (this.#isHeld) return true
    this.#onGranted = onGranted
    return false
  }

  /** Returns the memory, or leaves the queue. */
  release(): void {
    const { waiting } = this.#memory
    if (this.#isHeld) this.#memory.add(this, -1)
    else if (this.#askedAt !== undefined) waiting.splice(waiting.indexOf(this), 1)
    this.#waited_ms = this.waited_ms
    this.#askedAt = undefined
    this.#isHeld = false
    this.#memory.settle()
  }

  /** Grants the memory, after the lease has left the queue. */
  grant(): void {
    this.#memory.add(this, 1)
    this.#isHeld = true
    this.#waited_ms = this.waited_ms
    this.#askedAt = undefined
    // The callback may return memory at once, while others are still being granted theirs.
    if (this.#onGranted) queueMicrotask(this.#onGranted)
  }
}

/** Returns the network that one party is assumed to own: a /24 for IPv4, a /48 for IPv6. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  const parts = parsed.kind() === 'ipv4' ? (parsed as ipaddr.IPv4).octets : (parsed as ipaddr.IPv6).parts
  return `${parsed.kind()} ${parts.slice(0, 3).join(':')}`
}
