// Counts requests in progress and the slots that they occupy. Can share the slots fairly, so that a holder of many
// slots leaves some to others.
import type { ClientAddress } from '@dogwatch/domain/limits/address'

/** Address, network, token, monitor or organisation, with the maximum number of its requests. */
export interface Holder {
  key: string
  most: number
}

/** Request in progress. */
export interface Visit {
  began: number
  /** Holders that the request counts for. */
  holders: readonly Holder[]
  /** Returns the owner that can lose a slot if it keeps the server waiting: the network of the client, or the organisation. */
  owner(): string
  /** Whether the server waits for the client: the body is incomplete, or the client does not read the response. */
  isAwaited(): boolean
  /** Breaks off the request's connection. */
  cut(): void
  /** Whether the request is small and occupies only {@link SMALL_SHARE} of a slot. */
  isSmall?: boolean
  /**
   * Whether the work for the request is over. For clients that disconnected in the meantime, because no event signals the end
   * then.
   */
  isOver?(): boolean
}

/** Reason of a refusal. `excess`: a holder has used up its share. `full`: no slot is free. */
export type Refusal = 'excess' | 'full'

/** Number of a holder's slots below which the holder is not to blame if no slot is free. */
const MODEST = 16
/** Default share of the free slots, without the reserve, that one holder can occupy. */
const FREE_SHARE = 1 / 4
/** Share of all slots that is reserved for holders that occupy none. */
const RESERVE = 1 / 8
/** Part of a slot that a small request occupies. A power of two, so that sums are exact. */
const SMALL_SHARE = 1 / 4
/**
 * Factor of the limit for a whole network, because many clients can share one /48 of IPv6, and one client can own all of it.
 */
const OF_NETWORK = 2

const NOTHING = { requests: 0, places: 0 }

/** Returns the holders of a request by its client address. */
export function holdersAt({ address, network }: ClientAddress, of_address: number): Holder[] {
  const own = { key: address, most: of_address }
  return network === address ? [own] : [own, { key: network, most: OF_NETWORK * of_address }]
}

export class Slots {
  /** Requests in progress, the oldest first. */
  readonly #visits = new Set<Visit>()
  /** Requests in progress of each holder, by its key: their number, and the number of slots that they occupy. */
  readonly #held = new Map<string, { requests: number; places: number }>()
  #places = 0

  /** Number of requests in progress. */
  get size(): number {
    return this.#visits.size
  }

  /** Number of occupied slots. */
  get places(): number {
    return this.#places
  }

  /** Returns the number of a holder's requests. */
  held(key: string): number {
    return this.#held.get(key)?.requests ?? 0
  }

  add(visit: Visit): void {
    this.#visits.add(visit)
    this.#count(visit, 1, sizeOf(visit))
  }

  /** Adds a request. If a holder has used up its fair share of `most` slots, returns the reason instead. */
  take(
    visit: Visit,
    { most: all, free_share = FREE_SHARE }: { most: number; free_share?: number },
  ): Refusal | undefined {
    const free = all - this.#places
    const share = (free - all * RESERVE) * free_share
    for (const { key, most } of visit.holders) {
      const { requests, places } = this.#held.get(key) ?? NOTHING
      if (requests >= most) return 'excess'
      if (free <= 0 || (places > 0 && places > share)) return places >= MODEST ? 'excess' : 'full'
    }
    this.add(visit)
    return undefined
  }

  /** Sets whether a request is small. The limits on the number of requests stay the same. */
  resize(visit: Visit, isSmall: boolean): void {
    if (!this.#visits.has(visit)) return
    const before = sizeOf(visit)
    visit.isSmall = isSmall
    this.#count(visit, 0, sizeOf(visit) - before)
  }

  delete(visit: Visit): void {
    if (this.#visits.delete(visit)) this.#count(visit, -1, -sizeOf(visit))
  }

  /** Removes the requests of disconnected clients whose work is over. */
  forget(): void {
    for (const visit of this.#visits) if (visit.isOver?.()) this.delete(visit)
  }

  /** Returns the requests that keep the server waiting, the oldest first, and the number of slots that they occupy. */
  awaited(): { visits: Visit[]; places: number } {
    const visits = [...this.#visits].filter((visit) => visit.isAwaited())
    return { visits, places: visits.reduce((sum, visit) => sum + sizeOf(visit), 0) }
  }

  /** Cuts off the oldest of the given requests, if it began before `before`. Returns whether it did. */
  cutOldest([oldest]: readonly Visit[], before: number): boolean {
    if (!oldest || oldest.began > before) return false
    this.delete(oldest)
    oldest.cut()
    return true
  }

  /**
   * Cuts off the oldest request of the owner that keeps the server waiting with the most requests, if these are more than
   * `fewest`. Returns whether it did.
   */
  cutGreediest(before: number, fewest: (byOwner: ReadonlyMap<string, readonly Visit[]>) => number): boolean {
    const byOwner = Map.groupBy(this.awaited().visits, (visit) => visit.owner())
    const [greediest = []] = [...byOwner.values()].sort((a, b) => b.length - a.length)
    return greediest.length > fewest(byOwner) && this.cutOldest(greediest, before)
  }

  #count({ holders }: Visit, requests: number, places: number): void {
    this.#places += places
    for (const { key } of holders) {
      const before = this.#held.get(key) ?? NOTHING
      const held = { requests: before.requests + requests, places: before.places + places }
      if (held.requests > 0) this.#held.set(key, held)
      else this.#held.delete(key)
    }
  }
}

function sizeOf({ isSmall }: Visit): number {
  return isSmall ? SMALL_SHARE : 1
}
