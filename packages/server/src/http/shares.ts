// Fair shares of a number of places: whoever holds many leaves some to the others.

export interface Holder {
  key: string
  /** The most places that it may hold. */
  most: number
}

/** `excess`: a holder has its share already. `full`: there is no place for anybody. */
export type Refusal = 'excess' | 'full'

/** A holder with fewer places than this is not to blame when no place is left. */
const MODEST = 16
/** A holder may have this part of the free places (without the reserve), unless configured otherwise. */
const FREE_SHARE = 1 / 4
/** This part of all places is reserved for holders that have none. */
const RESERVE = 1 / 8

export class Shares {
  readonly #most: number
  readonly #free_share: number
  readonly #held = new Map<string, number>()
  #total = 0

  /** `free_share`: with 1, a holder that is alone may have nearly half of the places. */
  constructor(most: number, free_share = FREE_SHARE) {
    this.#most = most
    this.#free_share = free_share
  }

  /** Takes a place in the name of all these holders. Returns the function that gives it back, or why there is none. */
  take(holders: readonly Holder[]): (() => void) | Refusal {
    const free = this.#most - this.#total
    const share = (free - this.#most * RESERVE) * this.#free_share
    for (const { key, most } of holders) {
      const held = this.held(key)
      if (held >= most) return 'excess'
      if (free <= 0 || (held > 0 && held > share)) return held >= MODEST ? 'excess' : 'full'
    }
    this.#add(holders, 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#add(holders, -1)
      isHeld = false
    }
  }

  held(key: string): number {
    return this.#held.get(key) ?? 0
  }

  #add(holders: readonly Holder[], count: number): void {
    this.#total += count
    for (const { key } of holders) {
      const held = this.held(key) + count
      if (held > 0) this.#held.set(key, held)
      else this.#held.delete(key)
    }
  }
}
