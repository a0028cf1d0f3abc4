// The overview of an org's checks: the state and recent history of each.
import { Pace } from '../../runtime/pace.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import { type CheckKey, type LatestResult, listLatestResults } from '../../store/checks/check-health.ts'
import { listOverview, type NewestRun, type OverviewRow } from '../../store/checks/check-overview.ts'
import type { Database, Db } from '../../store/database.ts'
import { type FoldedRuns, listCountedHours, listFoldedRuns } from '../../store/results/folded-runs.ts'
import { type Folding, listDays, listHours, readFolding } from '../../store/results/history.ts'
import { listSchedules } from '../../store/checks/schedules.ts'
import type { Deps } from '../deps.ts'
import { readMaintenance } from '../maintenance/times.ts'
import { type Runs, sumRuns } from '../results/uptime.ts'
import { timetableOf, type Watch, watchOfTotal } from '../results/watched.ts'
import { horizonOf } from './health.ts'
import { type LeftOut, readLeftOut } from './left-out.ts'
import { type CheckState, type ShownState, stateOf } from './state.ts'

/** Counts of an hour with failures; `well` for one without; undefined when nothing ran. */
export type HourCell = Runs | 'well' | undefined

/** A check's recent history. */
export interface RecentRuns {
  /** Oldest first. */
  hours: HourCell[]
  /** All of these hours together, without what ran during maintenance; the week likewise. */
  day: Runs
  week: Runs
}

export interface CheckAtAGlance extends Omit<OverviewRow, 'newest'>, RecentRuns {
  state: CheckState
  since: string | null
  latest: NewestRun | undefined
  /** How much of the day and of the week was watched. */
  day_watch: Watch
  week_watch: Watch
}

export interface Overview {
  checks: CheckAtAGlance[]
  /** When the first of the hours begins. */
  from: Date
}

const HOURS_SHOWN = 24
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The newest results are searched here first: only few checks run more seldom. */
const LOOK_BACK_MS = 2 * DAY_MS

/** Down first, then unmonitored, failing and degraded; each by name. */
const ORDER: readonly ShownState[] = ['down', 'unmonitored', 'failing', 'degraded', 'unknown', 'up', 'paused']
const collator = new Intl.Collator('en')
const NO_RUNS: Runs = { runs: 0, failures: 0 }

/** How long a check takes, in steps of {@link Pace}. */
const STEPS_EACH = 200

export async function readOverview({ database, clock }: Deps, org_id: number): Promise<Overview> {
  const now = clock.now()
  const [rows, recentOf] = await Promise.all([
    readCheckStates(database, org_id, now),
    readRecentRuns(database, org_id, now),
  ])
  const checks = await new Pace().map(
    rows,
    (row) => ({ ...row, ...stateOf({ ...row, seen_at: row.latest?.at ?? null }), ...recentOf(row) }),
    () => STEPS_EACH,
  )
  return { checks: checks.toSorted(byUrgency), from: firstHour(now) }
}

export type WatchedRuns = RecentRuns & Pick<CheckAtAGlance, 'day_watch' | 'week_watch'>

