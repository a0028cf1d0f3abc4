// What many ask for at once, made for all of them together.
import type { Clock } from '../../runtime/clock.ts'

interface LatestOptions<T> {
  clock: Clock
  /** Undefined: there is no such thing. That is not kept. */
  make(name: string): Promise<T | undefined>
  fresh_ms: number
  /** How many are kept; those that were made longest ago are forgotten first. */
  most: number
}

interface Held<T> {
  made: Promise<T | undefined>
  began_ms: number
  isMade: boolean
}

/** Holds the latest of each name, made again when somebody asks and it is no longer fresh: once, however many wait. */
export class Latest<T> {
  readonly #options: LatestOptions<T>
  readonly #held = new Map<string, Held<T>>()

  constructor(options: LatestOptions<T>) {
    this.#options = options
  }

  /** Whether it was there when it was last made: to ask for it costs nothing, or what it costs is shared by all. */
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
    const making: Held<T> = { made: this.#options.make(name), began_ms, isMade: false }
    // Behind all others, as the newest.
    this.#held.delete(name)
    this.#held.set(name, making)
    try {
      const made = await making.made
      if (made === undefined) this.#held.delete(name)
      making.isMade = true
      this.#forget()
      return made
    } catch (error) {
      this.#held.delete(name)
      throw error
    }
  }

  #forget(): void {
    for (const name of this.#held.keys()) {
      if (this.#held.size <= this.#options.most) return
      this.#held.delete(name)
    }
  }
}
