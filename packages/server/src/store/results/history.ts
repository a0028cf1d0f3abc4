// The history of checks by hour and by day: folded when the span is over, exact at any moment.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { CheckKey } from '../checks/check-health.ts'
import type { Database, Db } from '../database.ts'
import type { Tables } from '../tables.ts'

/** What happened in one hour or on one day. */
export interface HistoryRow {
  check_id: number
  /** When it began. */
  at: string
  runs: number
  failures: number
  /** Mean of the successes; null when there were none. */
  latency_avg_ms: number | null
  latency_max_ms: number | null
}

export interface Progress {
  hours_until: string
  days_until: string
}

/** Hours of checks, as pairs, that got results after they were over. */
export interface LateHours {
  check_guid: readonly string[]
  hour: readonly string[]
}

/** Marks the hours that a monitor's late results changed, in the same transaction as the results. */
export async function markHours(db: Db, monitor_id: string, late: LateHours): Promise<void> {
  // Always an update: a process that folds the hour again must wait for us, or we for it.
  await sql`
    insert into rollup_marks as m (org_id, check_id, hour)
    select a.org_id, a.check_id, l.hour
    from unnest(${[...late.check_guid]}::text[], ${[...late.hour]}::timestamptz[]) as l(check_guid, hour)
    join assignments a on a.monitor_id = ${monitor_id} and a.guid = l.check_guid and a.active
    order by a.org_id, a.check_id, l.hour
    on conflict (org_id, check_id, hour) do update set changes = m.changes + 1`.execute(db)
}

/**
 * Locks the progress row for this transaction; undefined while another process holds it, null before anything was
 * folded.
 */
export async function lockProgress(trx: Transaction<Tables>): Promise<Progress | null | undefined> {
  const { rows } = await sql<{ is_there: boolean; hours_until: string | null; days_until: string | null }>`
    with held as (select is_the_one, hours_until, days_until from rollup_progress for update skip locked)
    select exists (select from rollup_progress) as is_there,
      wire_time(held.hours_until) as hours_until, wire_time(held.days_until) as days_until
    from (select true as is_the_one) one left join held using (is_the_one)`.execute(trx)
  const [row] = rows
  if (!row?.is_there) return null
  return row.hours_until === null || row.days_until === null
    ? undefined
    : { hours_until: row.hours_until, days_until: row.days_until }
}

/**
 * Reads the progress row under a share lock, so that no other process folds days meanwhile: hours that are folded again
 * must not collide with the folding of their day.
 */
export async function shareProgress(trx: Transaction<Tables>): Promise<Progress | undefined> {
  const { rows } = await sql<Progress>`
    select wire_time(hours_until) as hours_until, wire_time(days_until) as days_until
    from rollup_progress for share`.execute(trx)
  return rows[0]
}

/** False when another process was first. */
export async function insertProgress(trx: Transaction<Tables>, progress: Progress): Promise<boolean> {
  const row = await trx
    .insertInto('rollup_progress')
    .values(progress)
    .onConflict((conflict) => conflict.doNothing())
    .returning('is_the_one')
    .executeTakeFirst()
  return row !== undefined
}

export async function updateProgress(trx: Transaction<Tables>, progress: Progress): Promise<void> {
  await trx.updateTable('rollup_progress').set(progress).execute()
}

const SUMS = sql`count(*)::integer as runs, (count(*) filter (where not success))::integer as failures,
  coalesce(sum(latency_ms) filter (where success), 0)::bigint as latency_sum_ms,
  coalesce(max(latency_ms) filter (where success), 0)::integer as latency_max_ms`
export const SUMS_OF_SUMS = sql`sum(runs)::integer as runs, sum(failures)::integer as failures,
  sum(latency_sum_ms)::bigint as latency_sum_ms, max(latency_max_ms) as latency_max_ms`
const REPLACED = sql`runs = excluded.runs, failures = excluded.failures, latency_sum_ms = excluded.latency_sum_ms,
  latency_max_ms = excluded.latency_max_ms`

