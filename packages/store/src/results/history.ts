// Folds and reads the history of checks by hour and by day. A span is folded when it is over, and exact at any moment.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { type CheckKey, keyRows, listChecksAfter } from '../check-keys.ts'
import type { Database, Db } from '../database.ts'
import { rowsSql } from '../rows-sql.ts'
import type { Tables } from '../tables.ts'
import { type Behind, insertBehind, listBehind } from './behind.ts'
import {
  askByOrg,
  askEachNode,
  askWhoAnswers,
  isDistributed,
  readSealedBoundary,
  type SealedBoundary,
} from './nodes/layout.ts'
import type { Progress } from './sealing/fold-progress.ts'
import { hourRows, type MarkedHour } from './sealing/marks.ts'
import { resultsOf } from './stored/results-of.ts'
import {
  BUCKETED,
  COLUMNS,
  type HistoryRow,
  REPLACED,
  SHORTENED,
  SKETCHED,
  type SketchedRow,
  SUMS,
  SUMS_OF_SUMS,
  shown,
} from './stored/sums.ts'

export type { HistoryRow, SketchedRow }

/** Outcome of folding an hour. `last` is null when the hour is folded for every check. */
interface FoldedSome {
  last: CheckKey | null
  /** Organisations whose node does not respond. */
  away: Set<number>
}

/**
 * Folds the next hour for the next checks that ran in it. Repeats do no harm, because readers count the hour from results until the
 * progress moves. Returns the last check, or null if the hour is complete. On nodes, it always is.
 */
export async function foldSome(trx: Transaction<Tables>, progress: Progress, limit: number): Promise<CheckKey | null> {
  const { hours_until: hour, folded } = progress
  if (!(await isDistributed(trx))) return (await foldChecks(trx, hour, folded, limit)).last
  // An organisation that was skipped must not catch up with an hour that is not folded for all.
  await insertBehind(trx, await foldHour(trx, hour), progress)
  return null
}

/** Folds an hour of the next checks. `which`: a condition on them. Default: those of organisations that are not behind. */
async function foldChecks(
  trx: Transaction<Tables>,
  hour: string,
  after: CheckKey | null,
  limit: number,
  which: RawBuilder<unknown> = IS_UP_TO_DATE,
): Promise<FoldedSome> {
  const isSealed = await readSealedBoundary(trx)
  const keys = await listChecksAfter(trx, after ?? undefined, limit, which)
  const { away } = await askWhoAnswers(
    trx,
    keys,
    (some, org) => sql<object>`
      insert into rollups (org_id, check_id, hour, ${COLUMNS})
      select ${org}, k.check_id, ${hour}::timestamptz, r.*
      from ${keyRows(some)} cross join lateral (
        ${summedUp(org, sql`${hour}::timestamptz`, isSealed)}) r
      where r.runs > 0
      on conflict (org_id, check_id, hour) do update set ${REPLACED}`,
  )
  return { last: keys.length < limit ? null : (keys.at(-1) ?? null), away }
}

/** Folds one hour of all checks, and returns the organisations whose node does not respond. Nodes commit by themselves. */
async function foldHour(
  trx: Transaction<Tables>,
  hour: string,
  checks_at_once = CHECKS_AT_ONCE,
  which?: RawBuilder<unknown>,
): Promise<Set<number>> {
  const left_out = new Set<number>()
  for (let after: CheckKey | null = null; ; ) {
    const { last, away }: FoldedSome = await foldChecks(trx, hour, after, checks_at_once, which)
    for (const org_id of away) left_out.add(org_id)
    if (last === null) return left_out
    after = last
  }
}

const HOUR_MS = 3_600_000

/** Folds the hours of each organisation up to its own `until`. Returns those whose node does not respond. */
export async function foldHoursBehind(
  trx: Transaction<Tables>,
  rows: readonly (Behind & { until: string })[],
  checks_at_once?: number,
): Promise<Set<number>> {
  const left_out = new Set<number>()
  let hour = rows.reduce((first, { hours_until }) => earlier(first, hours_until), 'infinity')
  for (; rows.some(({ until }) => hour < until); hour = fromDate(new Date(Date.parse(hour) + HOUR_MS))) {
    const due = rows.filter(({ hours_until, until }) => hours_until <= hour && hour < until)
    const org_ids = due.map(({ org_id }) => org_id).filter((org_id) => !left_out.has(org_id))
    if (org_ids.length === 0) continue
    const isDue = sql`org_id = any(${org_ids}::bigint[])`
    for (const org_id of await foldHour(trx, hour, checks_at_once, isDue)) left_out.add(org_id)
  }
  return left_out
}

