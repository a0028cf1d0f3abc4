// Limits requests in progress after authentication. Organisations get fair shares, from however many addresses they
// send requests.
import { DomainError } from '../domain/errors.ts'
import { HttpError, OVERLOADED } from './errors.ts'
import { TOO_OFTEN } from '../domain/limits/spend.ts'
import type { Connection } from './implement.ts'
import { type Place, Shares } from './shares.ts'

/** The caller, and the owner whose share it uses. */
export interface SlotOwner {
  /** A token or a monitor. */
  caller: string
  /** Organisation of the caller. */
  owner: string
}

export interface PlaceBounds {
  places: number
  /** Limit for one caller. */
  of_caller: number
  /** Share of the free slots that one owner can have. Default: a quarter. */
  share?: number
  /** Called for each refusal because of an excess of the caller itself. */
  onExcess?: () => void
}

const RETRY_SEC = 1
/** Minimum time for a request, in milliseconds, even of the organisation that keeps us waiting most often. */
const LEAST_MS = 250

/** An occupied slot, and its owner. */
interface Visit {
  owner: string
  began: number
  connection: Connection
  place: Place
}

export class Places {
  readonly #bounds: PlaceBounds
  readonly #shares: Shares
  /** Requests in progress, the oldest first. */
  readonly #visits = new Set<Visit>()
  readonly #now: () => number

  /** Creates the slots. `now` returns the milliseconds of a clock that only goes forward. */
  constructor(bounds: PlaceBounds, now = () => performance.now()) {
    this.#bounds = bounds
    this.#now = now
    this.#shares = new Shares(bounds.places, bounds.share)
  }

  /**
   * Occupies a slot until the response is over. Refuses a caller or an owner beyond its share with 429, or with 503 if it has no
   * slot. Before that, it cuts off clients that keep us waiting.
   */
  take(asking: SlotOwner, connection: Connection): Place {
    const over = connection.closed()
    // No event would free the slot, and no client waits for the response.
    if (over.aborted) throw limited()
    const owner = `owner ${asking.owner}`
    const place = this.#take(asking, owner)
    const visit: Visit = { owner, began: this.#now(), connection, place }
    this.#visits.add(visit)
    over.addEventListener('abort', () => this.#end(visit))
    return place
  }

  #take({ caller }: SlotOwner, owner: string): Place {
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

  /** Ends the oldest request of the owner that keeps us waiting most often, if that is more often than the newcomer has slots. */
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
