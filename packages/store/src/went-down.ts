// Reads when a check went down, for alerting and routing.
import { type RawBuilder, sql } from 'kysely'

/** Time of the result that began an incident, from a row of incidents. Reminders do not move it, unlike `told_at`. */
export const WENT_DOWN_AT = sql<string>`coalesce((verdict ->> 'turned_at')::timestamptz, began_at)`

/**
 * Stored text of the time at which an incident began, for an index, because it sorts like the time. Null for incidents without a
 * verdict.
 */
export const TURNED_AT = sql<string>`(verdict ->> 'turned_at') collate "C"`

/**
 * Returns the condition for open incidents of an org's checks that began after an instant, which are the rows of the index
 * `incidents_turned`.
 */
export function turnedAfter(org_id: number, since: string): RawBuilder<boolean> {
  return sql<boolean>`org_id = ${org_id} and check_id is not null and ended_at is null and ${TURNED_AT} > ${since}`
}