/** Sums up an hour of the check `k` from its results. */
function summedUp(org: RawBuilder<unknown>, hour: RawBuilder<unknown>, isSealed: SealedBoundary): RawBuilder<unknown> {
  const wanted = {
    columns: ['success', 'latency_ms'],
    ...{ org, check: 'k.check_id', from: hour, until: hour },
    where: sql`r.ran_at >= ${hour} and r.ran_at < ${hour} + interval '1 hour'`,
  } as const
  return sql`select ${SUMS} from (select ${BUCKETED} from (${resultsOf(wanted, isSealed)}) r group by bucket) b`
}

/** Number of checks in a statement, which takes some seconds at most. */
const CHECKS_AT_ONCE = 20_000
/** Number of organisations in a statement that folds days on a node, which takes some seconds at most. */
const ORGS_AT_ONCE = 1_000

const IS_UP_TO_DATE = sql`org_id <> all (array(select org_id from rollups_behind))`

/** Lists the next organisations that are not behind, in the order of their ids. */
async function listUpToDate(db: Db, after: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ org_id: number }>`
    select org_id from organisations
    where org_id > ${after}::bigint and ${IS_UP_TO_DATE}
    order by org_id limit ${limit}`.execute(db)
  return rows.map(({ org_id }) => org_id)
}

/** Folds all hours and days before the progress at once, when nothing has been folded yet. */
export async function foldAllBefore(
  trx: Transaction<Tables>,
  { hours_until, days_until }: Pick<Progress, 'hours_until' | 'days_until'>,
): Promise<void> {
  await sql`
    insert /* on every node */ into rollups (org_id, check_id, hour, ${COLUMNS})
    select org_id, check_id, hour, ${SUMS} from (
      select org_id, check_id, date_trunc('hour', ran_at, 'UTC') as hour, ${BUCKETED} from results
      where ran_at < ${hours_until}::timestamptz
      group by 1, 2, 3, bucket) b
    group by 1, 2, 3 order by 3, 1, 2
    on conflict (org_id, check_id, hour) do update set ${REPLACED}`.execute(trx)
  await foldingDays('-infinity', days_until, sql``).execute(trx)
}

const foldingDays = (from: string, until: string, which: RawBuilder<unknown>) => sql<object>`
  insert /* on every node */ into rollups_daily (org_id, check_id, day, ${COLUMNS})
  select org_id, check_id, day, ${SHORTENED} from (
    select org_id, check_id, date_trunc('day', hour, 'UTC') as day, ${SUMS_OF_SUMS} from rollups
    where hour >= ${from}::timestamptz and hour < ${until}::timestamptz ${which}
    group by 1, 2, 3) d
  on conflict (org_id, check_id, day) do update set ${REPLACED}`

/** Folds the days of a span whose hours are all folded. Returns the organisations whose node does not respond. */
export async function foldDays(trx: Transaction<Tables>, from: string, until: string): Promise<Set<number>> {
  if (!(await isDistributed(trx))) {
    const behind = (await listBehind(trx)).map(({ org_id }) => org_id)
    const which = behind.length === 0 ? sql`` : sql`and org_id <> all(${behind}::bigint[])`
    await foldingDays(from, until, which).execute(trx)
    return new Set()
  }
  const ask = (org_ids: readonly number[]) => foldingDays(from, until, sql`and org_id = any(${[...org_ids]}::bigint[])`)
  const left_out = new Set<number>()
  for (let after = 0; ; ) {
    const org_ids = await listUpToDate(trx, after, ORGS_AT_ONCE)
    for (const org_id of (await askEachNode(trx, org_ids, ask)).away) left_out.add(org_id)
    if (org_ids.length < ORGS_AT_ONCE) return left_out
    after = org_ids.at(-1) ?? after
  }
}

