// What the judging of checks reads and writes: their rules, their latest results, and the rows that it holds meanwhile.
import { sql } from 'kysely'
import type { Db } from './database.ts'

export interface CheckKey {
  org_id: number
  check_id: number
}

/** What must be known of a check to judge it. */
export interface CheckCase extends CheckKey {
  guid: string
  name: string
  url: string
  org_name: string
  /** Failures in a row that make it down. */
  threshold: number
  /** Whether anybody wants to hear of it: enabled, not deleted. */
  is_live: boolean
  /** Of the open incident. */
  incident_id: string | null
  down_since: string | null
}

export interface LatestResult extends CheckKey {
  ran_at: string
  monitor_id: string
  monitor_name: string
  success: boolean
  latency_ms: number
  http_status: number
  error: string | null
}

export interface ActiveMonitor extends CheckKey {
  id: string
  name: string
}

/**
 * Holds checks to the end of the transaction, so that nobody else judges them meanwhile. What others stored before is seen
 * by statements after this one, and by no earlier one.
 */
export async function lockChecksToJudge(db: Db, keys: readonly CheckKey[]): Promise<void> {
  // In key order: two batches with checks in common wait for each other, and do not lock each other out.
  await sql`
    insert into check_states (org_id, check_id)
    select org_id, check_id from ${given(keys)} order by org_id, check_id
    on conflict (org_id, check_id) do update set rejudge_at = check_states.rejudge_at`.execute(db)
}

export async function listCases(db: Db, keys: readonly CheckKey[]): Promise<CheckCase[]> {
  const { rows } = await sql<CheckCase>`
    select c.org_id, c.check_id, c.guid, c.name, c.url, o.name as org_name,
      greatest(c.down_interval_sec, 1) as threshold, c.enabled and not c.deleted as is_live,
      i.incident_id, wire_time(i.began_at) as down_since
    from ${given(keys)}
    join checks c using (org_id, check_id)
    join organisations o using (org_id)
    left join incidents i on i.org_id = c.org_id and i.check_id = c.check_id and i.ended_at is null`.execute(db)
  return rows
}

/** How far to read back, and how many results of each check. */
export interface Reach {
  until: string
  since: string
  limits: readonly number[]
}

/** The newest results of each check up to an instant, newest first. */
export async function listLatestResults(db: Db, keys: readonly CheckKey[], reach: Reach): Promise<LatestResult[]> {
  const { rows } = await sql<LatestResult>`
    select k.org_id, k.check_id, wire_time(r.ran_at) as ran_at, r.monitor_id, coalesce(m.name, '') as monitor_name,
      r.success, r.latency_ms, r.http_status, r.error
    from unnest(${keys.map((key) => key.org_id)}::bigint[], ${keys.map((key) => key.check_id)}::bigint[],
      ${[...reach.limits]}::integer[]) as k(org_id, check_id, wanted)
    cross join lateral (
      select ran_at, monitor_id, success, latency_ms, http_status, left(error, 1000) as error from results
      where org_id = k.org_id and check_id = k.check_id and ran_at <= ${reach.until}::timestamptz
        and ran_at > ${reach.since}::timestamptz
      order by ran_at desc, monitor_id desc limit k.wanted) r
    left join monitors m on m.id = r.monitor_id
    order by k.org_id, k.check_id, r.ran_at desc, r.monitor_id desc`.execute(db)
  return rows
}

/** The monitors whose turn comes: assigned, enabled, not disabled by the platform; by id. */
export async function listActiveMonitors(db: Db, keys: readonly CheckKey[]): Promise<ActiveMonitor[]> {
  const { rows } = await sql<ActiveMonitor>`
    select a.org_id, a.check_id, m.id, m.name
    from ${given(keys)}
    join assignments a using (org_id, check_id)
    join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
    where a.active
    order by a.org_id, a.check_id, m.id`.execute(db)
  return rows
}

/** When the first result after an instant ran, of each check that has one. */
export async function listFirstAfter(
  db: Db,
  keys: readonly CheckKey[],
  after: string,
): Promise<(CheckKey & { ran_at: string })[]> {
  const { rows } = await sql<CheckKey & { ran_at: string }>`
    select k.org_id, k.check_id, wire_time(first.ran_at) as ran_at
    from ${given(keys)}
    cross join lateral (
      select ran_at from results where org_id = k.org_id and check_id = k.check_id and ran_at > ${after}::timestamptz
      order by ran_at limit 1) first`.execute(db)
  return rows
}