/** Folds one hour of every check that ran in it. */
export async function foldHour(trx: Transaction<Tables>, hour: string): Promise<void> {
  await sql`
    insert into rollups (org_id, check_id, hour, runs, failures, latency_sum_ms, latency_max_ms)
    select c.org_id, c.check_id, ${hour}::timestamptz, r.runs, r.failures, r.latency_sum_ms, r.latency_max_ms
    from checks c cross join lateral (
      select ${SUMS} from results
      where org_id = c.org_id and check_id = c.check_id
        and ran_at >= ${hour}::timestamptz and ran_at < ${hour}::timestamptz + interval '1 hour') r
    where r.runs > 0
    on conflict (org_id, check_id, hour) do update set ${REPLACED}`.execute(trx)
}

/** Folds all hours before an instant at once: everything from before anything was folded. */
export async function foldAllBefore(trx: Transaction<Tables>, until: string): Promise<void> {
  await sql`
    insert into rollups (org_id, check_id, hour, runs, failures, latency_sum_ms, latency_max_ms)
    select org_id, check_id, date_trunc('hour', ran_at, 'UTC'), ${SUMS} from results
    where ran_at < ${until}::timestamptz
    group by 1, 2, 3 order by 3, 1, 2
    on conflict (org_id, check_id, hour) do update set ${REPLACED}`.execute(trx)
}

/** Folds the days of a span in which every hour is folded. */
export async function foldDays(trx: Transaction<Tables>, from: string, until: string): Promise<void> {
  await sql`
    insert into rollups_daily (org_id, check_id, day, runs, failures, latency_sum_ms, latency_max_ms)
    select org_id, check_id, date_trunc('day', hour, 'UTC'), ${SUMS_OF_SUMS} from rollups
    where hour >= ${from}::timestamptz and hour < ${until}::timestamptz
    group by 1, 2, 3
    on conflict (org_id, check_id, day) do update set ${REPLACED}`.execute(trx)
}

export type MarkedHour = CheckKey & { hour: string }

/** Removes marks of folded hours: the next statement folds them again. */
export async function claimMarks(trx: Transaction<Tables>, hours_until: string, limit: number): Promise<MarkedHour[]> {
  const { rows } = await sql<MarkedHour>`
    with claimed as (
      select org_id, check_id, hour from rollup_marks where hour < ${hours_until}::timestamptz
      order by org_id, check_id, hour limit ${limit} for update skip locked
    )
    delete from rollup_marks m using claimed c
    where m.org_id = c.org_id and m.check_id = c.check_id and m.hour = c.hour
    returning m.org_id, m.check_id, wire_time(m.hour) as hour`.execute(trx)
  return rows
}

/** Folds hours again, and the days they belong to if those are folded. */
export async function foldAgain(
  trx: Transaction<Tables>,
  marked: readonly MarkedHour[],
  days_until: string,
): Promise<void> {
  const given = sql`unnest(${marked.map((one) => one.org_id)}::bigint[], ${marked.map((one) => one.check_id)}::bigint[],
    ${marked.map((one) => one.hour)}::timestamptz[]) as k(org_id, check_id, hour)`
  await sql`
    insert into rollups (org_id, check_id, hour, runs, failures, latency_sum_ms, latency_max_ms)
    select k.org_id, k.check_id, k.hour, r.runs, r.failures, r.latency_sum_ms, r.latency_max_ms
    from ${given} cross join lateral (
      select ${SUMS} from results
      where org_id = k.org_id and check_id = k.check_id and ran_at >= k.hour and ran_at < k.hour + interval '1 hour') r
    where r.runs > 0
    order by k.org_id, k.check_id, k.hour
    on conflict (org_id, check_id, hour) do update set ${REPLACED}`.execute(trx)
  await sql`
    insert into rollups_daily (org_id, check_id, day, runs, failures, latency_sum_ms, latency_max_ms)
    select d.org_id, d.check_id, d.day, r.runs, r.failures, r.latency_sum_ms, r.latency_max_ms
    from (select distinct org_id, check_id, date_trunc('day', hour, 'UTC') as day from ${given}) d
    cross join lateral (
      select ${SUMS_OF_SUMS} from rollups
      where org_id = d.org_id and check_id = d.check_id and hour >= d.day and hour < d.day + interval '1 day') r
    where d.day < ${days_until}::timestamptz and r.runs > 0
    order by d.org_id, d.check_id, d.day
    on conflict (org_id, check_id, day) do update set ${REPLACED}`.execute(trx)
}

