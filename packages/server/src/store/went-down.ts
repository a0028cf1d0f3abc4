// When a check went down, which alerting and routing ask.
import { sql } from 'kysely'

/** Of a row of incidents: when the result ran by which it began. Reminders do not move it, unlike `told_at`. */
export const WENT_DOWN_AT = sql<string>`coalesce((verdict ->> 'turned_at')::timestamptz, began_at)`
