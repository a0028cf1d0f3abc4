// Stores which monitor runs which check.
import { type RawBuilder, sql } from 'kysely'
import type { CheckKey } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { IS_ASSIGNED_SQL } from '../is-assigned.ts'

/**
 * Assigns checks to monitors where that is allowed: a private monitor runs checks of its own organisation, a shared one runs
 * unrestricted checks, and none runs checks that the server judges. Existing assignments stay as they are.
 */
export async function assign(db: Db, checks: readonly CheckKey[], monitors: readonly string[] | 'all'): Promise<void> {
  if (checks.length === 0) return
  await sql`
    insert into assignments as a (monitor_id, guid, org_id, check_id, active, result_detail_max_chars)
    select m.id, c.guid, c.org_id, c.check_id, true, c.result_detail_max_chars
    from monitors m join checks c on m.org_id = c.org_id or (m.org_id is null and not c.restricted)
    where m.retired_at is null and c.org_id = any(${orgsOf(checks)}::bigint[])
      and c.check_id = any(${checks.map((check) => check.check_id)}::bigint[]) and not c.deleted and not c.judged_by_server
      and (${monitors === 'all'} or m.id = any(${monitors === 'all' ? [] : [...monitors]}::text[]))
    order by m.id, c.guid
    on conflict (monitor_id, guid) do update set active = true where not ${IS_ASSIGNED_SQL}`.execute(db)
}

/**
 * Removes checks from monitors: from all, from the shared fleet, from these, or from all except these. The assignments stay as
 * tombstones, so that each monitor learns to stop.
 */
export async function unassign(
  db: Db,
  checks: readonly CheckKey[],
  monitors: readonly string[] | 'all' | 'shared' | { except: readonly string[] },
): Promise<void> {
  if (checks.length === 0) return
  await sql`
    update assignments a set active = false, unable = false
    where org_id = any(${orgsOf(checks)}::bigint[])
      and check_id = any(${checks.map((check) => check.check_id)}::bigint[]) and ${IS_ASSIGNED_SQL}
      and ${amongSql(monitors)}`.execute(db)
}

function amongSql(monitors: Parameters<typeof unassign>[2]): RawBuilder<unknown> {
  if (monitors === 'all') return sql`true`
  if (monitors === 'shared') return sql`monitor_id in (select id from monitors where org_id is null)`
  return 'except' in monitors
    ? sql`monitor_id <> all(${[...monitors.except]}::text[])`
    : sql`monitor_id = any(${[...monitors]}::text[])`
}

function orgsOf(checks: readonly CheckKey[]): number[] {
  return [...new Set(checks.map(({ org_id }) => org_id))]
}
