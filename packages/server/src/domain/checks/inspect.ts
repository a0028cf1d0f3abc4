// Everything that is known of one check: its state, its monitors, its history and its results.
import { fromDate, isDateTime, toMicroseconds } from '../../runtime/timestamps.ts'
import type { CheckKey } from '../../store/checks/check-health.ts'
import {
  type BucketRow,
  type DetailRow,
  findDetail,
  type IncidentRow,
  listBuckets,
  listLatestByMonitor,
  listMonitorOptions,
  type MonitorOfCheck,
  type MonitorOption,
  type NewestRun,
  type SeenResult,
} from '../../store/checks/check-overview.ts'
import { type CheckRow, findForAll } from '../../store/checks/checks.ts'
import type { Database } from '../../store/database.ts'
import { type Folding, listDays, listHours, readFolding } from '../../store/results/history.ts'
import { listSchedules } from '../../store/checks/schedules.ts'
import { END, listResultsBefore, type Position, type ResultRow } from '../../store/results/result-pages.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { ONLINE_MS } from '../monitors/monitor.ts'
import { schedulesOf, type Schedule, type Watch, watchOf } from '../results/watched.ts'
import { toStorable } from '../text.ts'
import { coverageByDay, type DayCoverage } from './due.ts'
import { horizonOf } from './health.ts'
import { newestResults } from './overview.ts'
import { type CheckState, stateOf } from './state.ts'

export type Period = 'day' | 'week' | 'month' | 'year'

export interface MonitorSight extends MonitorOfCheck {
  is_online: boolean
  /** Undefined when no result of it arrived in `seen_sec`. */
  latest: SeenResult | undefined
}

export interface CheckInDetail {
  check: CheckRow
  state: CheckState
  since: string | null
  /** Also set for a check that is down and unmonitored since then. */
  unmonitored_since: string | null
  /** Why it is degraded; also set for a check that is down or unmonitored by now. */
  degraded_reasons: readonly string[]
  created_at: string
  latest: NewestRun | undefined
  /** The monitors that have the check. */
  monitors: MonitorSight[]
  is_for_all: boolean
  /** How far back each monitor's latest result was searched. */
  seen_sec: number
  coverage: DayCoverage[]
  /** How much of the period was watched. */
  watch: Watch
  period: Period
  /** The history of the period, oldest first. Spans without a result are left out. */
  points: BucketRow[]
  step_sec: number
  from: Date
  until: Date
  incidents: IncidentRow[]
  /** Since when it goes down and comes up too often; null while it does not. */
  flapping_since: string | null
  results: ResultRow[]
}

const MINUTE_SEC = 60
const HOUR_SEC = 3600
const DAY_SEC = 24 * HOUR_SEC
const SPANS: Readonly<Record<Period, { days: number; step_sec: number }>> = {
  day: { days: 1, step_sec: 10 * MINUTE_SEC },
  week: { days: 7, step_sec: HOUR_SEC },
  month: { days: 30, step_sec: HOUR_SEC },
  year: { days: 365, step_sec: DAY_SEC },
}
export const RESULTS_SHOWN = 50
export const INCIDENTS_SHOWN = 20
export const COVERAGE_DAYS = 7

/** `before`: a position in the results; the ones before it are read. */
export async function inspectCheck(
  deps: Deps,
  org_id: number,
  guid: string,
  wanted: { period: Period; before?: string | undefined; before_monitor?: string | undefined },
): Promise<CheckInDetail> {
  const { database } = deps
  const now = deps.clock.now()
  const horizon = horizonOf(now)
  const chart = chartSpan(wanted.period, now)
  const week_from = new Date(floor(now, DAY_SEC).getTime() - (COVERAGE_DAYS - 1) * DAY_SEC * 1000)
  const from = fromDate(chart.from < week_from ? chart.from : week_from)
  // A guid that cannot be stored names nothing.
  const isStorable = toStorable(guid) === guid
  const [detail, folding] = await Promise.all([
    isStorable ? findDetail(database, org_id, guid, { until: horizon, incidents: INCIDENTS_SHOWN }) : undefined,
    readFolding(database, { org_id, from, until: horizon }),
  ])
  if (!detail) throw new DomainError('missing', 'no check with that guid')
  const { its_monitors, incidents, newest, flapping_since, ...check } = detail
  const week = { org_id, check_ids: [check.check_id], from: fromDate(week_from), until: horizon }
  const seen_sec = Math.max(DAY_SEC, 3 * check.interval_sec * Math.max(1, check.monitors))
  const [history, days, results, rows] = await Promise.all([
    readPoints(database, check, chart, horizon, folding),
    wanted.period === 'day' ? listDays(database, week, folding) : undefined,
    readResultsBefore(database, detail, toPosition(wanted), now),
    listSchedules(database, org_id, from, [check.check_id]),
  ])
  const schedules = schedulesOf(rows, check)
  const points = history.filter(({ at }) => at < fromDate(chart.until))
  const seen = await readSights(database, detail, wanted.before === undefined ? results : [], {
    since: ago(now, seen_sec),
    until: horizon,
  })
  const latest = newest ?? (await newestResults(database.people, [check], now)).get(check.check_id)
  return {
    check,
    ...stateOf({ ...check, seen_at: latest?.at ?? null }),
    unmonitored_since: check.unmonitored_since,
    degraded_reasons: check.degraded_reasons ?? [],
    created_at: check.created_at,
    latest,
    monitors: its_monitors.map((monitor) => ({
      ...monitor,
      is_online: monitor.is_on && monitor.last_seen_at !== null && monitor.last_seen_at > ago(now, ONLINE_MS / 1000),
      latest: seen.get(monitor.id),
    })),
    is_for_all: check.all_monitors,
    seen_sec,
    coverage: coverageByDay({ ...check, schedules }, arrivals(days ?? history), now, COVERAGE_DAYS),
    watch: watchOfPoints(schedules, points, chart, now),
    period: wanted.period,
    ...chart,
    points,
    incidents,
    flapping_since,
    results,
  }
}