/** The recent history of an org's checks, or of some of them, and how much of it was watched. */
export async function readRecentRuns(
  database: Database,
  org_id: number,
  now: Date,
  check_ids?: readonly number[],
): Promise<(check: Pick<OverviewRow, 'check_id' | 'created_at' | 'interval_sec' | 'enabled'>) => WatchedRuns> {
  const [from, week_from] = [firstHour(now), weekFrom(now)]
  const [recent, schedules, past] = await Promise.all([
    readRecent(database, org_id, now, from, check_ids),
    listSchedules(database, org_id, fromDate(week_from), check_ids),
    readMaintenance(database.people, org_id, { from: week_from, until: now }),
  ])
  const leftOut = await readLeftOut(database, org_id, past, recent, { week_from, day_from: from, now })
  const schedulesOf = new Map(schedules.map((one) => [one.check_id, one.schedules]))
  return (check) => {
    const its = recent.get(check.check_id) ?? { hours: noHours(), day: NO_RUNS, week: NO_RUNS }
    const own = timetableOf(schedulesOf.get(check.check_id), check)
    const { maintenance, ...left }: Partial<LeftOut> & Omit<LeftOut, 'maintenance'> = leftOut.get(check.check_id) ?? {
      day: NO_RUNS,
      week: NO_RUNS,
    }
    const [day, week] = [without(its.day, left.day), without(its.week, left.week)]
    const watch = (begin: Date, { runs }: Runs) => {
      const span = { from: begin.getTime(), until: now.getTime() }
      return watchOfTotal(own, { ...span, runs, ...(maintenance && { without: maintenance }) })
    }
    return { ...its, day, week, day_watch: watch(from, day), week_watch: watch(week_from, week) }
  }
}

function without(all: Runs, left: Runs): Runs {
  return { runs: all.runs - left.runs, failures: all.failures - left.failures }
}

/** When the first of the hours that are shown begins. */
export function firstHour(now: Date): Date {
  return new Date(floor(now, HOUR_MS) - (HOURS_SHOWN - 1) * HOUR_MS)
}

export type CheckWithLatest = Omit<OverviewRow, 'newest'> & { latest: NewestRun | undefined }

/** The state of an org's checks, or of some of them, with the newest result of each. */
export async function readCheckStates(
  database: Database,
  org_id: number,
  now: Date,
  check_ids?: readonly number[],
): Promise<CheckWithLatest[]> {
  if (check_ids?.length === 0) return []
  const rows = await listOverview(database, org_id, horizonOf(now), check_ids)
  const older = await newestResults(
    database.people,
    rows.filter(({ newest }) => newest === null),
    now,
  )
  return rows.map(({ newest, ...row }) => ({ ...row, latest: newest ?? older.get(row.check_id) }))
}

/** The newest result of each check; checks without any are left out. */
export async function newestResults(db: Db, keys: readonly CheckKey[], now: Date): Promise<Map<number, LatestResult>> {
  if (keys.length === 0) return new Map()
  const until = horizonOf(now)
  const find = (some: readonly CheckKey[], since: string) =>
    listLatestResults(db, some, { until, since, limits: some.map(() => 1) })
  const recent = await find(keys, fromDate(new Date(now.getTime() - LOOK_BACK_MS)))
  const found = new Map(recent.map((result) => [result.check_id, result]))
  const rest = keys.filter(({ check_id }) => !found.has(check_id))
  if (rest.length === 0) return found
  for (const result of await find(rest, '-infinity')) found.set(result.check_id, result)
  return found
}

/** The bounds of what is shown, as text of one length: they sort as text. */
interface Spans {
  from: string
  until: string
  today: string
  days_from: string
}

/**
 * The recent history of each check. Most checks ran in every hour and got no late results, so their sums are enough.
 * The others are read hour by hour.
 */
async function readRecent(
  database: Database,
  org_id: number,
  now: Date,
  from: Date,
  check_ids?: readonly number[],
): Promise<Map<number, RecentRuns>> {
  const midnight = floor(now, DAY_MS)
  const spans = {
    from: fromDate(from),
    until: fromDate(new Date(floor(now, HOUR_MS) + HOUR_MS)),
    today: fromDate(new Date(midnight)),
    days_from: fromDate(weekFrom(now)),
  }
  const folding = await readFolding(database, {
    org_id,
    ...(check_ids && { check_ids }),
    from: spans.days_from,
    until: spans.until,
  })
  const folded_until = folding.hours_until < spans.until ? folding.hours_until : spans.until
  const counted_from = folding.hours_until > spans.from ? folding.hours_until : spans.from
  const [folded, counted] = await Promise.all([
    listFoldedRuns(database, org_id, { ...spans, until: folded_until }, check_ids),
    listCountedHours(database, org_id, { from: counted_from, until: spans.until }, check_ids),
  ])
  const recent = new Map(folded.map((row) => [row.check_id, ofSums(row, from, Date.parse(folded_until))]))
  for (const { check_id, at_sec, ...runs } of counted) {
    const its = recent.get(check_id)
    if (its) add(its, (at_sec * 1000 - from.getTime()) / HOUR_MS, runs, at_sec * 1000 >= midnight)
  }
  const told = new Set(hoursToldOneByOne(folded, folding, spans, folded_until))
  for (const [check_id, its] of await readHourByHour(database, org_id, [...told], spans, folding))
    recent.set(check_id, its)
  return recent
}

