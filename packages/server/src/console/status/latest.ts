// What many ask for at once, made for all of them together.
import type { Clock } from '../../runtime/clock.ts'

interface LatestOptions<T> {
  clock: Clock
  /** Undefined: there is no such thing. That is not kept. */
  make(name: string): Promise<T | undefined>
  fresh_ms: number
  /** Number of things that are kept. The oldest are forgotten first. */
  most: number
  sizeOf(made: T): number
  /** Size of all that is kept. The newest is kept in any case. */
  most_bytes: number
}

interface Held<T> {
  made: Promise<T | undefined>
  began_ms: number
  isMade: boolean
  bytes: number
}

/** Holds the latest of each name, made again when somebody asks and it is no longer fresh: once, however many wait. */
export class Latest<T> {
  readonly #options: LatestOptions<T>
  readonly #held = new Map<string, Held<T>>()
  #bytes = 0

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
    const making: Held<T> = { made: this.#options.make(name), began_ms, isMade: false, bytes: 0 }
    // Behind all others, as the newest.
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