/**
 * Sets when checks are to be judged again; null: when their next result comes. What was planned for after `now` by somebody
 * before stays if it is sooner.
 */
export async function updateRejudgeAt(
  db: Db,
  checks: readonly (CheckKey & { rejudge_at: string | null })[],
  now: string,
): Promise<void> {
  await sql`
    update check_states s set
      rejudge_at = least(k.rejudge_at, case when s.rejudge_at > ${now}::timestamptz then s.rejudge_at end)
    from unnest(${checks.map((check) => check.org_id)}::bigint[], ${checks.map((check) => check.check_id)}::bigint[],
      ${checks.map((check) => check.rejudge_at)}::timestamptz[]) as k(org_id, check_id, rejudge_at)
    where s.org_id = k.org_id and s.check_id = k.check_id
      and s.rejudge_at is distinct from k.rejudge_at`.execute(db)
}

/** Has what results quote of checks wiped until then, by whoever gets to it. */
export async function updateWipeUntil(
  db: Db,
  { org_id, check_id }: CheckKey,
  wipe_until: string | null,
): Promise<void> {
  await db
    .updateTable('check_states')
    .set({ wipe_until })
    .where('org_id', '=', org_id)
    .where('check_id', '=', check_id)
    .execute()
}

/** The checks whose results are to be wiped, and until when. */
export async function listChecksToWipe(db: Db): Promise<(CheckKey & { wipe_until: string })[]> {
  const { rows } = await sql<CheckKey & { wipe_until: string }>`
    select org_id, check_id, wire_time(wipe_until) as wipe_until from check_states
    where wipe_until is not null order by wipe_until limit 100`.execute(db)
  return rows
}

/** Of each check: the row of equal outcomes that its newest results make, as far back as `limit` results. */
export async function listStreaks(
  db: Db,
  keys: readonly CheckKey[],
  until: string,
  limit: number,
): Promise<(CheckKey & { began_at: string; length: number })[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<CheckKey & { began_at: string; length: number }>`
    select k.org_id, k.check_id, wire_time(run.began_at) as began_at, run.length
    from ${given(keys)}
    cross join lateral (
      select min(ran_at) as began_at, count(*)::integer as length
      from (
        select ran_at, bool_or(success <> newest) over (order by ran_at desc, monitor_id desc) as is_past
        from (
          select ran_at, monitor_id, success, first_value(success) over (order by ran_at desc, monitor_id desc) as newest
          from results
          where org_id = k.org_id and check_id = k.check_id and ran_at <= ${until}::timestamptz
          order by ran_at desc, monitor_id desc limit ${limit}) latest) marked
      where not is_past) run
    where run.length > 0`.execute(db)
  return rows
}

/** Lets checks be judged again at once, whatever was planned. `now` may be wrong: the earlier of it and the database's time counts. */
export async function judgeSoon(db: Db, keys: readonly CheckKey[], now: string): Promise<void> {
  await sql`
    update check_states s set rejudge_at = least(s.rejudge_at, ${now}::timestamptz, database_time())
    from ${given(keys)} where s.org_id = k.org_id and s.check_id = k.check_id`.execute(db)
}

export async function putOffRejudging(db: Db, { org_id, check_id }: CheckKey, rejudge_at: string): Promise<void> {
  await db
    .updateTable('check_states')
    .set({ rejudge_at })
    .where('org_id', '=', org_id)
    .where('check_id', '=', check_id)
    .execute()
}

/** Checks that are to be judged again by now. Those that somebody else holds are left to them. */
export async function claimChecksToRejudge(db: Db, now: string, limit: number): Promise<CheckKey[]> {
  const { rows } = await sql<CheckKey>`
    select org_id, check_id from check_states where rejudge_at <= ${now}::timestamptz
    order by org_id, check_id limit ${limit} for update skip locked`.execute(db)
  return rows
}

function given(keys: readonly CheckKey[]) {
  return sql`unnest(${keys.map((key) => key.org_id)}::bigint[], ${keys.map((key) => key.check_id)}::bigint[])
    as k(org_id, check_id)`
}
