// Fair shares of a number of places: whoever holds many leaves some to the others.

export interface Holder {
  key: string
  /** The most places that it may hold. */
  most: number
}

const NOTHING = { requests: 0, places: 0 }

/** `excess`: a holder has its share already. `full`: there is no place for anybody. */
export type Refusal = 'excess' | 'full'

/** A holder with fewer places than this is not to blame when no place is left. */
const MODEST = 16
/** A holder may have this part of the free places (without the reserve), unless configured otherwise. */
const FREE_SHARE = 1 / 4
/** This part of all places is reserved for holders that have none. */
const RESERVE = 1 / 8
/**
 * A request with a body of so many bytes is small. Real agents send about 10,000 in an upload, and so many of them wait through a moment in
 * which nothing is stored.
 */
export const SMALL_BYTES = 32_768
/** The part of a place that a small request takes. */
export const SMALL_SHARE = 1 / 4

/** A place that is taken. */
export interface Place {
  leave(): void
  /** From now on it takes a small part of a place. Holders still have no more requests than they may. */
  shrink(): void
}

export class Shares {
  readonly #most: number
  readonly #free_share: number
  /** How many requests each holder has, and how many places those take. */
  readonly #held = new Map<string, { requests: number; places: number }>()
  #total = 0

  /** `free_share`: with 1, a holder that is alone may have nearly half of the places. */
  constructor(most: number, free_share = FREE_SHARE) {
    this.#most = most
    this.#free_share = free_share
  }

  /** Takes a place in the name of all these holders. Returns it, or why there is none. */
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

  /** How many requests a holder has. */
  held(key: string): number {
    return this.#held.get(key)?.requests ?? 0
  }

  /** Parts of places are powers of two: their sums are exact. */
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
