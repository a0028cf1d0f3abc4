// Plans when checks are judged again, and stores which results judging waits for.
import { sql } from 'kysely'
import { notSuspendedSql } from '../accounts/suspension.ts'
import { PREPARED } from '../asking.ts'
import { type CheckKey, KEY_COLUMNS, keyRows } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { rowsSql } from '../rows-sql.ts'
import { IS_ONLINE } from './check-health.ts'

/**
 * Plans when to judge checks again: at a time, or with their next result if `rejudge_at` is null. An earlier plan stays if its
 * time is after `now` and sooner.
 */
export async function updateRejudgeAt(
  db: Db,
  checks: readonly (CheckKey & { rejudge_at: string | null })[],
  now: string,
): Promise<void> {
  await sql`${sql.raw(PREPARED)}
    update check_states s set
      rejudge_at = least(k.rejudge_at, case when s.rejudge_at > ${now}::timestamptz then s.rejudge_at end)
    from ${rowsSql(checks, { ...KEY_COLUMNS, rejudge_at: 'timestamptz' })}
    where s.org_id = k.org_id and s.check_id = k.check_id
      and s.rejudge_at is distinct from k.rejudge_at`.execute(db)
}

/** Postpones judging checks, for results of runs from `from` on. Locks the checks. */
export async function putOffJudging(
  db: Db,
  checks: readonly (CheckKey & { from: string })[],
  now: string,
): Promise<void> {
  await sql`
    insert into check_states as s (org_id, check_id, late_since, late_from)
    select org_id, check_id, ${now}::timestamptz, k."from"
    from ${rowsSql(checks, { ...KEY_COLUMNS, from: 'timestamptz' })}
    order by org_id, check_id
    on conflict (org_id, check_id) do update set late_since = coalesce(s.late_since, excluded.late_since),
      late_from = least(s.late_from, excluded.late_from)`.execute(db)
}

/** Clears postponed judging, because the caller judges the checks now. The caller must hold the locks of the checks. */
export async function forgetPutOff(db: Db, keys: readonly CheckKey[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    update check_states s set late_since = null, late_from = null from ${keyRows(keys)}
    where s.org_id = k.org_id and s.check_id = k.check_id`.execute(db)
}

/**
 * Makes checks due for judging that waited until a monitor had uploaded its older results. Does not wait for locks: for a locked
 * check, it stores a batch to judge later.
 */
export async function releasePutOff(db: Db, monitor_id: string, now: string): Promise<void> {
  await sql`
    with put_off as materialized (
      select s.org_id, s.check_id, coalesce(s.late_from, s.late_since) as late_from from check_states s
      join assignments a on a.org_id = s.org_id and a.check_id = s.check_id and a.monitor_id = ${monitor_id} and a.active
      where s.late_since is not null
    ), free as materialized (
      select s.org_id, s.check_id from put_off join check_states s using (org_id, check_id)
      order by s.org_id, s.check_id for update of s skip locked
    ), released as (
      update check_states s set rejudge_at = ${now}::timestamptz from free
      where s.org_id = free.org_id and s.check_id = free.check_id
    )
    insert into unjudged_batches (org_id, check_id, monitor_id, due_at, oldest_at, is_catching_up, late)
    select p.org_id, p.check_id, ${monitor_id}::text, '-infinity', p.late_from, false, '{}' from put_off p
    where not exists (select from free where free.org_id = p.org_id and free.check_id = p.check_id)`.execute(db)
}

/**
 * Makes checks due for judging at once, whatever was planned. Uses `-infinity` as their time, because the clock of this process
 * might be wrong.
 */
export async function judgeSoon(db: Db, keys: readonly CheckKey[]): Promise<void> {
  await sql`
    update check_states s set rejudge_at = '-infinity'
    from ${keyRows(keys)} where s.org_id = k.org_id and s.check_id = k.check_id`.execute(db)
}

/** Records which monitors counted when checks were judged. The caller must hold the locks of the checks. */
export async function updateQuorums(
  db: Db,
  checks: readonly (CheckKey & {
    online: readonly string[]
    since: string | null
    turns: number | null
    left: Record<string, string>
  })[],
): Promise<void> {
  if (checks.length === 0) return
  // Joins the ids with spaces, which ids never contain, because an array of arrays must be rectangular.
  const rows = checks.map((check) => ({ ...check, online: check.online.join(' ') }))
  const columns = { ...KEY_COLUMNS, online: 'text', since: 'timestamptz', turns: 'integer', left: 'jsonb' } as const
  await sql`
    update check_states s set quorum = string_to_array(k.online, ' '), quorum_since = k.since, quorum_turns = k.turns,
      quorum_left = k."left"
    from ${rowsSql(rows, columns)}
    where s.org_id = k.org_id and s.check_id = k.check_id`.execute(db)
}

/** Makes checks due for judging if other monitors count now than when they were last judged. */
export async function judgeOtherQuorums(db: Db): Promise<void> {
  await sql`
    with other as materialized (
      select s.org_id, s.check_id from check_states s
      join checks c on c.org_id = s.org_id and c.check_id = s.check_id
      where s.quorum is not null and c.enabled and not c.deleted and (c.down_majority or c.down_places > 0)
        and ${notSuspendedSql('s')} and (s.rejudge_at is null or s.rejudge_at > '-infinity') and s.quorum <> array(
          select m.id from assignments a join monitors m on m.id = a.monitor_id
          where a.org_id = s.org_id and a.check_id = s.check_id and a.active and ${IS_ONLINE} order by m.id)
      order by s.org_id, s.check_id for update of s skip locked
    )
    update check_states s set rejudge_at = '-infinity' from other
    where s.org_id = other.org_id and s.check_id = other.check_id`.execute(db)
}

export async function putOffRejudging(db: Db, keys: readonly CheckKey[], rejudge_at: string): Promise<void> {
  await sql`
    with held as (
      select s.org_id, s.check_id from check_states s join ${keyRows(keys)} using (org_id, check_id)
      order by s.org_id, s.check_id for update of s
    )
    update check_states s set rejudge_at = ${rejudge_at}::timestamptz from held
    where s.org_id = held.org_id and s.check_id = held.check_id`.execute(db)
}

/**
 * Returns the time of the next planned judging, which can be in the past, or `-infinity` if a check is due whatever the time is.
 * Returns undefined if none is planned.
 */
export async function readNextRejudging(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ rejudge_at: string | null }>`
    select wire_time(n.rejudge_at) as rejudge_at
    from (select least((select min(rejudge_at) from check_states), (select min(due_at) from unjudged_batches)) as rejudge_at) n
    where n.rejudge_at is not null`.execute(db)
  const [row] = rows
  // `wire_time` returns null for an infinite time.
  return row && (row.rejudge_at ?? '-infinity')
}

/** Claims checks that are due for judging. Skips those that another process has locked. */
export async function claimChecksToRejudge(db: Db, now: string, limit: number): Promise<CheckKey[]> {
  const { rows } = await sql<CheckKey>`
    select org_id, check_id from check_states where rejudge_at <= ${now}::timestamptz and ${notSuspendedSql('check_states')}
    order by org_id, check_id limit ${limit} for update skip locked`.execute(db)
  return rows
}
