// The memory that all bodies in progress share, and that of large heads: however many targets send a lot at once, it
// stays limited, and the targets of one network leave some of it to others, however slowly they send.
import ipaddr from 'ipaddr.js'

/** Each body may take so much without asking. */
export const FREE_BYTES = 32 * 1024
const SHARED_BYTES = 32 * 1024 * 1024
/** The last part goes to those that hold none yet, or less than an equal share. Another may come at any time. */
const RESERVED_BYTES = SHARED_BYTES / 4

class SharedMemory {
  left = SHARED_BYTES
  readonly heldBy = new Map<string, number>()
  readonly waiting: Lease[] = []

  /** Grants what can be granted: first to whoever holds least, of these to who asked first. */
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
/** Not that of the bodies: who waits for a body's part may still have that of a head. */
export const HEADS = new SharedMemory()

/**
 * A share of that memory, held by one run until it is judged. A run that holds one can finish, so nobody waits forever.
 */
export class Lease {
  bytes = 0
  /** In whose name it is held. */
  holder = ''
  readonly #memory: SharedMemory
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

  /**
   * True when it is held. Else the turn of this one comes, and `onGranted` is called then. Asked for once. `address`: the target's, by
   * whose network it is shared.
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

  /** Gives it back, or leaves the queue. */
  release(): void {
    const { waiting } = this.#memory
    if (this.#isHeld) this.#memory.add(this, -1)
    else if (this.#askedAt !== undefined) waiting.splice(waiting.indexOf(this), 1)
    this.#waited_ms = this.waited_ms
    this.#askedAt = undefined
    this.#isHeld = false
    this.#memory.settle()
  }

  /** It has left the queue, and its turn has come. */
  grant(): void {
    this.#memory.add(this, 1)
    this.#isHeld = true
    this.#waited_ms = this.waited_ms
    this.#askedAt = undefined
    // Its callback may give back at once, while others are still being granted theirs.
    if (this.#onGranted) queueMicrotask(this.#onGranted)
  }
}

/** What one party may have many addresses of: the /24 of IPv4, the /48 of IPv6. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  const parts = parsed.kind() === 'ipv4' ? (parsed as ipaddr.IPv4).octets : (parsed as ipaddr.IPv6).parts
  return `${parsed.kind()} ${parts.slice(0, 3).join(':')}`
}
