// Defines holds: reasons outside of routes to withhold alerts about a subject for now.

import type { Trx } from '@dogwatch/store/database'
import type { RoutingMarks } from '@dogwatch/store/routing/marks'

export interface Hold {
  /** Time at which the hold ends. Null if unknown, so that the hold is looked up again soon. */
  until: string | null
  /**
   * Name of the hold, followed by a colon and an id if there can be several, such as `maintenance:7`. Alerts store it, and
   * compare it when a hold ends.
   */
  by: string
  /** Text for people, without the end, such as `maintenance "New racks"`. */
  words: string
}

/**
 * One kind of hold. It looks up many subjects at once, by a number of statements that does not depend on the number of subjects.
 */
export interface HoldSource {
  name: string
  /** Whether the hold also applies to an alert that lists several checks, if it applies to each of those. */
  holdsLists: boolean
  /** Whether the source can hold anything in the organisation, according to the facts that one statement read (`marks`). */
  mayHold(marks: RoutingMarks): boolean
  /**
   * Finds the holds of subjects at an instant. A subject is `check:7`, `heartbeat:3`, or another subject of events such as
   * `monitors`.
   */
  find(trx: Trx, org_id: number, subjects: readonly string[], now: Date): Promise<ReadonlyMap<string, Hold>>
}
