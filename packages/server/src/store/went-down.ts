// When a check went down, which alerting and routing ask.
import { type RawBuilder, sql } from 'kysely'

/** Of a row of incidents: when the result ran by which it began. Reminders do not move it, unlike `told_at`. */
export const WENT_DOWN_AT = sql<string>`coalesce((verdict ->> 'turned_at')::timestamptz, began_at)`

/** The same as it is stored, for an index: text that sorts like the time. Incidents without a verdict are left out. */
export const TURNED_AT = sql<string>`(verdict ->> 'turned_at') collate "C"`

/** Open incidents of checks of an org that began after an instant: what the index `incidents_turned` holds. */
export function turnedAfter(org_id: number, since: string): RawBuilder<boolean> {
  return sql<boolean>`org_id = ${org_id} and check_id is not null and ended_at is null and ${TURNED_AT} > ${since}`
}
