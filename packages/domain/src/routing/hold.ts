// Defines holds: reasons outside of routes to withhold alerts about a subject for now.

import type { Trx } from '@dogwatch/store/database'
import type { RoutingMarks } from '@dogwatch/store/routing/marks'

export interface Hold {
  /** Time at which it ends. Null if unknown, so that it is looked up again soon. */
  until: string | null
  /**
   * Name of the hold, followed by a colon and an id if there can be several, such as `maintenance:7`. Alerts store it, and
   * compare it when a hold ends.
   */
  by: string
  /** Text for people, without the end, such as `maintenance "New racks"`. */
  words: string
}

/** One kind of hold. It looks up many subjects at once, by a number of statements that does not depend on their number. */
export interface HoldSource {
  name: string
  /** Whether it also holds alerts that list several checks, if it holds each of those. */
  holdsLists: boolean
  /** Whether it can hold anything in the organisation, according to the marks that one statement read. */
  mayHold(marks: RoutingMarks): boolean
  /**
   * Finds the holds of subjects at an instant. A subject is `check:7`, `heartbeat:3`, or another subject of events such as
   * `monitors`.
   */
  find(trx: Trx, org_id: number, subjects: readonly string[], now: Date): Promise<ReadonlyMap<string, Hold>>
}
