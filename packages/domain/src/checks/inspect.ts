// Reads everything that is known about one check: its state, its monitors, its history and its results.
import { hideSecrets } from '@dogwatch/check-rules/secrets'
import { fromDate, isDateTime, toMicroseconds } from '@dogwatch/runtime/timestamps'
import { listChannelsTold, type ToldChannel } from '@dogwatch/store/alerting/delivery-log'
import {
  type DetailRow,
  findDetail,
  listMonitorOptions,
  type MonitorOfCheck,
  type MonitorOption,
} from '@dogwatch/store/checks/check-overview'
import { type CheckRow, findForAll } from '@dogwatch/store/checks/checks'
import { listFailingChecks } from '@dogwatch/store/checks/failing'
import { type CurrentJudgement, findJudgement } from '@dogwatch/store/checks/judgements'
import type { Database } from '@dogwatch/store/database'
import type { SeenResult } from '@dogwatch/store/results/newest'
import { listLatestByMonitor } from '@dogwatch/store/results/newest'
import type { NewestRun } from '@dogwatch/store/results/newest-of-checks'
import { END, listResultsBefore, type Position, type ResultRow } from '@dogwatch/store/results/result-pages'
import { type FoundResults, type ResultFilter, searchResults } from '@dogwatch/store/results/result-search'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { ONLINE_MS } from '../monitors/monitor.ts'
import { planOf } from '../organisations/plans.ts'
import { toStorable } from '../text.ts'
import { DAY_SEC, floor, type Period, spanBetween, spanOfPeriod } from './chart-span.ts'
import { type CheckHistory, readCheckHistory } from './check-history.ts'
import { horizonOf } from './health.ts'
import { newestResults } from './overview.ts'
import { redactResults } from './redact.ts'
import { type ShownSince, shownStateOf, stateWithResult } from './state.ts'
import { nextRunAt } from './turns.ts'

export type { CheckHistory, ToldChannel }

export interface MonitorSight extends MonitorOfCheck {
  is_online: boolean
  /** Newest result of the monitor for the check. Undefined if none arrived within `seen_sec`. */
  latest: SeenResult | undefined
}

export interface CheckInDetail
  extends ShownSince,
    Pick<DetailRow, 'created_at' | 'flapping_since' | 'incidents' | 'judged_by_server'> {
  /** The check, without its secrets. */
  check: CheckRow
  /** Time since which the check is unmonitored. Also set if the check is down. */
  unmonitored_since: string | null
  /** Reasons why the check is degraded. Also present if the check is down or unmonitored by now. */
  degraded_reasons: readonly string[]
  latest: NewestRun | undefined
  /** Time at which a monitor runs the check next by its turns. Null if no monitor runs it. */
  next_run_at: string | null
  /** Monitors that have the check. */
  monitors: MonitorSight[]
  is_for_all: boolean
  /** Length of the search for each monitor's latest result, in seconds. */
  seen_sec: number
  /** Channels that receive or will receive alerts about the open incident. */
  told: ToldChannel[]
  /** Last judgement by the server. Undefined if monitors run the check, or before the first judgement. */
  judgement: CurrentJudgement | undefined
  /** Newest results, newest first. */
  newest: ResultRow[]
  /** Expiry of the target's certificate, from the newest result that reports it. */
  cert_expires_at: string | null
  kept_days: number
}

export type CheckWithHistory = CheckInDetail & CheckHistory

export type SpanAsked = { period: Period } | { from: string; to: string }

const RESULTS_SHOWN = 50
export const INCIDENTS_SHOWN = 20
/** Minimum number of newest results to read. It suffices for one of each monitor, unless a monitor was silent for a while. */
const NEWEST_RESULTS = 16

/** Reads a check in detail, without its history. */
export async function readStanding(
  deps: Deps,
  org_id: number,
  guid: string,
  most_incidents = INCIDENTS_SHOWN,
): Promise<CheckInDetail> {
  return standingOf(deps, await findCheckDetail(deps, org_id, guid, most_incidents))
}

/** Reads a check in detail, with its history. */
export async function inspectCheck(
  deps: Deps,
  org_id: number,
  guid: string,
  asked: SpanAsked,
): Promise<CheckWithHistory> {
  const now = deps.clock.now()
  const detail = await findCheckDetail(deps, org_id, guid, INCIDENTS_SHOWN)
  const each_sec = detail.interval_sec * Math.max(1, detail.monitors)
  const span =
    'period' in asked ? spanOfPeriod(asked.period, now, each_sec) : spanBetween(asked.from, asked.to, now, each_sec)
  const kept_from = new Date(floor(now, DAY_SEC).getTime() - keptDays(detail) * DAY_SEC * 1000)
  const [standing, history] = await Promise.all([
    standingOf(deps, detail),
    readCheckHistory(deps.database, detail, span, { now, kept_from, horizon: horizonOf(now) }),
  ])
  return { ...standing, ...history }
}

