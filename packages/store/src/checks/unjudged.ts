// Stores batches that wait to be judged, because another process had locked their checks while their results were stored.
import { sql } from 'kysely'
import { type CheckKey, KEY_COLUMNS, keyRows } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { rowsSql } from '../rows-sql.ts'

/** Results of one check in an uploaded batch that a process still has to judge. */
export interface UnjudgedResults extends CheckKey {
  /** Time of the oldest of these runs, by the server's clock. Null if they do not require judging the check. */
  oldest_at: string | null
  /** Times of those runs whose results arrived too late for jobs that read results by arrival. */
  late: readonly string[]
}

export interface HowLeft {
  /** Earliest time at which to judge. `-infinity` means at once. */
  due_at: string
  is_catching_up: boolean
}

/** Leaves results of checks to the next process that judges these checks. Does not wait for locks. */
export async function leaveUnjudged(
  db: Db,
  monitor_id: string,
  left: readonly UnjudgedResults[],
  { due_at, is_catching_up }: HowLeft,
): Promise<void> {
  if (left.length === 0) return
  const rows = left.map(({ org_id, check_id, oldest_at, late }) => ({ org_id, check_id, oldest_at, late }))
  await sql`
    insert into unjudged_batches (org_id, check_id, monitor_id, due_at, oldest_at, is_catching_up, late)
    select k.org_id, k.check_id, ${monitor_id}::text, ${due_at}::timestamptz, k.oldest_at, ${is_catching_up}::boolean, k.late
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as k(org_id bigint, check_id bigint, oldest_at timestamptz, late timestamptz[])`.execute(db)
}

/** Lists the next checks after `after` that have results due for judging. */
export async function listUnjudged(
  db: Db,
  now: string,
  after: CheckKey | undefined,
  limit: number,
): Promise<CheckKey[]> {
  const { rows } = await sql<CheckKey>`
    select distinct org_id, check_id from unjudged_batches
    where due_at <= ${now}::timestamptz
      ${after ? sql`and (org_id, check_id) > (${after.org_id}::bigint, ${after.check_id}::bigint)` : sql``}
    order by org_id, check_id limit ${limit}`.execute(db)
  return rows
}

/** Locks and returns those of the given checks that no other transaction has locked. */
export async function lockFreeChecks(db: Db, keys: readonly CheckKey[]): Promise<CheckKey[]> {
  const { rows } = await sql<CheckKey>`
    select s.org_id, s.check_id from ${keyRows(keys)} join check_states s using (org_id, check_id)
    order by s.org_id, s.check_id for update of s skip locked`.execute(db)
  return rows
}

export interface UnjudgedBatch extends UnjudgedResults {
  monitor_id: string
  is_catching_up: boolean
}

/** Deletes and returns the results of these checks that are due for judging. The caller must hold the locks of the checks. */
export async function takeUnjudged(db: Db, keys: readonly CheckKey[], now: string): Promise<UnjudgedBatch[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<UnjudgedBatch>`
    delete from unjudged_batches u using ${keyRows(keys)}
    where u.org_id = k.org_id and u.check_id = k.check_id and u.due_at <= ${now}::timestamptz
    returning u.org_id, u.check_id, u.monitor_id, u.is_catching_up, wire_time(u.oldest_at) as oldest_at,
      array(select wire_time(l.ran_at) from unnest(u.late) as l(ran_at)) as late`.execute(db)
  return rows
}

/**
 * Makes the checks of batches due for judging at once. If a monitor was still uploading older results, judging waits until it has
 * done so.
 */
export async function judgeBatches(db: Db, batches: readonly UnjudgedBatch[], now: string): Promise<void> {
  if (batches.length === 0) return
  await sql`
    update check_states s set late_from = least(s.late_from, k.late_from), rejudge_at = '-infinity',
      late_since = case when k.is_put_off then coalesce(s.late_since, ${now}::timestamptz) else s.late_since end
    from (
      select org_id, check_id, min(oldest_at) as late_from, bool_or(is_catching_up) as is_put_off
      from ${rowsSql(batches, { ...KEY_COLUMNS, oldest_at: 'timestamptz', is_catching_up: 'boolean' })}
      where oldest_at is not null group by org_id, check_id) k
    where s.org_id = k.org_id and s.check_id = k.check_id`.execute(db)
}
