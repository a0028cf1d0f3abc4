// Limits requests in progress after authentication: organisations get fair shares, from however many addresses they
// call.
import { DomainError } from '../domain/errors.ts'
import { HttpError, OVERLOADED } from './errors.ts'
import { TOO_OFTEN } from './floods.ts'
import type { Connection } from './implement.ts'
import { type Place, Shares } from './shares.ts'

/** The caller, and the owner whose share it uses. */
export interface Asking {
  /** A token, or a monitor. */
  caller: string
  /** Its organisation. */
  owner: string
}

export interface PlaceBounds {
  places: number
  /** The limit for one caller. */
  of_caller: number
  /** The part of the free places that one owner may have; by default a quarter. */
  share?: number
  /** Called for each refusal because of an excess of its own. */
  onExcess?: () => void
}

const RETRY_SEC = 1
/** Even the organisation that keeps us waiting most often has this long for a request. */
const LEAST_MS = 250

/** A place that is taken, and by whom. */
interface Visit {
  owner: string
  began: number
  connection: Connection
  place: Place
}

export class Places {
  readonly #bounds: PlaceBounds
  readonly #shares: Shares
  /** The oldest first. */
  readonly #visits = new Set<Visit>()
  readonly #now: () => number

  /** `now`: milliseconds of a clock that only goes forward. */
  constructor(bounds: PlaceBounds, now = () => performance.now()) {
    this.#bounds = bounds
    this.#now = now
    this.#shares = new Shares(bounds.places, bounds.share)
  }

  /**
   * Takes a place until the answer is over. Refuses a caller or an owner beyond its share: 429, or 503 if it holds none. Clients
   * that keep us waiting give way to others before anybody is refused.
   */
  take(asking: Asking, connection: Connection): Place {
    const over = connection.closed()
    // Nothing would tell when to give the place back, and nobody waits for the answer.
    if (over.aborted) throw limited()
    const owner = `owner ${asking.owner}`
    const place = this.#take(asking, owner)
    const visit: Visit = { owner, began: this.#now(), connection, place }
    this.#visits.add(visit)
    over.addEventListener('abort', () => this.#end(visit))
    return place
  }

  #take({ caller }: Asking, owner: string): Place {
    const holders = [
      { key: `caller ${caller}`, most: this.#bounds.of_caller },
      { key: owner, most: Infinity },
    ]
    const isBelowItsBound = this.#shares.held(`caller ${caller}`) < this.#bounds.of_caller
    let taken = this.#shares.take(holders)
    while (typeof taken === 'string' && isBelowItsBound && this.#cutOne(owner)) taken = this.#shares.take(holders)
    if (typeof taken !== 'string') return taken
    if (this.#shares.held(owner) === 0) throw new HttpError(503, OVERLOADED, { 'Retry-After': String(RETRY_SEC) })
    this.#bounds.onExcess?.()
    throw limited()
  }

  /** Ends the oldest request of the owner that keeps us waiting most often, if that is more often than the newcomer has places. */
  #cutOne(newcomer: string): boolean {
    const waiting = [...this.#visits].filter(({ connection }) => connection.isAwaited())
    const byOwner = [...Map.groupBy(waiting, ({ owner }) => owner).values()]
    const [greediest = []] = byOwner.sort((a, b) => b.length - a.length)
    const [oldest] = greediest
    if (!oldest || oldest.began > this.#now() - LEAST_MS) return false
    if (greediest.length <= this.#shares.held(newcomer)) return false
    this.#end(oldest)
    oldest.connection.cut()
    return true
  }

  #end(visit: Visit): void {
    if (this.#visits.delete(visit)) visit.place.leave()
  }
}

function limited(): DomainError {
  return new DomainError('limited', TOO_OFTEN, RETRY_SEC)
}