function readResultsBefore(database: Database, check: DetailRow, before: Position, now: Date): Promise<ResultRow[]> {
  const begin = before === END ? now : new Date(before.ran_at)
  const near_ms = begin.getTime() - Math.max(DAY_SEC, 2 * RESULTS_SHOWN * check.interval_sec) * 1000
  // No date has a year that Postgres could not read.
  return listResultsBefore(database, check, before, RESULTS_SHOWN, fromDate(new Date(Math.max(0, near_ms))))
}

/** How much of a chart was watched until now, including spans without results. */
function watchOfPoints(
  schedules: readonly Schedule[],
  points: readonly BucketRow[],
  { from, until, step_sec }: Chart,
  now: Date,
): Watch {
  const runsAt = new Map(points.map(({ at, runs }) => [Date.parse(at), runs]))
  const step_ms = step_sec * 1000
  const end = Math.min(until.getTime(), now.getTime())
  const spans = Array.from({ length: Math.ceil((end - from.getTime()) / step_ms) }, (_, index) => {
    const begin = from.getTime() + index * step_ms
    return { from: begin, until: Math.min(begin + step_ms, end), runs: runsAt.get(begin) ?? 0 }
  })
  return watchOf(schedules, spans)
}

/** How many results arrived on each day. */
function arrivals(rows: readonly Pick<BucketRow, 'at' | 'runs'>[]): Map<number, number> {
  const arrived = new Map<number, number>()
  for (const { at, runs } of rows) {
    const day = floor(new Date(at), DAY_SEC).getTime()
    arrived.set(day, (arrived.get(day) ?? 0) + runs)
  }
  return arrived
}

/**
 * The newest result of each monitor that has the check. The newest results of all monitors are read anyway and contain
 * them, except for monitors that were silent for a while.
 */
async function readSights(
  { people }: Database,
  check: DetailRow,
  newest: readonly ResultRow[],
  span: { since: string; until: string },
): Promise<Map<string, SeenResult>> {
  const near = newest.filter(({ ran_at }) => ran_at > span.since && ran_at <= span.until)
  const seen = new Map<string, SeenResult>(near.toReversed().map((result) => [result.monitor_id, result]))
  if (check.its_monitors.every(({ id }) => seen.has(id))) return seen
  return new Map((await listLatestByMonitor(people, check, span)).map((result) => [result.monitor_id, result]))
}

/** The monitors that a check may have, with those it has marked. Without a check, those for a new one. */
export async function readMonitorOptions(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  check_id: number | null,
): Promise<{ options: MonitorOption[]; is_for_all: boolean }> {
  const [options, is_for_all] = await Promise.all([
    listMonitorOptions(database.people, org_id, check_id),
    check_id === null ? false : findForAll(database.people, org_id, check_id),
  ])
  return { options, is_for_all }
}

interface Chart {
  step_sec: number
  from: Date
  until: Date
}

function chartSpan(period: Period, now: Date): Chart {
  const { days, step_sec } = SPANS[period]
  const until = new Date(floor(now, step_sec).getTime() + step_sec * 1000)
  return { step_sec, from: new Date(until.getTime() - days * DAY_SEC * 1000), until }
}

/** Up to the end of the chart, or to the horizon if that is later. */
async function readPoints(
  database: Database,
  { org_id, check_id }: CheckKey,
  { step_sec, ...chart }: Chart,
  horizon: string,
  folding: Folding,
): Promise<BucketRow[]> {
  const [from, end] = [fromDate(chart.from), fromDate(chart.until)]
  const read = { [HOUR_SEC]: listHours, [DAY_SEC]: listDays }[step_sec]
  if (!read) return listBuckets(database, { org_id, check_id }, { from, until: end, step_sec })
  return read(database, { org_id, check_ids: [check_id], from, until: end > horizon ? end : horizon }, folding)
}

function toPosition({
  before,
  before_monitor = '',
}: {
  before?: string | undefined
  before_monitor?: string | undefined
}): Position {
  if (before === undefined) return END
  if (!isDateTime(before)) throw new DomainError('invalid', 'before must be an RFC 3339 date-time')
  return { ran_at: toMicroseconds(before), monitor_id: toStorable(before_monitor) }
}

function ago(now: Date, sec: number): string {
  return fromDate(new Date(now.getTime() - sec * 1000))
}

function floor(at: Date, unit_sec: number): Date {
  return new Date(Math.floor(at.getTime() / (unit_sec * 1000)) * unit_sec * 1000)
}
