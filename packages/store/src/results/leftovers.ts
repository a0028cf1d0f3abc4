// Deletes rows that belong to no plan, when they are over for good.
import { sql } from 'kysely'
import { type CheckKey, keyRows, listChecksAfter } from '../check-keys.ts'
import type { Db } from '../database.ts'
import type { GatedTime } from '../gated-time.ts'
import { IS_ASSIGNED_SQL } from '../is-assigned.ts'
import { askByOrg } from './nodes/layout.ts'
import { countDeleted, deleteSome } from './retention.ts'

/** Tables whose rows are deleted a fixed time after their end: name, key, SQL for the end of a row, and that time. */
const OVER: readonly (readonly [table: string, key: string, over_at: string, time: string])[] = [
  // A heartbeat may ping once a year, with a year of grace: lost pings are considered as far back as that.
  ['service_outages', 'began_at', 'ended_at', '800 days'],
  // No history goes back further than a year.
  ['judgements', 'org_id, check_id, began_at', 'ended_at', '400 days'],
  // No check has watched these names for a while.
  ['registrations', 'name', 'wanted_at', '30 days'],
  // A refused request of a monitor counts for an hour.
  ['refused_requests', 'monitor_id', 'refused_at', '2 days'],
  ['enrollment_tokens', 'token_hash', 'least(expires_at, revoked_at)', '30 days'],
  ['personal_access_tokens', 'token_id', 'revoked_at', '90 days'],
  // Responses that were stored for a token are deleted with it.
  ['configuration_tokens', 'token_id', 'least(expires_at, revoked_at)', '90 days'],
  ['sessions', 'session_hash', 'expires_at', '0 days'],
  ['pending_sign_ins', 'token_hash', 'expires_at', '0 days'],
  ['password_resets', 'token_hash', 'expires_at', '0 days'],
  ['invitations', 'token_hash', 'expires_at', '0 days'],
  ['sign_up_links', 'token_hash', 'expires_at', '0 days'],
  ['set_up_links', 'token_hash', 'expires_at', '0 days'],
  ['channel_confirmations', 'token_hash', 'expires_at', '0 days'],
]

const deletionOf =
  ([table, key, over_at, time]: (typeof OVER)[number]) =>
  (db: Db, now: GatedTime, limit: number) =>
    deleteSome(db, { table, key }, sql`${sql.raw(over_at)} <= ${now}::timestamptz - ${time}::interval`, limit)

/** Deletions of rows that belong to no plan, by table. */
export const LEFTOVERS: Readonly<Record<string, (db: Db, now: GatedTime, limit: number) => Promise<number>>> = {
  ...Object.fromEntries(OVER.map((one) => [one[0], deletionOf(one)])),
  // A refused ping is of no use once its heartbeat was pinged again or deleted.
  refused_pings: (db, now, limit) =>
    countDeleted(
      db,
      sql`
    delete from refused_pings where (org_id, heartbeat_id) in (
      select r.org_id, r.heartbeat_id from refused_pings r
      left join heartbeats h on h.org_id = r.org_id and h.heartbeat_id = r.heartbeat_id
      where r.refused_at < ${now}::timestamptz - interval '1 day' and (h.due_at is null or h.last_heartbeat_at > r.refused_at)
      limit ${limit})`,
    ),
  // A process that ends cleanly deletes its own row.
  processes: (db, now, limit) =>
    deleteSome(
      db,
      { table: 'processes', key: 'process_id' },
      sql`abs(extract(epoch from ${now}::timestamptz - seen_at)) > 86400`,
      limit,
    ),
  repeatable_answers: (db, now, limit) =>
    countDeleted(
      db,
      sql`
    delete from repeatable_answers where ctid = any(array(
      select ctid from repeatable_answers
      where created_at < ${now}::timestamptz - interval '1 day' order by created_at limit ${limit}))`,
    ),
  // A monitor that was seen a month after it lost a check has synced since and knows. One that has not come back does not
  // know, and might still come back: its row stays.
  assignments: (db, now, limit) =>
    countDeleted(
      db,
      sql`
    delete from assignments where (monitor_id, guid) in (
      select a.monitor_id, a.guid from assignments a join monitors m on m.id = a.monitor_id
      where not ${IS_ASSIGNED_SQL} and a.updated_at < ${now}::timestamptz - interval '90 days'
        and m.last_seen_at > a.updated_at + interval '30 days'
      order by a.monitor_id, a.guid limit ${limit} for update of a skip locked)`,
    ),
  checks: deleteBareChecks,
  // The link in a weekly report works for half a year.
  weekly_reports: (db, now, limit) =>
    countDeleted(
      db,
      sql`
    delete from weekly_reports where ctid = any(array(
      select ctid from weekly_reports where week < (${now}::timestamptz at time zone 'UTC')::date - 182 limit ${limit}))`,
    ),
  // A mute until an incident has ended is over by its time from the beginning.
  mutes: (db, now, limit) =>
    deleteSome(
      db,
      { table: 'mutes', key: 'org_id, subject' },
      sql`muted_until < ${now}::timestamptz and not exists (
        select from incidents i where i.org_id = t.org_id and i.incident_id = t.incident_id and i.ended_at is null)`,
      limit,
    ),
  // Longer than any plan keeps results, whose figures leave out maintenance.
  maintenance_spans: (db, now, limit) =>
    countDeleted(
      db,
      sql`
    with picked as materialized (
      select org_id, window_id, begins_at from maintenance_spans where ends_at < ${now}::timestamptz - interval '400 days'
      order by ends_at limit ${limit}
    )
    delete from maintenance_spans s using picked p
    where s.org_id = p.org_id and s.window_id = p.window_id and s.begins_at = p.begins_at`,
    ),
  // A scope is stored up to 91 days before the last span that has it ends.
  maintenance_scopes: (db, now, limit) =>
    countDeleted(
      db,
      sql`
    delete from maintenance_scopes where ctid = any(array(
      select ctid from maintenance_scopes k
      where used_at < ${now}::timestamptz - interval '491 days'
        and not exists (select from maintenance_spans s where s.org_id = k.org_id and s.scope_id = k.scope_id)
      limit ${limit} for update skip locked))`,
    ),
}

