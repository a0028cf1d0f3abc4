// Places behind the credential: requests under way, shared fairly among organisations, from however many addresses they come.
import { DomainError } from '../domain/errors.ts'
import { HttpError, OVERLOADED } from './errors.ts'
import { TOO_OFTEN } from './floods.ts'
import { Shares } from './shares.ts'

/** Who asks, and whose turn that is. */
export interface Asking {
  /** A token, or a monitor. */
  caller: string
  /** Its organisation. */
  owner: string
}

export interface PlaceBounds {
  places: number
  /** Those of one caller. */
  of_caller: number
  /** The part of the free places that one owner may have; left out, a quarter. */
  share?: number
  /** Told of each refusal for an excess of its own. */
  onExcess?: () => void
}

const RETRY_SEC = 1

export class Places {
  readonly #bounds: PlaceBounds
  readonly #shares: Shares

  constructor(bounds: PlaceBounds) {
    this.#bounds = bounds
    this.#shares = new Shares(bounds.places, bounds.share)
  }

  /** Takes a place until the answer is over. Refuses a caller or an owner beyond its share: 429, or 503 if it holds none. */
  take({ caller, owner }: Asking, over: AbortSignal): void {
    const taken = this.#shares.take([
      { key: `caller ${caller}`, most: this.#bounds.of_caller },
      { key: `owner ${owner}`, most: Infinity },
    ])
    if (typeof taken !== 'string') {
      over.addEventListener('abort', taken)
      return
    }
    if (this.#shares.held(`owner ${owner}`) === 0)
      throw new HttpError(503, OVERLOADED, { 'Retry-After': String(RETRY_SEC) })
    this.#bounds.onExcess?.()
    throw new DomainError('limited', TOO_OFTEN, RETRY_SEC)
  }
}
