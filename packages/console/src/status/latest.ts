// Makes a value once for all clients that request it at the same time, and keeps it for a while.
import type { Clock } from '@dogwatch/runtime/clock'

interface LatestOptions<T> {
  clock: Clock
  /** Makes the value for a name. Returns undefined if there is none, which is not kept. */
  make(name: string): Promise<T | undefined>
  fresh_ms: number
  /** Maximum number of values to keep. The oldest are dropped first. */
  most: number
  sizeOf(made: T): number
  /** Maximum size of all values together, in bytes. The newest value is kept in any case. */
  most_bytes: number
}

interface CacheEntry<T> {
  made: Promise<T | undefined>
  began_ms: number
  isMade: boolean
  bytes: number
}

/**
 * Keeps the latest value for each name. If the value is too old, the next request makes a new one. All requests that wait for it
 * share this work.
 */
export class Latest<T> {
  readonly #options: LatestOptions<T>
  readonly #held = new Map<string, CacheEntry<T>>()
  #bytes = 0

  constructor(options: LatestOptions<T>) {
    this.#options = options
  }

  /**
   * Whether the value for a name is kept or being made. A request for the value then costs nothing, or shares the cost with
   * others.
   */
  has(name: string): boolean {
    return this.#held.has(name)
  }

  async get(name: string): Promise<T | undefined> {
    const now = this.#options.clock.monotonicMs()
    const held = this.#held.get(name)
    if (held && (!held.isMade || now - held.began_ms < this.#options.fresh_ms)) return held.made
    return this.#make(name, now)
  }

  async #make(name: string, began_ms: number): Promise<T | undefined> {
    const making: CacheEntry<T> = { made: this.#options.make(name), began_ms, isMade: false, bytes: 0 }
    // Moves the entry behind all others, because it is the newest.
    this.#drop(name)
    this.#held.set(name, making)
    try {
      const made = await making.made
      making.isMade = true
      if (made === undefined) this.#drop(name)
      else this.#bytes += making.bytes = this.#options.sizeOf(made)
      this.#forget()
      return made
    } catch (error) {
      this.#drop(name)
      throw error
    }
  }

  #forget(): void {
    const { most, most_bytes } = this.#options
    for (const [name, { isMade }] of this.#held) {
      if (this.#held.size <= 1 || (this.#held.size <= most && this.#bytes <= most_bytes)) return
      // A page that is still being made has no age and no size yet. If it were dropped, it would be made twice.
      if (isMade) this.#drop(name)
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#held.get(name)?.bytes ?? 0
    this.#held.delete(name)
  }
}
