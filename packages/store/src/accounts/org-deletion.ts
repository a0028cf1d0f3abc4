// Deletes an organisation: every row with its org_id, a limited number of rows at a time.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { GatedTime } from '../gated-time.ts'
import { TABLES_OF_RESULTS } from '../results/tables.ts'

/** Tables with an org_id, and the columns that identify a row of each. A table that refers to another comes before it. */
export const TABLES_OF_ORG: readonly (readonly [table: string, ...key: string[]])[] = [
  ['deliveries', 'delivery_id'],
  ['planned_alerts', 'event_id', 'channel_id'],
  ['alert_routes', 'route_id'],
  ['mutes', 'subject'],
  ['failing_monitors', 'monitor_id'],
  ['maintenance_spans', 'window_id', 'begins_at'],
  ['maintenance_scopes', 'scope_id'],
  ['maintenance_windows', 'window_id'],
  ['events', 'event_id'],
  ['incident_notes', 'note_id'],
  ['postmortems', 'incident_id'],
  ['incidents', 'incident_id'],
  ['degradations', 'degradation_id'],
  ['late_results', 'check_id', 'n'],
  ['unjudged_batches', 'check_id', 'n'],
  ...TABLES_OF_RESULTS,
  ['judgements', 'check_id', 'began_at'],
  ['check_states', 'check_id'],
  ['check_schedules', 'check_id', 'since'],
  ['status_page_entries', 'position'],
  ['status_histories'],
  ['status_pages'],
  ['assignments', 'monitor_id', 'guid'],
  ['check_guids', 'guid'],
  ['deleted_checks', 'check_id'],
  ['former_secrets', 'check_id', 'former_id'],
  ['checks', 'check_id'],
  ['pings', 'heartbeat_id', 'n'],
  ['heartbeat_days', 'heartbeat_id', 'day'],
  ['heartbeat_keys', 'guid'],
  ['refused_pings', 'heartbeat_id'],
  ['heartbeats', 'heartbeat_id'],
  ['channel_confirmations', 'token_hash'],
  ['notification_channels', 'id'],
  ['asked_runs', 'run_id'],
  ['monitors', 'id'],
  ['enrollment_tokens', 'token_hash'],
  ['invitations', 'invitation_id'],
  ['personal_access_tokens', 'token_id'],
  ['repeatable_answers', 'token_id', 'idempotency_key'],
  ['configuration_tokens', 'token_id'],
  ['sessions', 'session_hash'],
  ['audit_entries', 'entry_id'],
  ['weekly_reports', 'person_id', 'week'],
  ['memberships', 'person_id'],
  ['judged_organisations'],
  ['retention'],
  // Comes last, because deleting rows of the other tables adds rows to this one.
  ['changes', 'change_id'],
]

/** Lists organisations whose requested deletion is due. */
export async function listOrgsToDelete(db: Db, now: string): Promise<number[]> {
  const { rows } = await sql<{ org_id: number }>`
    select org_id from organisations where delete_at <= ${now}::timestamptz order by delete_at, org_id`.execute(db)
  return rows.map(({ org_id }) => org_id)
}

/**
 * Locks an organisation until the transaction ends, if its requested deletion is due. Returns false if it is not due, or another
 * process has the lock.
 */
export async function claimOrgToDelete(db: Db, org_id: number, now: GatedTime): Promise<boolean> {
  const { rows } = await sql`
    select from organisations where org_id = ${org_id} and delete_at <= ${now}::timestamptz
    for update skip locked`.execute(db)
  return rows.length > 0
}

/** Deletes some of an org's rows from one table, and returns their number. */
export async function deleteSomeOfOrg(
  db: Db,
  [table, ...key]: (typeof TABLES_OF_ORG)[number],
  org_id: number,
  limit: number,
): Promise<number> {
  const columns = ['org_id', ...key]

  if (table === 'sessions') return updateSessionsAway(db, org_id)
  const { numAffectedRows } = await sql`
    with picked as materialized (
      select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)}
      where org_id = ${org_id} limit ${limit}
    )
    delete from ${sql.table(table)} t using picked
    where t.org_id = ${org_id} ${sql.join(
      key.map((column) => sql`and t.${sql.ref(column)} = picked.${sql.ref(column)}`),
      sql` `,
    )}`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** Deletes the organisation's own row, which must be the last one. */
export async function deleteOrganisation(db: Db, org_id: number): Promise<void> {
  await db.deleteFrom('organisations').where('org_id', '=', org_id).execute()
}

/** Deselects an organisation in all sessions, so that its members stay signed in. */
async function updateSessionsAway(db: Db, org_id: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ org_id: null })
    .where('org_id', '=', org_id)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