/**
 * Deletes the rows of checks that were deleted long ago and have no history left, together with their guids. Returns how many.
 */
async function deleteBareChecks(db: Db, now: GatedTime, limit: number): Promise<number> {
  const found: CheckKey[] = []
  // Checks that still have results must not block the others.
  for (let after: CheckKey | undefined; ; ) {
    const wanted = limit - found.length
    const rows = await listChecksAfter(db, after, wanted, isBare(now))
    found.push(...(await withoutHistory(db, rows)))
    after = rows.at(-1)
    if (rows.length < wanted || found.length === limit) break
  }
  const gone = await lockBare(db, found, now)
  if (gone.length === 0) return 0
  for (const table of ['rollup_marks', 'shifted_results'] as const)
    await askByOrg(
      db,
      gone,
      (some, org) => sql`
      delete from ${sql.table(table)} t using ${keyRows(some)} where t.org_id = ${org} and t.check_id = k.check_id`,
    )
  for (const table of [
    'status_page_entries',
    'late_results',
    'unjudged_batches',
    'judgements',
    'check_states',
    'check_guids',
    'checks',
  ] as const)
    await sql`
      delete from ${sql.table(table)} t using ${keyRows(gone)}
      where t.org_id = k.org_id and t.check_id = k.check_id`.execute(db)
  return gone.length
}

/** Locks those of the checks that are still deleted and that no other process has locked. */
async function lockBare(db: Db, keys: readonly CheckKey[], now: GatedTime): Promise<CheckKey[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<CheckKey>`
    select c.org_id, c.check_id from ${keyRows(keys)} join checks c using (org_id, check_id)
    where ${isBare(now)} order by c.org_id, c.check_id for update of c skip locked`.execute(db)
  return rows
}

/**
 * Returns the condition for a check `c` that was deleted long ago and has no assignment or incident. It can still have results or
 * a history.
 */
const isBare = (now: GatedTime) => sql`c.deleted and c.updated_at < ${now}::timestamptz - interval '30 days'
  and not exists (select from assignments a where a.org_id = c.org_id and a.check_id = c.check_id)
  and not exists (select from incidents i where i.org_id = c.org_id and i.check_id = c.check_id)`

/** Returns the checks that have neither results nor a history. */
async function withoutHistory(db: Db, keys: readonly CheckKey[]): Promise<CheckKey[]> {
  return askByOrg(
    db,
    keys,
    (some, org) => sql<CheckKey>`
    select k.org_id, k.check_id from ${keyRows(some)}
    where not exists (select 1 from rollups r where r.org_id = ${org} and r.check_id = k.check_id)
      and not exists (select 1 from rollups_daily r where r.org_id = ${org} and r.check_id = k.check_id)
      and not exists (select 1 from results r where r.org_id = ${org} and r.check_id = k.check_id)
      and not exists (select 1 from reopened_results r where r.org_id = ${org} and r.check_id = k.check_id)
      and not exists (select 1 from sealed_hours h where h.org_id = ${org} and h.check_id = k.check_id)
    order by k.org_id, k.check_id`,
  )
}