export interface HistorySpan {
  org_id: number
  check_ids: readonly number[]
  from: string
  until: string
}

/** How far an org's checks are folded, and which earlier hours must be counted from their results. */
export interface Folding {
  hours_until: string
  days_until: string
  marked: { check_id: number; hour: string }[]
}

const MARKED = (only: string) => `
  select coalesce(wire_time(max(p.hours_until)), '-infinity') as hours_until,
    coalesce(wire_time(max(p.days_until)), '-infinity') as days_until,
    (select coalesce(jsonb_agg(jsonb_build_object('check_id', check_id, 'hour', wire_time(hour))), '[]')
      from rollup_marks
      where org_id = $1 ${only} and hour >= $2::timestamptz and hour < $3::timestamptz
        and hour < (select hours_until from rollup_progress)) as marked
  from rollup_progress p`
const FOLDING = { name: 'history-folding', text: MARKED('') }
const FOLDING_OF = { name: 'history-folding-of', text: MARKED('and check_id = any($4::bigint[])') }

/**
 * How to read the history of a span, of all checks if none are named. It stays valid for later statements: what is
 * folded meanwhile may as well be counted from the results.
 */
export async function readFolding(
  { pools }: Database,
  { org_id, check_ids, from, until }: Omit<HistorySpan, 'check_ids'> & Partial<HistorySpan>,
): Promise<Folding> {
  const values = [org_id, from, until]
  const { rows } = await pools.machines.query<Folding>(
    check_ids ? { ...FOLDING_OF, values: [...values, [...check_ids]] } : { ...FOLDING, values },
  )
  return rows[0] as Folding
}

/**
 * The history of an org's checks by hour, oldest first. Hours that are marked or not folded yet are counted from their
 * results. Hours without a result are left out.
 */
export async function listHours(database: Database, span: HistorySpan, folding?: Folding): Promise<HistoryRow[]> {
  const known = folding ?? (await readFolding(database, span))
  const query = sql<HistoryRow>`
    select check_id, wire_time(at) as at, ${shown} from (${hours(span, known)}) h order by check_id, at`
  return run(database, query, nameOf('history-hours', span, known))
}

/** The same by day, in UTC. */
export async function listDays(database: Database, span: HistorySpan, folding?: Folding): Promise<HistoryRow[]> {
  const known = folding ?? (await readFolding(database, span))
  const query = sql<HistoryRow>`
    select check_id, wire_time(at) as at, ${shown} from (${days(span, known)}) d order by check_id, at`
  return run(
    database,
    query,
    nameOf(known.days_until < span.until ? 'history-days-and-hours' : 'history-days', span, known),
  )
}

/** Late results change the text of a statement, so it cannot have a name then. */
export function nameOf(name: string, span: HistorySpan, folding: Folding): string | undefined {
  return markedIn(span, folding).length === 0 ? name : undefined
}

export async function run<Row extends object>(
  { people, pools }: Database,
  query: RawBuilder<Row>,
  name: string | undefined,
): Promise<Row[]> {
  const { sql: text, parameters } = query.compile(people)
  const { rows } = await pools.machines.query<Row>({
    ...(name !== undefined && { name }),
    text,
    values: [...parameters],
  })
  return rows
}

/**
 * The folded history of a check in the hours of a span and on the days before today, small enough for pages with many
 * checks.
 */
export interface FoldedRuns {
  check_id: number
  /** How many hours had a result. */
  hours: number
  runs: number
  failures: number
  /** Those of today's hours. */
  today_runs: number
  today_failures: number
  /** The hours with failures: when they began, in seconds since the epoch, and their counts. */
  failed_at_sec: number[]
  failed_runs: number[]
  failed_failures: number[]
  /** All days together. */
  days_runs: number
  days_failures: number
}