/** Folds hours again, and their days if those are folded. */
export async function foldAgain(
  trx: Transaction<Tables>,
  marked: readonly MarkedHour[],
  days_until: string,
): Promise<void> {
  const isSealed = await readSealedBoundary(trx)
  await askByOrg(
    trx,
    marked,
    (some, org) => sql`
    insert into rollups (org_id, check_id, hour, ${COLUMNS})
    select ${org}, k.check_id, k.hour, r.*
    from ${hourRows(some)} cross join lateral (${summedUp(org, sql`k.hour`, isSealed)}) r
    where r.runs > 0
    order by k.org_id, k.check_id, k.hour
    on conflict (org_id, check_id, hour) do update set ${REPLACED}`,
  )
  await askByOrg(
    trx,
    marked,
    (some, org) => sql`
    insert into rollups_daily (org_id, check_id, day, ${COLUMNS})
    select ${org}, k.check_id, k.day, ${SHORTENED}
    from (select distinct org_id, check_id, date_trunc('day', hour, 'UTC') as day from ${hourRows(some)}) k
    cross join lateral (
      select ${SUMS_OF_SUMS} from rollups
      where org_id = ${org} and check_id = k.check_id and hour >= k.day and hour < k.day + interval '1 day') r
    where k.day < ${days_until}::timestamptz and r.runs > 0
    order by k.org_id, k.check_id, k.day
    on conflict (org_id, check_id, day) do update set ${REPLACED}`,
  )
}

export interface HistorySpan {
  org_id: number
  check_ids: readonly number[]
  from: string
  until: string
}

/** Limits of an organisation's folded history, and the earlier hours that readers must count from results. */
export interface Folding {
  hours_until: string
  days_until: string
  marked: { check_id: number; hour: string }[]
  /** Whether results can be in sealed hours, or until when they are. */
  may_be_sealed: SealedBoundary
}

/** Builds the statement of {@link readFolding}. `only`: a condition that the index of marks can use. */
const foldingOf = (name: string, only: string) => ({
  name,
  text: `
  with progress as materialized (
    select coalesce(b.hours_until, p.hours_until) as hours_until, coalesce(b.days_until, p.days_until) as days_until
    from rollup_progress p left join rollups_behind b on b.org_id = $1
  ), marks as materialized (
    select coalesce(jsonb_agg(jsonb_build_object('check_id', check_id, 'hour', wire_time(hour))), '[]') as marked
    from rollup_marks
    where org_id = $1 ${only} and hour >= $2::timestamptz and hour < $3::timestamptz
      and hour < (select hours_until from progress))
  select coalesce(wire_time(max(p.hours_until)), '-infinity') as hours_until,
    coalesce(wire_time(max(p.days_until)), '-infinity') as days_until, (select marked from marks) as marked
  from progress p`,
})
const FOLDING = foldingOf('history-folding', '')
const FOLDING_OF = foldingOf('history-folding-of', 'and check_id = any($4::bigint[])')

/**
 * Reads how far the history of a span is folded, for all checks without `check_ids`. It stays valid for later statements, because
 * readers can still count hours from results that are folded in the meantime.
 */
export async function readFolding(
  { pools, machines }: Database,
  { org_id, check_ids, from, until }: Omit<HistorySpan, 'check_ids'> & Partial<HistorySpan>,
): Promise<Folding> {
  // Read before the statement, which still reads hours that are sealed later as what they were.
  const may_be_sealed = await readSealedBoundary(machines)
  const values = [org_id, from, until]
  const { rows } = await pools.machines.query<Omit<Folding, 'may_be_sealed'>>(
    check_ids ? { ...FOLDING_OF, values: [...values, check_ids] } : { ...FOLDING, values },
  )
  return { ...(rows[0] as Omit<Folding, 'may_be_sealed'>), may_be_sealed }
}

/** Builds a function that lists the hours or days of checks, oldest first. */
function listing<Row extends HistoryRow>(unit: 'hours' | 'days', columns: Fragment, name: string) {
  return async (database: Database, span: HistorySpan, folding?: Folding): Promise<Row[]> => {
    const known = folding ?? (await readFolding(database, span))
    const units = unit === 'hours' ? hours(span, known) : days(span, known)
    const query = sql<Row>`select check_id, wire_time(at) as at, ${columns} from (${units}) u order by check_id, at`
    // Unfolded days need another statement, with another name.
    const hasHours = unit === 'days' && known.days_until < span.until
    return run(database, query, nameOf(hasHours ? `${name}-and-hours` : name, span, known))
  }
}

/**
 * Lists the history of an organisation's checks by hour. Counts marked and unfolded hours from their results. Omits hours without a
 * result.
 */
export const listHours = listing<HistoryRow>('hours', shown, 'history-hours')
/** Lists the history by hour with sketches. */
export const listSketchedHours = listing<SketchedRow>('hours', SKETCHED, 'sketched-hours')
/** Lists the history of an organisation's checks by day in UTC. */
export const listDays = listing<HistoryRow>('days', shown, 'history-days')
/** Lists the history by day with sketches. */
export const listSketchedDays = listing<SketchedRow>('days', SKETCHED, 'sketched-days')

