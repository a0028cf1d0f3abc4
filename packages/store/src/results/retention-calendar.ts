// Stores the calendar that deletions follow.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export interface Calendar {
  /** Last day that deletions went by: `2026-11-20`. */
  day: string
  /** Time that the clock was observed to be days ahead of `day`. Negative if it is behind. */
  observed_sec: number
  seen_at: string
  /** Time that decides which rows are deleted for their age. Null before the first look. */
  safe_at: string | null
  /** Time that the clock has run steadily ahead of `safe_at`. */
  steady_sec: number
}

const COLUMNS = sql`to_char(day, 'YYYY-MM-DD') as day, observed_sec, wire_time(seen_at) as seen_at,
  wire_time(safe_at) as safe_at, steady_sec`

/**
 * Locks the calendar until the transaction ends. Creates it if it is missing: it begins on the day of the last deletion by a
 * previous version, or today in an empty database.
 */
export async function lockCalendar(trx: Db, now: string): Promise<Calendar> {
  await sql`
    insert into retention_calendar (day, seen_at)
    select least((${now}::timestamptz at time zone 'UTC')::date,
      (max(due_at) at time zone 'UTC')::date - case when max(due_at) > ${now}::timestamptz then 1 else 0 end),
      ${now}::timestamptz
    from retention
    on conflict do nothing`.execute(trx)
  const { rows } = await sql<Calendar>`select ${COLUMNS} from retention_calendar for update`.execute(trx)
  const [row] = rows
  if (!row) throw new Error('the table retention_calendar has no row')
  return row
}

export async function updateCalendar(
  trx: Db,
  { day, observed_sec, seen_at, safe_at, steady_sec }: Calendar,
): Promise<void> {
  await sql`
    update retention_calendar set day = ${day}::date, observed_sec = ${observed_sec}, seen_at = ${seen_at}::timestamptz,
      safe_at = ${safe_at}::timestamptz, steady_sec = ${steady_sec}`.execute(trx)
}

/** Allows the waiting deletions of one organisation, or of all, until an instant. Returns the organisations' ids. */
export async function confirmOrgs(trx: Db, until: string, org_id: number | undefined): Promise<number[]> {
  const rows = await trx
    .updateTable('retention')
    .set({ confirmed_until: until, due_at: sql<string>`least(due_at, ${until}::timestamptz - interval '1 day')` })
    .$if(org_id !== undefined, (query) => query.where('org_id', '=', org_id as number))
    .returning('org_id')
    .execute()
  return rows.map((row) => row.org_id).sort((a, b) => a - b)
}
