// Limits the memory for all response bodies in progress, and that for all large heads, however much targets send at once. The
// targets of one network cannot use all of it.
import ipaddr from 'ipaddr.js'

/** Maximum length of a body that is read, in bytes. */
export const BODY_MAX_BYTES = 1024 * 1024
/** Memory that each body may use without a lease, in bytes. */
export const FREE_BYTES = 32 * 1024
const SHARED_BYTES = 32 * 1024 * 1024
/**
 * Memory reserved for networks that have less than an equal share, in bytes, because a run of another network can begin at any
 * time.
 */
const RESERVED_BYTES = SHARED_BYTES / 4

class SharedMemory {
  left = SHARED_BYTES
  readonly heldBy = new Map<string, number>()
  readonly waiting: Lease[] = []

  /**
   * Grants requests for memory while it lasts: first that of the network with the least memory and, among equals, the oldest
   * request.
   */
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
/**
 * Memory for the heads of HTTP responses. It is separate from that for bodies, because a run that waits for a body's memory may
 * still hold that of a head.
 */
export const HEADS = new SharedMemory()

/**
 * Memory for the body or head of one run, until the run is judged. The memory is enough to finish the run, so no run waits
 * forever.
 */
export class Lease {
  bytes = 0
  /** Network of the target, whose share of the memory this lease uses. */
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
   * Requests memory, once for each lease. Returns whether the memory was granted at once. If not, `onGranted` runs later.
   * `address` is the target's, whose network shares a part of the memory.
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

  /** Returns the memory, or withdraws the request for it. */
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
    // Calls back later, because the callback may return memory at once, while other leases are still being granted theirs.
    if (this.#onGranted) queueMicrotask(this.#onGranted)
  }
}

/** Returns the network around an address that one owner usually has: a /24 for IPv4, a /48 for IPv6. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  const parts = parsed.kind() === 'ipv4' ? (parsed as ipaddr.IPv4).octets : (parsed as ipaddr.IPv6).parts
  return `${parsed.kind()} ${parts.slice(0, 3).join(':')}`
}
