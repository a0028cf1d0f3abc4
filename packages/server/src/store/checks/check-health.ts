// Reads and writes what judging checks needs: their rules, their latest results, and the rows it locks.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { askByOrg, askTheirNodes, isDistributed } from '../layout.ts'
import { PREPARED } from '../asking.ts'
import { unseen } from '../builder-pool.ts'
import { resultsOf } from '../stored/results-of.ts'
import type { RunColumn } from '../stored/sealed-form.ts'
import {
  isUnshifted,
  readHowStored,
  readHowStoredAfter,
  type ResultStorage,
  shiftedResult,
  type Within,
  within,
} from './shifted.ts'

export interface CheckKey {
  org_id: number
  check_id: number
}

/** Everything that judging a check needs. */
export interface CheckCase extends CheckKey {
  guid: string
  name: string
  url: string
  org_name: string
  /** Failures in a row that take the check down. */
  threshold: number
  interval_sec: number
  /** Number of active monitors, at least one. */
  monitors: number
  /** Number of monitors that must fail. 0 means any, unless it takes a majority. */
  down_places: number
  down_majority: boolean
  /** Successes in a row that bring the check up. 0 means one. */
  up_successes: number
  /** Whether the check is enabled and not deleted. */
  is_live: boolean
  /** Open incident, which began at `down_since`. Both are null while the check is not down. */
  incident_id: string | null
  /** Time since which a person takes care of that incident, and who does. */
  acknowledged_at: string | null
  acknowledged_by: string | null
  down_since: string | null
  /** Rules that took the check down. Null if they were not recorded. */
  judged_by: string | null
  /** End of the last closed incident. */
  last_ended_at: string | null
  /** Results that ran before this time no longer count. */
  judged_from: string | null
  /** Time at which judging was postponed, for results from `late_from` on. */
  late_since: string | null
  late_from: string | null
  /** Monitors that are catching up. */
  late_monitors: string[]
  /** Active monitors that are online, sorted. */
  online: string[]
  /** Monitors that counted when the check was last judged, if several must fail. Null if it was not. */
  quorum: string[] | null
  /** Time at which the quorum last changed. `quorum_turns`: number of monitors that took turns before. */
  quorum_since: string | null
  quorum_turns: number | null
  /** Times at which monitors last stopped counting, by id. */
  quorum_left: Record<string, string>
  is_unmonitored: boolean
  /** Reason why alerts about the open incident are withheld. Null if one was sent, and without an incident. */
  held_by: string | null
  /** Whether the check never counts as flapping. */
  alert_every_change: boolean
  /** Times at which the check last went down or came up: at most the five newest, oldest first. */
  changes: string[]
  flapping_since: string | null
  change_count: number
  /** Whether there is a plan to judge the check again. */
  is_planned: boolean
}

/** The part of a result that decides a verdict. */
export interface ResultToJudge extends CheckKey {
  /** Time of the run by the server's clock. */
  at: string
  monitor_id: string
  success: boolean
}