async function findCheckDetail({ database, clock }: Deps, org_id: number, guid: string, incidents: number) {
  // No check has a guid that the database cannot store.
  const isStorable = toStorable(guid) === guid
  const until = horizonOf(clock.now())
  const detail = isStorable ? await findDetail(database, org_id, guid, { until, incidents }) : undefined
  if (!detail) throw new DomainError('missing', 'no check with that guid')
  return detail
}

async function standingOf({ database, clock }: Deps, detail: DetailRow): Promise<CheckInDetail> {
  const now = clock.now()
  const { its_monitors, incidents, newest: newest_run, flapping_since, ...check } = hideSecrets(detail)
  const seen_sec = Math.max(DAY_SEC, 3 * check.interval_sec * Math.max(1, check.monitors))
  const open = incidents.find(({ ended_at }) => ended_at === null)
  const limit = Math.min(RESULTS_SHOWN, Math.max(NEWEST_RESULTS, 3 * its_monitors.length))
  const [newest, told, failing] = await Promise.all([
    readResultsBefore(database, detail, { before: END, limit }, now).then((rows) =>
      redactResults(database.people, detail, rows),
    ),
    open ? listChannelsTold(database.people, check, open.incident_id) : [],
    listFailingChecks(database, check.org_id, horizonOf(now), check.check_id),
  ])
  const seen = await readSights(database, detail, newest, { since: ago(now, seen_sec), until: horizonOf(now) })
  const judgement = check.judged_by_server ? await findJudgement(database.people, check) : undefined
  const latest = newest_run ?? (await newestResults(database.people, [check], now)).get(check.check_id)
  return {
    check,
    ...shownStateOf(stateWithResult({ ...check, latest }), failing.length > 0),
    unmonitored_since: check.unmonitored_since,
    degraded_reasons: check.degraded_reasons ?? [],
    created_at: check.created_at,
    latest,
    judgement,
    judged_by_server: check.judged_by_server,
    next_run_at:
      check.enabled && check.monitors > 0 && !check.judged_by_server ? fromDate(nextRunAt(check, now)) : null,
    monitors: its_monitors.map((monitor) => ({
      ...monitor,
      is_online: monitor.is_on && monitor.last_seen_at !== null && monitor.last_seen_at > ago(now, ONLINE_MS / 1000),
      latest: seen.get(monitor.id),
    })),
    is_for_all: check.all_monitors,
    seen_sec,
    incidents,
    told,
    flapping_since,
    newest,
    cert_expires_at: newest.find(({ cert_expires_at }) => cert_expires_at !== null)?.cert_expires_at ?? null,
    kept_days: keptDays(detail),
  }
}

function keptDays({ org_plan }: DetailRow): number {
  return planOf(org_plan).retention_days
}

export interface ResultsAsked extends ResultFilter {
  before?: string | undefined
  before_monitor?: string | undefined
}

/**
 * Finds results of a check before a position, newest first, without the secrets of the check. Filters them by outcome and monitor
 * on request.
 */
export async function findResults(
  { database, clock }: Deps,
  check: Pick<CheckRow, 'guid' | 'interval_sec' | 'result_detail_max_chars'> & { org_id: number; check_id: number },
  asked: ResultsAsked,
  limit = RESULTS_SHOWN,
): Promise<FoundResults> {
  const before = toPosition(asked)
  const { success, monitor_id } = asked
  const isFiltered = success !== undefined || monitor_id !== undefined
  const found = isFiltered
    ? await searchResults(database, check, before, limit, { success, monitor_id })
    : await pageBefore(database, check, { before, limit }, clock.now())
  return { ...found, rows: await redactResults(database.people, check, found.rows) }
}

async function pageBefore(...asked: Parameters<typeof readResultsBefore>): Promise<FoundResults> {
  const [, , { limit }] = asked
  const rows = await readResultsBefore(...asked)
  return { rows, stopped: rows.length === limit ? rows.at(-1) : undefined }
}

function readResultsBefore(
  database: Database,
  check: Pick<DetailRow, 'org_id' | 'check_id' | 'interval_sec' | 'result_detail_max_chars'>,
  { before, limit }: { before: Position; limit: number },
  now: Date,
): Promise<ResultRow[]> {
  const until = before === END ? now : new Date(before.ran_at)
  const page_ms = limit * check.interval_sec * 1000
  return listResultsBefore(database, check, before, limit, {
    ms: Math.max(DAY_SEC * 1000, 2 * page_ms),
    until,
    page_ms,
  })
}

/**
 * Returns the newest result of each monitor that has the check. Usually `newest` contains them all. Queries the database only if
 * a monitor was silent for a while.
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
  const latest = await redactResults(people, check, await listLatestByMonitor(people, check, span))
  return new Map(latest.map((result) => [result.monitor_id, result]))
}

/** Reads the monitors that a check can have, and marks those that it has. Without a check, reads those for a new one. */
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

function toPosition({ before, before_monitor = '' }: ResultsAsked): Position {
  if (before === undefined) return END
  if (!isDateTime(before)) throw new FieldError('invalid', 'before', 'must be an RFC 3339 date-time')
  return { ran_at: toMicroseconds(before), monitor_id: toStorable(before_monitor) }
}

function ago(now: Date, sec: number): string {
  return fromDate(new Date(now.getTime() - sec * 1000))
}
