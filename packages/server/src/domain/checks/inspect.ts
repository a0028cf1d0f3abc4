// All that is known of one check: how it stands, who sees what, how it went, and what its runs said.
import { fromDate, isDateTime, toMicroseconds } from '../../runtime/timestamps.ts'
import {
  type BucketRow,
  type IncidentRow,
  listBuckets,
  listCheckIncidents,
  listLatestByMonitor,
  listMonitorOptions,
  listOverview,
  type MonitorOption,
  type SeenResult,
} from '../../store/check-overview.ts'
import { type CheckRow, findForAll } from '../../store/checks.ts'
import type { Db } from '../../store/database.ts'
import { type Folding, listDays, listHours, readFolding } from '../../store/history.ts'
import { END, listResultsBefore, type Position, type ResultRow } from '../../store/result-pages.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { toStorable } from '../text.ts'
import { coverageByDay, type DayCoverage } from './due.ts'
import { horizonOf } from './health.ts'
import { newestResults } from './overview.ts'
import { readOneCheck } from './read.ts'
import { type CheckState, stateOf } from './state.ts'

export type Period = 'day' | 'week' | 'month' | 'year'

export interface MonitorSight extends MonitorOption {
  /** Undefined when nothing of it arrived in `seen_sec`. */
  latest: SeenResult | undefined
}

export interface CheckInDetail {
  check: CheckRow
  state: CheckState
  since: string | null
  created_at: string
  latest: Pick<SeenResult, 'ran_at' | 'success' | 'latency_ms'> | undefined
  /** Those that have the check. */
  monitors: MonitorSight[]
  is_for_all: boolean
  /** How far back each monitor's latest result was looked for. */
  seen_sec: number
  coverage: DayCoverage[]
  period: Period
  /** What happened in the period, oldest first; spans without a run are left out. */
  points: BucketRow[]
  step_sec: number
  from: Date
  until: Date
  incidents: IncidentRow[]
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

/** `before` is a position in the results; those before it are read. */
export async function inspectCheck(
  deps: Deps,
  org_id: number,
  guid: string,
  wanted: { period: Period; before?: string | undefined; before_monitor?: string | undefined },
): Promise<CheckInDetail> {
  const { db } = deps.database
  const now = deps.clock.now()
  const chart = chartSpan(wanted.period, now)
  const week_from = new Date(floor(now, DAY_SEC).getTime() - (COVERAGE_DAYS - 1) * DAY_SEC * 1000)
  const from = fromDate(chart.from < week_from ? chart.from : week_from)
  const [check, [row], folding] = await Promise.all([
    readOneCheck(deps, org_id, guid),
    listOverview(db, org_id, toStorable(guid)),
    readFolding(db, { org_id, from, until: horizonOf(now) }),
  ])
  if (!row) throw new DomainError('missing', 'no check with that guid')
  const key = { org_id, check_id: check.check_id, result_detail_max_chars: check.result_detail_max_chars }
  const week = { org_id, check_ids: [check.check_id], from: fromDate(week_from), until: horizonOf(now) }
  const seen_sec = Math.max(DAY_SEC, 3 * check.interval_sec * Math.max(1, row.monitors))
  const [options, seen, days, points, incidents, results] = await Promise.all([
    listMonitorOptions(db, org_id, check.check_id),
    listLatestByMonitor(db, key, { since: ago(now, seen_sec), until: horizonOf(now) }),
    listDays(db, week, folding),
    readPoints(db, key, chart, folding),
    listCheckIncidents(db, key, INCIDENTS_SHOWN),
    listResultsBefore(deps.database, key, toPosition(wanted), RESULTS_SHOWN),
  ])
  const latest = newestOf(seen) ?? (await newestResults(db, [key], now)).get(check.check_id)
  const byMonitor = new Map(seen.map((result) => [result.monitor_id, result]))
  return {
    check,
    ...stateOf({ ...row, ran_at: latest?.ran_at ?? null }),
    created_at: row.created_at,
    latest,
    monitors: options
      .filter(({ is_assigned }) => is_assigned)
      .map((monitor) => ({ ...monitor, latest: byMonitor.get(monitor.id) })),
    is_for_all: row.all_monitors,
    seen_sec,
    coverage: coverageByDay(row, new Map(days.map(({ at, runs }) => [Date.parse(at), runs])), now, COVERAGE_DAYS),
    period: wanted.period,
    ...chart,
    points,
    incidents,
    results,
  }
}

/** The monitors that a check may have, those it has marked; without a check, for a new one. */
export async function readMonitorOptions(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  check_id: number | null,
): Promise<{ options: MonitorOption[]; is_for_all: boolean }> {
  const [options, is_for_all] = await Promise.all([
    listMonitorOptions(database.db, org_id, check_id),
    check_id === null ? false : findForAll(database.db, org_id, check_id),
  ])
  return { options, is_for_all }
}

interface Key {
  org_id: number
  check_id: number
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

function readPoints(db: Db, key: Key, { step_sec, ...chart }: Chart, folding: Folding): Promise<BucketRow[]> {
  const span = { from: fromDate(chart.from), until: fromDate(chart.until) }
  const read = { [HOUR_SEC]: listHours, [DAY_SEC]: listDays }[step_sec]
  return read
    ? read(db, { org_id: key.org_id, check_ids: [key.check_id], ...span }, folding)
    : listBuckets(db, key, { ...span, step_sec })
}

function newestOf(seen: readonly SeenResult[]): SeenResult | undefined {
  return seen.reduce<SeenResult | undefined>(
    (newest, one) => (newest && newest.ran_at > one.ran_at ? newest : one),
    undefined,
  )
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
