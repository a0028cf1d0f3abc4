// Holds: reasons outside of routes for which nobody is told about a subject for now.
import type { Transaction } from 'kysely'
import type { RoutingMarks } from '../../store/routing/marks.ts'
import type { Tables } from '../../store/tables.ts'

export interface Hold {
  /** When it ends; null: nobody knows, so it is asked again soon. */
  until: string | null
  /** One word, and an id behind a colon where there are several: `maintenance:7`. Stored, and compared when it ends. */
  by: string
  /** As people read it, without its end: `maintenance "New racks"`. */
  words: string
}

/**
 * One kind of hold. It is asked about many subjects at once, by statements whose number does not depend on how many there are.
 */
export interface HoldSource {
  name: string
  /** Whether it holds alerts that list several checks as well, when it holds each of those. */
  holdsLists: boolean
  /** Whether it can hold anything in the organisation, by what one statement found. */
  mayHold(marks: RoutingMarks): boolean
  /** What holds these subjects at an instant. `check:7`, `heartbeat:3`, or what else events are about: `monitors`. */
  find(
    trx: Transaction<Tables>,
    org_id: number,
    subjects: readonly string[],
    now: Date,
  ): Promise<ReadonlyMap<string, Hold>>
}
