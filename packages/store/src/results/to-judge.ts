// Reads the results that judging a check needs: the newest of each check, in the order of the server's clock.
import { type RawBuilder, sql } from 'kysely'
import { PREPARED } from '../asking.ts'
import { unseen } from '../builder-pool.ts'
import type { CheckKey } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { rowsSql } from '../rows-sql.ts'
import { askByOrg, askTheirNodes, isDistributed, listAway } from './nodes/layout.ts'
import { resultsOf } from './stored/results-of.ts'
import type { RunColumn } from './stored/sealed-form.ts'
import {
  isUnshifted,
  type ResultStorage,
  readHowStored,
  readHowStoredAfter,
  shiftedResult,
  type Within,
  within,
} from './stored/shifted.ts'

export { listAway, type ResultStorage, readHowStored, readHowStoredAfter }

/** The part of a result that decides a verdict. */
export interface ResultToJudge extends CheckKey {
  /** Time of the run by the server's clock. */
  at: string
  monitor_id: string
  success: boolean
}

export interface LatestResult extends ResultToJudge {
  /** Time of the run as the agent sent it. */
  ran_at: string
  monitor_name: string
  latency_ms: number
  http_status: number
  error: string | null
}

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
  // Results that arrive after their hour is closed are in reopened_results.
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

const spansOf = (spans: readonly Span[], listed?: typeof unseen) =>
  rowsSql(
    spans.map(({ limit, ...span }) => ({ ...span, wanted: limit })),
    { org_id: 'bigint', check_id: 'bigint', since: 'timestamptz', before: 'timestamptz', wanted: 'integer' },
    listed,
  )

/**
 * Selects the newest results of one span, including those that a wrong clock shifted. `columns`: in addition to time, monitor and
 * success. `which`: a condition on `r` with these columns.
 */
function inOrder(
  org: RawBuilder<unknown>,
  columns: readonly RunColumn[],
  { since, before }: Within,
  { isSealed, areShifted }: ResultStorage,
  which?: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const wanted: readonly RunColumn[] = ['ran_at', 'monitor_id', 'success', ...columns]
  const shown = sql.raw(wanted.map((name) => `r.${name}`).join(', '))
  // The bound excludes unshifted results that are older than enough shifted ones, so they cannot be among the newest. It does not
  // apply with `which`, because the shifted results that `which` excludes must not count.
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
      select k.org_id, k.check_id, wire_time(r.at) as at, wire_time(r.ran_at) as ran_at, r.monitor_id, r.success, r.latency_ms,
        r.http_status, left(r.error, 1000) as error
      from ${spansOf(some)} cross join lateral (${inOrder(org, ['latency_ms', 'http_status', 'error'], within(some, since), stored)}) r`

/** Lists the newest results of each check before an instant, by the server's clock, newest first. */
export async function listLatestResults(db: Db, keys: readonly CheckKey[], reach: Reach): Promise<LatestResult[]> {
  const stored = await readHowStored(db, keys)
  return askByOrg(
    db,
    spansBefore(keys, reach),
    (some, org) => sql<LatestResult>`
    with latest as materialized (${latest(some, org, reach.since, stored)})
    select l.*, coalesce(m.name, '') as monitor_name from latest l left join monitors m on m.id = l.monitor_id
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
    select l.* from (${latest(some, org, reach.since, stored)}) l
    order by l.org_id, l.check_id, l.at desc, l.monitor_id desc`,
  )
  if (found.length === 0) return []
  const ids = [...new Set(found.map(({ monitor_id }) => monitor_id))]
  const monitors = await db.selectFrom('monitors').select(['id', 'name']).where('id', 'in', ids).execute()
  const names = new Map(monitors.map(({ id, name }) => [id, name]))
  return found.map((row) => ({ ...row, monitor_name: names.get(row.monitor_id) ?? '' }))
}

interface TimedRun extends CheckKey {
  /** Time of the run by the server's clock. */
  at: string
  ran_at: string
  monitor_id: string
}

/** A success and its latency. */
export interface SpeedRow extends TimedRun {
  latency_ms: number
}

/** A result that contains the expiry of the target's certificate. */
export interface CertificateRow extends TimedRun {
  cert_expires_at: string
}

/** Builds a function that lists those results of spans that have a value, by the server's clock, newest first. */
function listing<Row extends TimedRun>(column: RunColumn, shown: RawBuilder<unknown>, hasValue: RawBuilder<unknown>) {
  return async (db: Db, spans: readonly Span[], since: string): Promise<Row[]> => {
    const stored = await readHowStored(db, spans)
    return askTheirNodes(
      db,
      spans,
      (some, org) => sql<Row>`
    select k.org_id, k.check_id, wire_time(r.at) as at, wire_time(r.ran_at) as ran_at, r.monitor_id, ${shown} as ${sql.ref(column)}
    from ${spansOf(some)} cross join lateral (${inOrder(org, [column], within(some, since), stored, hasValue)}) r
    order by k.org_id, k.check_id, r.at desc, r.monitor_id desc`,
    )
  }
}

/** Lists the successes of spans. Returns none that is older than `since`. */
export const listSpeeds = listing<SpeedRow>('latency_ms', sql`r.latency_ms`, sql`r.success`)

/** Lists the results of spans that contain a certificate. Returns none that is older than `since`. */
export const listCertificates = listing<CertificateRow>(
  'cert_expires_at',
  sql`wire_time(r.cert_expires_at)`,
  sql`r.cert_expires_at is not null`,
)