/** Returns the name of a statement, or undefined if late results or the sealing time of nodes are part of its text. */
export function nameOf(name: string, span: HistorySpan, folding: Folding): string | undefined {
  if (markedIn(span, folding).length > 0 || typeof folding.may_be_sealed === 'string') return undefined
  return folding.may_be_sealed ? `${name}-sealed` : name
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

type Fragment = RawBuilder<unknown>

/**
 * Selects the hours of a span. Its bounds are parameters instead of subqueries, so that Postgres can skip partitions when it
 * plans.
 */
export function hours(span: HistorySpan, folding: Folding): Fragment {
  const { from, until } = span
  const { hours_until } = folding
  const marked = markedIn(span, folding)
  return sql.join(
    [
      sql`select check_id, hour as at, ${COLUMNS} from rollups
        where ${ours(span)} and hour >= ${from}::timestamptz and hour < ${earlier(until, hours_until)}::timestamptz
          ${notAmong('hour', marked)}`,
      sql`select check_id, at, ${SUMS} from (
          select check_id, date_bin('1 hour', ran_at, ${ORIGIN}) as at, ${BUCKETED}
          from (${resultsIn(span, later(from, hours_until), folding)}) r
          group by 1, 2, bucket) b
        group by 1, 2`,
      ...recounted(span, marked, folding),
    ],
    UNION_ALL,
  )
}

/**
 * Selects the days of a span. `hasRecent`: the statement contains `recentHours` as `recent`, which also has the hours of unfolded
 * days.
 */
export function days(span: HistorySpan, folding: Folding, hasRecent = false): Fragment {
  return sql`
    select check_id, date_trunc('day', at, 'UTC') as at, ${SUMS_OF_SUMS} from (${unsummedDays(span, folding, hasRecent)}) u
    group by 1, 2`
}

/** Selects the hours from an instant on, and the hours of days that are not folded. */
export function recentHours(span: HistorySpan, from: string, folding: Folding): Fragment {
  return hours({ ...span, from: earlier(from, later(span.from, folding.days_until)) }, folding)
}

/** Selects folded days as a whole, and the others by the hour. */
function unsummedDays(span: HistorySpan, folding: Folding, hasRecent: boolean): Fragment {
  const { from, until } = span
  const { days_until } = folding
  const marked = markedIn({ from, until: earlier(until, days_until) }, folding)
  const split = distinctDays(marked)
  const parts = [
    sql`select check_id, day as at, ${COLUMNS} from rollups_daily
      where ${ours(span)} and day >= ${from}::timestamptz and day < ${earlier(until, days_until)}::timestamptz
        ${notAmong('day', split)}`,
  ]
  if (split.length > 0) {
    parts.push(sql`select check_id, hour as at, ${COLUMNS}
      from rollups join ${momentRows(split)} using (check_id)
      where ${ours(span)} and hour >= k.at and hour < k.at + interval '1 day' ${notAmong('hour', marked)}`)
  }
  parts.push(...recounted(span, marked, folding))
  const unfolded = later(from, days_until)
  if (hasRecent) parts.push(sql`select check_id, at, ${COLUMNS} from recent where at >= ${unfolded}::timestamptz`)
  else if (days_until < until) parts.push(hours({ ...span, from: unfolded }, folding))
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

/** Selects the results of a span from an instant on. */
function resultsIn({ org_id, check_ids, until }: HistorySpan, from: string, { may_be_sealed }: Folding): Fragment {
  const [since, before] = [sql`${from}::timestamptz`, sql`${until}::timestamptz`]
  return resultsOf(
    {
      columns: ['check_id', 'ran_at', 'success', 'latency_ms'],
      ...{ org: sql`${org_id}`, check: { any: sql`${[...check_ids]}::bigint[]` }, from: since, until: before },
      where: sql`r.ran_at >= ${since} and r.ran_at < ${before}`,
    },
    may_be_sealed,
  )
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

/** Selects marked hours, counted from their results. */
function recounted({ org_id }: HistorySpan, marked: readonly Moment[], { may_be_sealed }: Folding): Fragment[] {
  if (marked.length === 0) return []
  return [
    sql`select k.check_id, k.at, r.*
      from ${momentRows(marked)} cross join lateral (${summedUp(sql`${org_id}`, sql`k.at`, may_be_sealed)}) r
      where r.runs > 0`,
  ]
}

const momentRows = (moments: readonly Moment[]) => rowsSql(moments, { check_id: 'bigint', at: 'timestamptz' })

// Instants as text of one length, or an infinity: they sort as text.
const earlier = (a: string, b: string): string => (a < b ? a : b)
const later = (a: string, b: string): string => (a < b ? b : a)