export interface LatestResult extends CheckKey {
  /** Time of the run by the server's clock. */
  at: string
  /** Time of the run as the agent sent it. */
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

/** Condition for monitors (`m`) that are active and online. It relies on the presence chore, which excuses our own outages. */
export const IS_ONLINE = sql`m.enabled and m.platform_enabled and m.key_hash is not null
  and (m.offline_since is null or m.last_seen_at > m.offline_since)`

const locking = (keys: readonly CheckKey[], judged_at?: string) =>
  // In key order: two batches that share checks wait for each other instead of deadlocking.
  sql`${sql.raw(PREPARED)}
    insert into check_states (org_id, check_id, judged_at)
    select org_id, check_id, ${judged_at ?? null}::timestamptz from ${unseenKeys(keys)} order by org_id, check_id
    on conflict (org_id, check_id) do update set
      judged_at = coalesce(excluded.judged_at, check_states.judged_at)`

/**
 * Locks checks until the transaction ends, so that no one else judges them. Later statements see what others stored before, but
 * earlier ones might not.
 */
export async function lockChecksToJudge(db: Db, keys: readonly CheckKey[]): Promise<void> {
  await locking(keys).execute(db)
}

/** Locks checks that are judged at `judged_at`, and returns what judging needs. */
export async function lockCases(
  db: Db,
  keys: readonly CheckKey[],
  judged_at: string,
): Promise<{ cases: CheckCase[]; stored: ResultStorage }> {
  const { stored, rows } = await readHowStoredAfter(db, [locking(keys, judged_at), listing(keys)], keys)
  return { cases: rows[1] as CheckCase[], stored }
}

export async function listCases(db: Db, keys: readonly CheckKey[]): Promise<CheckCase[]> {
  return (await listing(keys).execute(db)).rows
}

const listing = (keys: readonly CheckKey[]) => sql<CheckCase>`${sql.raw(PREPARED)}
    select c.org_id, c.check_id, c.guid, c.name, c.url, o.name as org_name, c.interval_sec, m.monitors, m.late_monitors,
      m.online, s.quorum, wire_time(s.quorum_since) as quorum_since, s.quorum_turns,
      coalesce(s.quorum_left, '{}') as quorum_left,
      greatest(c.down_interval_sec, 1) as threshold, c.down_places, c.down_majority, c.up_successes,
      c.enabled and not c.deleted as is_live, i.incident_id, wire_time(i.began_at) as down_since,
      wire_time(i.acknowledged_at) as acknowledged_at, i.acknowledged_by, i.held_by,
      i.verdict ->> 'rules' as judged_by, wire_time(over.ended_at) as last_ended_at,
      s.unmonitored_since is not null as is_unmonitored, c.alert_every_change, coalesce(s.changes, '[]') as changes,
      wire_time(s.flapping_since) as flapping_since, coalesce(s.change_count, 0) as change_count,
      wire_time(s.judged_from) as judged_from, wire_time(s.late_since) as late_since, wire_time(s.late_from) as late_from,
      s.rejudge_at is not null as is_planned
    from ${unseenKeys(keys)}
    join checks c using (org_id, check_id)
    join organisations o using (org_id)
    left join check_states s using (org_id, check_id)
    left join incidents i on i.org_id = c.org_id and i.check_id = c.check_id and i.ended_at is null
    left join lateral (
      select ended_at from incidents
      where org_id = c.org_id and check_id = c.check_id and ended_at is not null
      order by began_at desc limit 1) over on true
    cross join lateral (
      select greatest(count(*) filter (where m.enabled and m.platform_enabled), 1)::integer as monitors,
        coalesce(array_agg(m.id) filter (where m.catching_up), '{}') as late_monitors,
        coalesce(array_agg(m.id order by m.id) filter (where ${IS_ONLINE}), '{}') as online
      from assignments a join monitors m on m.id = a.monitor_id
      where a.org_id = c.org_id and a.check_id = c.check_id and a.active) m`

/** Range of a check's results: the newest `limit` of those that ran from `since` on and before `before`. */
export interface Span extends CheckKey {
  since: string
  before: string
  limit: number
}

/** Lists results by the server's clock, newest first. Returns none that is older than `since`. */
export async function listResultsToJudge(
  db: Db,
  spans: readonly Span[],
  since: string,
  stored: ResultStorage,
): Promise<ResultToJudge[]> {
  const ofOpen = await listOfOpenHours(db, spans, since, stored)
  if (ofOpen) return ofOpen
  // A node plans a statement for each of its organisations, and a plan for any time opens every sealed day.
  const isPlannedAnew = stored.isSealed || (await isDistributed(db))
  const [begin, listed] = isPlannedAnew ? [sql``, undefined] : [sql.raw(PREPARED), unseen]
  return askTheirNodes(
    db,
    spans,
    (some, org) => sql<ResultToJudge>`${begin}
    select k.org_id, k.check_id, wire_time(r.at) as at, r.monitor_id, r.success
    from ${spansOf(some, listed)} cross join lateral (${inOrder(org, [], within(some, since), stored)}) r
    order by k.org_id, k.check_id, r.at desc, r.monitor_id desc`,
  )
}

/** Maximum age of results that are usually in open hours, in milliseconds. An hour is closed ten minutes after its end. */
const OPEN_MS = 70 * 60_000

/**
 * Lists results from rows alone, by a prepared statement, where one Postgres has sealed hours. Returns undefined if a sealed or
 * closed hour ends after `since`, if results are shifted, or if there are none.
 */
async function listOfOpenHours(
  db: Db,
  spans: readonly Span[],
  since: string,
  { isSealed, areShifted }: ResultStorage,
): Promise<ResultToJudge[] | undefined> {
  // A shifted result may be in any hour.
  if (isSealed !== true || areShifted) return undefined
  const bounds = within(spans, since)
  if (!(Date.parse(bounds.before) - Date.parse(since) < OPEN_MS)) return undefined
  const ofRows = inOrder(sql`k.org_id`, [], bounds, { isSealed: false, areShifted })
  // What comes late for an hour that is closed is in reopened_results. While sealing is undone, `announced` is taken back last.
  const { rows } = await sql<ResultToJudge>`${sql.raw(PREPARED)} /* one node */
    select k.org_id, k.check_id, wire_time(r.at) as at, r.monitor_id, r.success
    from seal_progress p cross join ${spansOf(spans, unseen)} cross join lateral (${ofRows}) r
    where greatest(p.announced, p.closed, p.sealed_until) <= ${since}::timestamptz
    order by k.org_id, k.check_id, r.at desc, r.monitor_id desc`.execute(db)
  return rows.length > 0 ? rows : undefined
}

/** Lists the results of a check after one of them and up to an instant, by the server's clock, oldest first. */
export async function listResultsAfter(
  db: Db,
  { org_id, check_id }: CheckKey,
  after: { at: string; monitor_id: string },
  until: string,
  limit: number,
): Promise<ResultToJudge[]> {
  const { isSealed, areShifted } = await readHowStored(db, [{ org_id }])
  const [org, check] = [sql`${org_id}`, sql`${check_id}`]
  const [from, last] = [sql`${after.at}::timestamptz`, sql`${until}::timestamptz`]
  const unshifted = resultsOf(
    {
      columns: ['ran_at', 'monitor_id', 'success'],
      ...{ org, check, from, until: last },
      where: sql`r.ran_at >= ${from} and r.ran_at <= ${last} and (r.ran_at, r.monitor_id) > (${from}, ${after.monitor_id}::text)`,
      ...(areShifted && { which: isUnshifted(org, check) }),
      ...{ order: 'asc', limit: sql`${limit}` },
    },
    isSealed,
  )
  const shifted = areShifted
    ? sql`
      union all
      (select s.effective_at, r.monitor_id, r.success from shifted_results s
        cross join lateral (${shiftedResult(org, ['monitor_id', 'success'], isSealed)}) r
        where s.org_id = ${org_id} and s.check_id = ${check_id} and s.effective_at <= ${last}
          and (s.effective_at, s.monitor_id) > (${from}, ${after.monitor_id}::text)
        order by s.effective_at, s.monitor_id limit ${limit})`
    : sql``
  const { rows } = await sql<ResultToJudge>`
    select ${org_id}::bigint as org_id, ${check_id}::bigint as check_id, wire_time(at) as at, monitor_id, success from (
      (select r.ran_at as at, r.monitor_id, r.success from (${unshifted}) r)${shifted}) u
    order by u.at, u.monitor_id limit ${limit}`.execute(db)
  return rows
}

export function spansOf(spans: readonly Span[], listed = (list: RawBuilder<unknown>) => list) {
  const [orgs, checks] = [spans.map((span) => span.org_id), spans.map((span) => span.check_id)]
  const [since, before] = [spans.map((span) => span.since), spans.map((span) => span.before)]
  return sql`unnest(${listed(sql`${orgs}::bigint[]`)}, ${listed(sql`${checks}::bigint[]`)},
    ${listed(sql`${since}::timestamptz[]`)}, ${listed(sql`${before}::timestamptz[]`)},
    ${listed(sql`${spans.map((span) => span.limit)}::integer[]`)}) as k(org_id, check_id, since, before, wanted)`
}

/**
 * Selects the newest results of one span, including those that a wrong clock shifted. `columns`: in addition to time, monitor and
 * success. `which`: a condition on `r` with these columns.
 */
export function inOrder(
  org: RawBuilder<unknown>,
  columns: readonly RunColumn[],
  { since, before }: Within,
  { isSealed, areShifted }: ResultStorage,
  which?: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const wanted: readonly RunColumn[] = ['ran_at', 'monitor_id', 'success', ...columns]
  const shown = sql.raw(wanted.map((name) => `r.${name}`).join(', '))
  // Of the unshifted results, reads only those that could be among the newest together with the shifted ones. With `which`, the
  // shifted results that it excludes must not count.
  const bound =
    which || !areShifted
      ? sql``
      : sql` and r.ran_at >= coalesce((
            select s.effective_at from shifted_results s
            where s.org_id = ${org} and s.check_id = k.check_id and s.effective_at < k.before
            order by s.effective_at desc offset k.wanted - 1 limit 1), '-infinity')`
  const filters = [...(areShifted ? [isUnshifted(org, sql`k.check_id`)] : []), ...(which ? [which] : [])]
  const unshifted = resultsOf(
    {
      columns: wanted,
      ...{ org, check: 'k.check_id', from: 'k.since', until: 'k.before' },
      ...{ known_from: sql`${since}::timestamptz`, known_until: sql`${before}::timestamptz` },
      where: sql`r.ran_at >= ${since}::timestamptz and r.ran_at < ${before}::timestamptz and r.ran_at >= k.since
        and r.ran_at < k.before${bound}`,
      ...(filters.length > 0 && { which: sql.join(filters, sql` and `) }),
      ...{ order: 'desc', limit: 'k.wanted' },
    },
    isSealed,
  )
  if (!areShifted) return sql`select r.ran_at as at, ${shown} from (${unshifted}) r order by at desc, monitor_id desc`
  return sql`
    select * from (
      (select r.ran_at as at, ${shown} from (${unshifted}) r)
      union all
      (select s.effective_at, ${shown}
        from shifted_results s cross join lateral (${shiftedResult(org, wanted, isSealed, which)}) r
        where s.org_id = ${org} and s.check_id = k.check_id and s.effective_at >= greatest(k.since, ${since}::timestamptz)
          and s.effective_at < k.before
        order by s.effective_at desc, s.monitor_id desc limit k.wanted)) u
    order by at desc, monitor_id desc limit k.wanted`
}

/** Range of the results to read, and their number for each check. */
export interface Reach {
  until: string
  since: string
  limits: readonly number[]
}

function spansBefore(keys: readonly CheckKey[], { until, since, limits }: Reach): Span[] {
  return keys.map((key, index) => ({ ...key, since, before: until, limit: limits[index] ?? 0 }))
}

const latest = (some: readonly Span[], org: RawBuilder<unknown>, since: string, stored: ResultStorage) => sql`
      select k.org_id, k.check_id, r.at, r.ran_at, r.monitor_id, r.success, r.latency_ms, r.http_status, left(r.error, 1000) as error
      from ${spansOf(some)} cross join lateral (${inOrder(org, ['latency_ms', 'http_status', 'error'], within(some, since), stored)}) r`

/** Lists the newest results of each check before an instant, by the server's clock, newest first. */
export async function listLatestResults(db: Db, keys: readonly CheckKey[], reach: Reach): Promise<LatestResult[]> {
  const stored = await readHowStored(db, keys)
  return askByOrg(
    db,
    spansBefore(keys, reach),
    (some, org) => sql<LatestResult>`
    with latest as materialized (${latest(some, org, reach.since, stored)})
    select l.org_id, l.check_id, wire_time(l.at) as at, wire_time(l.ran_at) as ran_at, l.monitor_id,
      coalesce(m.name, '') as monitor_name, l.success, l.latency_ms, l.http_status, l.error
    from latest l left join monitors m on m.id = l.monitor_id
    order by l.org_id, l.check_id, l.at desc, l.monitor_id desc`,
  )
}

/**
 * Lists the newest results of each check for judging. Queries each node itself, and looks up the names of monitors at the
 * coordinator.
 */
export async function listLatestToJudge(db: Db, keys: readonly CheckKey[], reach: Reach): Promise<LatestResult[]> {
  if (!(await isDistributed(db))) return listLatestResults(db, keys, reach)
  const stored = await readHowStored(db, keys)
  const found = await askTheirNodes(
    db,
    spansBefore(keys, reach),
    (some, org) => sql<Omit<LatestResult, 'monitor_name'>>`
    select l.org_id, l.check_id, wire_time(l.at) as at, wire_time(l.ran_at) as ran_at, l.monitor_id, l.success, l.latency_ms,
      l.http_status, l.error
    from (${latest(some, org, reach.since, stored)}) l
    order by l.org_id, l.check_id, l.at desc, l.monitor_id desc`,
  )
  if (found.length === 0) return []
  const ids = [...new Set(found.map(({ monitor_id }) => monitor_id))]
  const monitors = await db.selectFrom('monitors').select(['id', 'name']).where('id', 'in', ids).execute()
  const names = new Map(monitors.map(({ id, name }) => [id, name]))
  return found.map((row) => ({ ...row, monitor_name: names.get(row.monitor_id) ?? '' }))
}

/** Lists the monitors that take turns, by id: assigned, enabled, and not disabled by the platform. */
export async function listActiveMonitors(db: Db, keys: readonly CheckKey[]): Promise<ActiveMonitor[]> {
  const { rows } = await sql<ActiveMonitor>`
    select a.org_id, a.check_id, m.id, m.name
    from ${keyRows(keys)}
    join assignments a using (org_id, check_id)
    join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
    where a.active
    order by a.org_id, a.check_id, m.id`.execute(db)
  return rows
}

/** Lets any process wipe quotes in the results of checks until a time, or none if that is null. */
export async function updateWipeUntil(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  wipe_until: string | null,
): Promise<void> {
  await db
    .updateTable('check_states')
    .set({ wipe_until })
    .where('org_id', '=', org_id)
    .where('check_id', '=', sql<number>`any(${[...check_ids]}::bigint[])`)
    .execute()
}

/** Lists the checks whose results must be wiped, and until when: some of all organisations, or these of one. */
export async function listChecksToWipe(
  db: Db,
  only?: { org_id: number; guids: readonly string[] },
): Promise<(CheckKey & { guid: string; wipe_until: string })[]> {
  const isOne =
    only === undefined
      ? sql``
      : sql`and org_id = ${only.org_id}
          and c.guid = any(${[...only.guids]}::text[])`
  const { rows } = await sql<CheckKey & { guid: string; wipe_until: string }>`
    select org_id, check_id, c.guid, wire_time(wipe_until) as wipe_until
    from check_states join checks c using (org_id, check_id)
    where wipe_until is not null ${isOne} order by wipe_until ${only === undefined ? sql`limit 100` : sql``}`.execute(
    db,
  )
  return rows
}

/**
 * Stops results before an instant from counting, and forgets postponed judging. An open incident stays open, because nothing
 * shows that the check is up. The caller must hold the lock of the check.
 */
export async function updateJudgedFrom(db: Db, { org_id, check_id }: CheckKey, judged_from: string): Promise<void> {
  await updateAllJudgedFrom(db, org_id, [check_id], judged_from)
}

/** Stops results of several checks before an instant from counting, like {@link updateJudgedFrom}. */
export async function updateAllJudgedFrom(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  judged_from: string,
): Promise<void> {
  if (check_ids.length === 0) return
  await sql`
    update check_states set judged_from = greatest(judged_from, ${judged_from}::timestamptz), rejudge_at = null,
      late_since = null, late_from = null
    where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[])`.execute(db)
}

/** Stores when checks went down or came up, and since when they are flapping. The caller must hold their locks. */
export async function updateChanges(
  db: Db,
  checks: readonly (CheckKey & {
    changes: readonly string[]
    flapping_since: string | null
    change_count: number
  })[],
): Promise<void> {
  if (checks.length === 0) return
  await sql`
    update check_states s set changes = k.changes, flapping_since = k.flapping_since, change_count = k.change_count
    from unnest(${checks.map((check) => check.org_id)}::bigint[], ${checks.map((check) => check.check_id)}::bigint[],
      ${checks.map((check) => JSON.stringify(check.changes))}::jsonb[],
      ${checks.map((check) => check.flapping_since)}::timestamptz[],
      ${checks.map((check) => check.change_count)}::integer[]) as k(org_id, check_id, changes, flapping_since, change_count)
    where s.org_id = k.org_id and s.check_id = k.check_id`.execute(db)
}

export function keyRows(keys: readonly CheckKey[], listed = (list: RawBuilder<unknown>) => list) {
  return sql`unnest(${listed(sql`${keys.map((key) => key.org_id)}::bigint[]`)},
    ${listed(sql`${keys.map((key) => key.check_id)}::bigint[]`)}) as k(org_id, check_id)`
}

const unseenKeys = (keys: readonly CheckKey[]) => keyRows(keys, unseen)
