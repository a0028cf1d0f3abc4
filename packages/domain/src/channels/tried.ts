// Tries destinations before anything is locked. Rendering a template for each type of event can take a second, and no other
// request should wait for that.

import { type ChannelTarget, wholeDestination } from '@dogwatch/channels/destination'
import { findKind } from '@dogwatch/channels/registry'
import type { Clock } from '@dogwatch/runtime/clock'
import { DomainError, type FieldFault } from '../errors.ts'

/** Maximum number of different destinations in one request. */
const MOST = 250
/** Time after which no further destination is tried. Ordinary templates take a few milliseconds each. */
const BUDGET_MS = 3000

/** Outcomes of trying the destinations of one request. */
export class TriedDestinations {
  readonly #clock: Clock
  readonly #until: number
  readonly #faults = new Map<string, FieldFault | undefined>()

  constructor(clock: Clock) {
    this.#clock = clock
    this.#until = clock.monotonicMs() + BUDGET_MS
  }

  /** Tries a destination and returns its fault. Throws DomainError if the request tries too many or takes too long. */
  async try(org_id: number, told: ChannelTarget): Promise<FieldFault | undefined> {
    const fault = findKind(told.kind)?.fault
    if (!fault) return undefined
    const name = nameOf(told)
    if (!this.#faults.has(name)) {
      if (this.#faults.size >= MOST) {
        throw new DomainError(
          'invalid',
          `at most ${MOST} templates can be tried in one request; send the rest in another request`,
        )
      }
      if (this.#clock.monotonicMs() > this.#until) {
        const line = `trying the templates of this request took longer than ${BUDGET_MS / 1000} seconds; send fewer templates per request`
        throw new DomainError('limited', line, 5)
      }
      this.#faults.set(name, await fault(wholeDestination(told), org_id))
    }
    return this.#faults.get(name)
  }

  /**
   * Returns the fault of a tried destination. Throws DomainError if it was not tried, because the channel has changed in the
   * meantime.
   */
  faultOf(told: ChannelTarget): FieldFault | undefined {
    const name = nameOf(told)
    if (findKind(told.kind)?.fault && !this.#faults.has(name)) {
      throw new DomainError('conflict', 'the channel was changed during this request; send the request again')
    }
    return this.#faults.get(name)
  }
}

function nameOf(told: ChannelTarget): string {
  return JSON.stringify([told.kind, wholeDestination(told)])
}