// Index scans check by check: an org has few checks, and the tables contain those of all orgs.
const FOLDED = {
  name: 'history-folded',
  text: `
    select c.check_id, h.*, d.*
    from checks c
    cross join lateral (
      select count(*)::integer as hours, coalesce(sum(runs), 0)::integer as runs,
        coalesce(sum(failures), 0)::integer as failures,
        coalesce(sum(runs) filter (where hour >= $4::timestamptz), 0)::integer as today_runs,
        coalesce(sum(failures) filter (where hour >= $4::timestamptz), 0)::integer as today_failures,
        coalesce(array_agg(date_part('epoch', hour)::integer) filter (where failures > 0), '{}') as failed_at_sec,
        coalesce(array_agg(runs) filter (where failures > 0), '{}') as failed_runs,
        coalesce(array_agg(failures) filter (where failures > 0), '{}') as failed_failures
      from rollups r
      where r.org_id = c.org_id and r.check_id = c.check_id and r.hour >= $2::timestamptz and r.hour < $3::timestamptz) h
    cross join lateral (
      select coalesce(sum(runs), 0)::integer as days_runs, coalesce(sum(failures), 0)::integer as days_failures
      from rollups_daily r
      where r.org_id = c.org_id and r.check_id = c.check_id and r.day >= $5::timestamptz and r.day < $4::timestamptz) d
    where c.org_id = $1 and not c.deleted and ($6::bigint[] is null or c.check_id = any($6))`,
}

/** As folded: hours that were marked since count with their old values. */
export async function listFoldedRuns(
  { pools }: Database,
  org_id: number,
  { from, until, today, days_from }: { from: string; until: string; today: string; days_from: string },
  check_ids?: readonly number[],
): Promise<FoldedRuns[]> {
  const { rows } = await pools.machines.query<FoldedRuns>({
    ...FOLDED,
    values: [org_id, from, until, today, days_from, check_ids ?? null],
  })
  return rows
}

/** The counts of one hour. */
export interface HourRuns {
  check_id: number
  /** When it began, in seconds since the epoch. */
  at_sec: number
  runs: number
  failures: number
}

const COUNTED = {
  name: 'history-counted',
  text: `
    select c.check_id, date_part('epoch', r.at)::integer as at_sec, r.runs, r.failures
    from checks c
    cross join lateral (
      select date_bin('1 hour', ran_at, timestamptz '0001-01-01 00:00:00+00') as at, count(*)::integer as runs,
        (count(*) filter (where not success))::integer as failures
      from results r
      where r.org_id = c.org_id and r.check_id = c.check_id
        and r.ran_at >= $2::timestamptz and r.ran_at < $3::timestamptz
      group by 1) r
    where c.org_id = $1 and not c.deleted and ($4::bigint[] is null or c.check_id = any($4))`,
}

/** Hours of all checks of an org, or of some of them, counted from their results. */
export async function listCountedHours(
  { pools }: Database,
  org_id: number,
  { from, until }: { from: string; until: string },
  check_ids?: readonly number[],
): Promise<HourRuns[]> {
  if (from >= until) return []
  const { rows } = await pools.machines.query<HourRuns>({
    ...COUNTED,
    values: [org_id, from, until, check_ids ?? null],
  })
  return rows
}

export const shown = sql`runs, failures, (latency_sum_ms / nullif(runs - failures, 0))::integer as latency_avg_ms,
  case when runs > failures then latency_max_ms end as latency_max_ms`

type Fragment = ReturnType<typeof sql>

const STORED = sql`runs, failures, latency_sum_ms, latency_max_ms`

