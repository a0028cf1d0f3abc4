// Makes what many request at once, once for all of them.
import type { Clock } from '@dogwatch/runtime/clock'

interface LatestOptions<T> {
  clock: Clock
  /** Makes the thing of a name. Returns undefined if there is none, which is not kept. */
  make(name: string): Promise<T | undefined>
  fresh_ms: number
  /** Maximum number of things to keep. The oldest are dropped first. */
  most: number
  sizeOf(made: T): number
  /** Maximum size of all things together. The newest is kept in any case. */
  most_bytes: number
}

interface CacheEntry<T> {
  made: Promise<T | undefined>
  began_ms: number
  isMade: boolean
  bytes: number
}

/**
 * Keeps the latest thing of each name. If it is no longer fresh, the next request makes it again: once, no matter how many wait.
 */
export class Latest<T> {
  readonly #options: LatestOptions<T>
  readonly #held = new Map<string, CacheEntry<T>>()
  #bytes = 0

  constructor(options: LatestOptions<T>) {
    this.#options = options
  }

  /** Whether the thing of a name is kept or being made. To request it then costs nothing, or all requests share the cost. */
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
    // Moves it behind all others, as the newest.
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
