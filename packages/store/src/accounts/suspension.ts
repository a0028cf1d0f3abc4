// Stops what must stop while an organisation is suspended, and restarts it when the organisation is resumed.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Returns the SQL condition that the organisation of a row is not suspended. `table` is the alias of the table with the org_id.
 */
export function notSuspendedSql(table: string): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select from organisations s where s.org_id = ${sql.ref(`${table}.org_id`)} and s.suspended_at is not null)`
}

/**
 * Stores the beginning or end of a suspension, and marks every check of the org as changed, so that its monitors learn of it. The
 * caller must have called `tick` in the same transaction.
 */
export async function updateSuspension(
  db: Db,
  org_id: number,
  change: { suspended_at: string | null; delete_at: string | null },
): Promise<void> {
  await db.updateTable('organisations').set(change).where('org_id', '=', org_id).execute()
  await sql`update checks set updated_at = updated_at where org_id = ${org_id} and not deleted`.execute(db)
}

/** Clears the deadlines of a suspended org's heartbeats, so that none of them becomes overdue. */
export async function stopHeartbeats(db: Db, org_id: number): Promise<void> {
  await db.updateTable('heartbeats').set({ due_at: null }).where('org_id', '=', org_id).execute()
}

/** Restarts the enabled heartbeats of an org whose suspension has ended. Ends their incidents at the time of the suspension. */
export async function restartHeartbeats(db: Db, org_id: number, stopped_at: string): Promise<void> {
  await sql`
    update heartbeats set state = 'new', down_since = null, last_heartbeat_at = null, due_at = null
    where org_id = ${org_id} and enabled and platform_enabled`.execute(db)
  const { rows } = await sql<{ heartbeat_id: number }>`
    update incidents i set ended_at = greatest(began_at, ${stopped_at}::timestamptz), end_reason = 'disabled'
    where org_id = ${org_id} and heartbeat_id is not null and ended_at is null returning heartbeat_id`.execute(db)
  const subjects = rows.map(({ heartbeat_id }) => `heartbeat:${heartbeat_id}`)
  await sql`
    update deliveries set state = 'superseded', next_attempt_at = null
    where org_id = ${org_id} and subject = any(${subjects}::text[]) and state = 'pending'`.execute(db)
  await sql`delete from planned_alerts where org_id = ${org_id} and subject = any(${subjects}::text[])`.execute(db)
}

/**
 * Restarts the three minutes after which an org's monitors count as offline, because the server refused their requests while the
 * org was suspended.
 */
export async function waitForMonitors(db: Db, org_id: number, now: string): Promise<void> {
  await sql`update monitors set watched_since = ${now}::timestamptz where org_id = ${org_id}`.execute(db)
}

/**
 * Makes the org's checks start over: earlier results no longer count. A check that is down stays down until new results decide.
 */
export async function restartChecks(db: Db, org_id: number, now: string): Promise<void> {
  await sql`
    with held as (
      select org_id, check_id from check_states where org_id = ${org_id} order by check_id for update
    )
    update check_states s set judged_from = greatest(s.judged_from, ${now}::timestamptz), rejudge_at = null,
      late_since = null, late_from = null
    from held where s.org_id = held.org_id and s.check_id = held.check_id`.execute(db)
}