/** Checks whose sums are not enough: an hour without a run must be found, or an hour or day counted again. */
function hoursToldOneByOne(
  folded: readonly FoldedRuns[],
  folding: Folding,
  spans: Spans,
  folded_until: string,
): number[] {
  if (folding.days_until < spans.today) return folded.map(({ check_id }) => check_id)
  const all = (Date.parse(folded_until) - Date.parse(spans.from)) / HOUR_MS
  const gaps = folded.filter(({ hours }) => hours > 0 && hours < all)
  return [...gaps, ...folding.marked].map(({ check_id }) => check_id)
}

function ofSums(row: FoldedRuns, from: Date, folded_until_ms: number): RecentRuns {
  const hours = noHours()
  if (row.hours > 0) hours.fill('well', 0, (folded_until_ms - from.getTime()) / HOUR_MS)
  for (const [index, at_sec] of row.failed_at_sec.entries()) {
    const cell = { runs: row.failed_runs[index] ?? 0, failures: row.failed_failures[index] ?? 0 }
    hours[(at_sec * 1000 - from.getTime()) / HOUR_MS] = cell
  }
  return {
    hours,
    day: { runs: row.runs, failures: row.failures },
    week: { runs: row.days_runs + row.today_runs, failures: row.days_failures + row.today_failures },
  }
}

function add(its: RecentRuns, index: number, runs: Runs, isToday: boolean): void {
  its.hours[index] = runs.failures === 0 ? 'well' : runs
  its.day = sumRuns([its.day, runs])
  if (isToday) its.week = sumRuns([its.week, runs])
}

async function readHourByHour(
  database: Database,
  org_id: number,
  check_ids: readonly number[],
  { from, until, today, days_from }: Spans,
  folding: Folding,
): Promise<Map<number, RecentRuns>> {
  if (check_ids.length === 0) return new Map()
  const [hours, days] = await Promise.all([
    listHours(database, { org_id, check_ids, from, until }, folding),
    listDays(database, { org_id, check_ids, from: days_from, until: today }, folding),
  ])
  const recent = new Map(check_ids.map((id) => [id, { hours: noHours(), day: NO_RUNS, week: NO_RUNS }]))
  for (const { check_id, runs, failures } of days) {
    const its = recent.get(check_id)
    if (its) its.week = sumRuns([its.week, { runs, failures }])
  }
  for (const { check_id, at, runs, failures } of hours) {
    const its = recent.get(check_id)
    if (its) add(its, (Date.parse(at) - Date.parse(from)) / HOUR_MS, { runs, failures }, at >= today)
  }
  return recent
}

function noHours(): HourCell[] {
  return new Array<HourCell>(HOURS_SHOWN).fill(undefined)
}

interface Ranked {
  check_id: number
  name: string
  state: ShownState
}

/** What is wrong first, then by name. */
export function byUrgency(a: Ranked, b: Ranked): number {
  return ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || collator.compare(a.name, b.name) || a.check_id - b.check_id
}

/** When the first of the seven days began. */
export function weekFrom(now: Date): Date {
  return new Date(floor(now, DAY_MS) - 6 * DAY_MS)
}

function floor(at: Date, unit_ms: number): number {
  return Math.floor(at.getTime() / unit_ms) * unit_ms
}
