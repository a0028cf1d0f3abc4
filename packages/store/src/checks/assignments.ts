// Stores which monitor runs which check.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { IS_ASSIGNED_SQL } from '../is-assigned.ts'
import type { CheckPlace } from './checks.ts'

/**
 * Assigns checks to monitors where that is allowed: a private monitor runs checks of its own organisation, a shared one runs
 * unrestricted checks, and none runs checks that the server judges. Existing assignments stay as they are.
 */
export async function assign(
  db: Db,
  checks: readonly CheckPlace[],
  monitors: readonly string[] | 'all',
): Promise<void> {
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

/** Removes checks from monitors. The assignments stay as tombstones, so that each monitor learns to stop. */
export async function unassign(
  db: Db,
  checks: readonly CheckPlace[],
  monitors: readonly string[] | 'all',
): Promise<void> {
  await sql`
    update assignments a set active = false, unable = false
    where org_id = any(${orgsOf(checks)}::bigint[])
      and check_id = any(${checks.map((check) => check.check_id)}::bigint[]) and ${IS_ASSIGNED_SQL}
      and (${monitors === 'all'} or monitor_id = any(${monitors === 'all' ? [] : [...monitors]}::text[]))`.execute(db)
}

/** Removes checks from the shared fleet, because they became restricted. */
export async function unassignShared(db: Db, org_id: number, check_ids: readonly number[]): Promise<void> {
  if (check_ids.length === 0) return
  await sql`
    update assignments a set active = false, unable = false from monitors m
    where a.org_id = ${org_id} and a.check_id = any(${[...check_ids]}::bigint[]) and ${IS_ASSIGNED_SQL}
      and m.id = a.monitor_id and m.org_id is null`.execute(db)
}

/** Removes checks from every monitor except these. */
export async function unassignOthers(db: Db, checks: readonly CheckPlace[], kept: readonly string[]): Promise<void> {
  await sql`
    update assignments a set active = false, unable = false
    where org_id = any(${orgsOf(checks)}::bigint[])
      and check_id = any(${checks.map((check) => check.check_id)}::bigint[]) and ${IS_ASSIGNED_SQL}
      and monitor_id <> all(${[...kept]}::text[])`.execute(db)
}

function orgsOf(checks: readonly CheckPlace[]): number[] {
  return [...new Set(checks.map(({ org_id }) => org_id))]
}
