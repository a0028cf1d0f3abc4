// Shares a number of slots fairly: a holder of many leaves some to the others.

export interface Holder {
  key: string
  /** Maximum number of requests of the holder. */
  most: number
}

const NOTHING = { requests: 0, places: 0 }

/** Reason of a refusal. `excess` means that a holder has its share already, and `full` that no slot is free. */
export type Refusal = 'excess' | 'full'

/** Number of slots below which a holder is not to blame when no slot is free. */
const MODEST = 16
/** Default share of the free slots (without the reserve) that one holder can have. */
const FREE_SHARE = 1 / 4
/** Share of all slots that is reserved for holders without one. */
const RESERVE = 1 / 8
/**
 * Maximum body size of a small request. Real agents send about 10,000 bytes in an upload, and many of them wait through a moment
 * without storage.
 */
export const SMALL_BYTES = 32_768
/** Part of a slot that a small request occupies. */
export const SMALL_SHARE = 1 / 4

/** An occupied slot. */
export interface Place {
  leave(): void
  /** Reduces the slot to the part of a small request. The number of requests of each holder stays limited. */
  shrink(): void
}

export class Shares {
  readonly #most: number
  readonly #free_share: number
  /** Number of requests of each holder, and the slots that they occupy. */
  readonly #held = new Map<string, { requests: number; places: number }>()
  #total = 0

  /** Creates the slots. With a `free_share` of 1, a holder that is alone can have nearly half of them. */
  constructor(most: number, free_share = FREE_SHARE) {
    this.#most = most
    this.#free_share = free_share
  }

  /** Occupies a slot for all these holders. Returns it, or the reason of a refusal. */
  take(holders: readonly Holder[]): Place | Refusal {
    const free = this.#most - this.#total
    const share = (free - this.#most * RESERVE) * this.#free_share
    for (const { key, most } of holders) {
      const { requests, places: held } = this.#held.get(key) ?? NOTHING
      if (requests >= most) return 'excess'
      if (free <= 0 || (held > 0 && held > share)) return held >= MODEST ? 'excess' : 'full'
    }
    this.#add(holders, 1, 1)
    let taken = 1
    return {
      leave: () => {
        if (taken > 0) this.#add(holders, -1, -taken)
        taken = 0
      },
      shrink: () => {
        if (taken !== 1) return
        this.#add(holders, 0, SMALL_SHARE - 1)
        taken = SMALL_SHARE
      },
    }
  }

  /** Returns the number of requests of a holder. */
  held(key: string): number {
    return this.#held.get(key)?.requests ?? 0
  }

  /** Adds to the counts of holders. Parts of slots are powers of two, so their sums are exact. */
  #add(holders: readonly Holder[], requests: number, places: number): void {
    this.#total += places
    for (const { key } of holders) {
      const before = this.#held.get(key) ?? NOTHING
      const held = { requests: before.requests + requests, places: before.places + places }
      if (held.requests > 0) this.#held.set(key, held)
      else this.#held.delete(key)
    }
  }
}