/** Bounds are parameters and are not looked up by the statement, so that partitions can be skipped at planning. */
export function hours(span: HistorySpan, folding: Folding): Fragment {
  const { from, until } = span
  const { hours_until } = folding
  const marked = markedIn(span, folding)
  return sql.join(
    [
      sql`select check_id, hour as at, ${STORED} from rollups
        where ${ours(span)} and hour >= ${from}::timestamptz and hour < ${earlier(until, hours_until)}::timestamptz
          ${notAmong('hour', marked)}`,
      sql`select check_id, date_bin('1 hour', ran_at, ${ORIGIN}) as at, ${SUMS} from results
        where ${ours(span)} and ran_at >= ${later(from, hours_until)}::timestamptz and ran_at < ${until}::timestamptz
        group by 1, 2`,
      ...recounted(span, marked),
    ],
    UNION_ALL,
  )
}

export function days(span: HistorySpan, folding: Folding): Fragment {
  return sql`
    select check_id, date_trunc('day', at, 'UTC') as at, ${SUMS_OF_SUMS} from (${unsummedDays(span, folding)}) u
    group by 1, 2`
}

/** Folded days whole, the others by the hour. */
function unsummedDays(span: HistorySpan, folding: Folding): Fragment {
  const { from, until } = span
  const { days_until } = folding
  const marked = markedIn({ from, until: earlier(until, days_until) }, folding)
  const split = distinctDays(marked)
  const parts = [
    sql`select check_id, day as at, ${STORED} from rollups_daily
      where ${ours(span)} and day >= ${from}::timestamptz and day < ${earlier(until, days_until)}::timestamptz
        ${notAmong('day', split)}`,
  ]
  if (split.length > 0) {
    parts.push(sql`select check_id, hour as at, ${STORED}
      from rollups join ${momentRows(split)} using (check_id)
      where ${ours(span)} and hour >= k.at and hour < k.at + interval '1 day' ${notAmong('hour', marked)}`)
  }
  parts.push(...recounted(span, marked))
  if (days_until < until) parts.push(hours({ ...span, from: later(from, days_until) }, folding))
  return sql.join(parts, UNION_ALL)
}

/** One hour or day of a check. */
interface Moment {
  check_id: number
  at: string
}

// Cheaper than date_trunc with a time zone, and the same for hours in UTC.
const ORIGIN = sql`timestamptz '0001-01-01 00:00:00+00'`
const UNION_ALL = sql` union all `

function ours({ org_id, check_ids }: HistorySpan): Fragment {
  return sql`org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[])`
}

function markedIn({ from, until }: { from: string; until: string }, { marked }: Folding): Moment[] {
  return marked.filter(({ hour }) => hour >= from && hour < until).map(({ check_id, hour }) => ({ check_id, at: hour }))
}

function distinctDays(hours: readonly Moment[]): Moment[] {
  const found = hours.map(({ check_id, at }) => ({ check_id, at: `${at.slice(0, 10)}T00:00:00.000000Z` }))
  return [...new Map(found.map((day) => [`${day.check_id} ${day.at}`, day])).values()]
}

function notAmong(column: 'hour' | 'day', moments: readonly Moment[]): Fragment {
  return moments.length === 0
    ? sql``
    : sql`and (check_id, ${sql.ref(column)}) not in (select check_id, at from ${momentRows(moments)})`
}

/** Marked hours, from their results. */
function recounted({ org_id }: HistorySpan, marked: readonly Moment[]): Fragment[] {
  if (marked.length === 0) return []
  return [
    sql`select k.check_id, k.at, r.*
      from ${momentRows(marked)} cross join lateral (
        select ${SUMS} from results
        where org_id = ${org_id} and check_id = k.check_id and ran_at >= k.at and ran_at < k.at + interval '1 hour') r
      where r.runs > 0`,
  ]
}

function momentRows(moments: readonly Moment[]): Fragment {
  return sql`unnest(${moments.map(({ check_id }) => check_id)}::bigint[], ${moments.map(({ at }) => at)}::timestamptz[])
    as k(check_id, at)`
}

// Instants as text of one length, or an infinity: they sort as text.
const earlier = (a: string, b: string): string => (a < b ? a : b)
const later = (a: string, b: string): string => (a < b ? b : a)
