// Reads the history of one check: its chart, and its uptime over five ranges.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { CheckKey } from '@dogwatch/store/check-keys'
import type { Database } from '@dogwatch/store/database'
import {
  listDaysAndHours,
  listSpread,
  listSteps,
  listStepsByMonitor,
  type UnitSums,
} from '@dogwatch/store/results/check-history'
import { type Folding, listSketchedDays, readFolding } from '@dogwatch/store/results/history'
import { type Division, divide, type Facts, type Segment, type StretchCounts, segmentsOf } from '../results/division.ts'
import { type Step, stepsBetween } from '../results/excluded.ts'
import { isPartlySketched, type LatencySums, type Percentiles, percentilesOf } from '../results/percentiles.ts'
import { type Runs, sumRuns } from '../results/uptime.ts'
import { type Lines, linesOfMonitors, linesOfSpread, linesOfSums, MOST_LINES } from './chart-lines.ts'
import {
  type ChartSpan,
  DAY_SEC,
  floor,
  HOUR_SEC,
  isOneByOne,
  PERIODS,
  type Period,
  startOfPeriod,
} from './chart-span.ts'
import { type CountedCheck, countSteps, type HistoryCheck, readPastFacts } from './counted-steps.ts'
import { coverageByDay, type DayCoverage } from './due.ts'

/** Fields of a check that determine its history. `monitors`: number of monitors that have the check. */
type CheckOfHistory = HistoryCheck & CheckKey & { monitors: number }

export interface Chart extends ChartSpan {
  lines: Lines
  /** Shaded parts of the chart, up to now and without a gap. */
  segments: Segment[]
  /** Numbers of runs and durations for the whole range of the chart. For a period, they equal those in `ranges`. */
  division: Division
}

export interface RangeOfUptime {
  period: Period
  /** Start of the range of the chart. It is later than the start of the period if older results are no longer kept. */
  from: Date
  division: Division
  /** Percentiles of all successes. Undefined if there were none, or if `isPartlySketched`. */
  percentiles: Percentiles | undefined
  /** Whether some steps lack a sketch of their latencies, so that the percentiles are unknown. */
  isPartlySketched: boolean
}

export interface CheckHistory {
  chart: Chart
  ranges: RangeOfUptime[]
  /** Coverage of the last seven days, today first. */
  coverage: DayCoverage[]
}

const COVERAGE_DAYS = 7

interface Bounds {
  now: Date
  /** Start of the results that are still kept. */
  kept_from: Date
  /** Latest time of a run that is shown. It is a little ahead of now, because the clocks of agents differ. */
  horizon: string
}

/** Reads the history of a check: a year, or from the start of its chart if that is earlier. */
export async function readCheckHistory(
  database: Database,
  check: CheckOfHistory,
  span: ChartSpan,
  { now, kept_from, horizon }: Bounds,
): Promise<CheckHistory> {
  const { org_id, check_id } = check
  const year = startOfPeriod('year', now)
  const from = span.from < year ? span.from : year
  const folding = await readFolding(database, { org_id, check_ids: [check_id], from: fromDate(from), until: horizon })
  const units = readUnits(database, check, now, horizon, folding)
  const times = { from, until: now, now }
  const [steps, { days: day_rows, hours: hour_rows }, past] = await Promise.all([
    isByDay(span) && span.from >= year ? stepsOfDays(span, units) : readSteps(database, check, span, horizon, folding),
    units,
    readPastFacts(database, org_id, [check_id], times, { db: database.people }),
  ])
  const kept = kept_from.getTime()
  const stepsOf = () => [
    stretchesOf(steps.counts, span.from, span.step_sec, Math.min(now.getTime(), span.until.getTime()), kept),
    stretchesOf(hour_rows, startOfPeriod('day', now), HOUR_SEC, now.getTime(), kept, now.getTime()),
    stretchesOf(day_rows, year, DAY_SEC, now.getTime(), kept, now.getTime()),
  ]
  const counting = { stepsOf, steps_each: 1 }
  const [one] = await countSteps(database, org_id, [check], { ...past, folding }, counting, (counted) => counted)
  const { facts, counted } = one as CountedCheck<CheckOfHistory>
  const [ofChart = [], ofHours = [], ofDays = []] = counted
  const ranges = PERIODS.map((period) =>
    period === 'day'
      ? rangeOf(period, facts, { counted: ofHours, sums: hour_rows }, now)
      : rangeOf(period, facts, { counted: ofDays, sums: day_rows }, now),
  )
  const division = ranges.find(({ period }) => period === span.period)?.division ?? divide(facts, ofChart)
  return {
    chart: { ...span, lines: steps.lines, segments: segmentsOf(facts, ofChart), division },
    ranges,
    coverage: coverageByDay(
      { timetable: facts.timetable, created_at: check.created_at },
      new Map(Array.from(day_rows, ([at, { runs }]) => [at, runs])),
      now,
      COVERAGE_DAYS,
    ),
  }
}

function rangeOf(
  period: Period,
  facts: Facts,
  { counted, sums }: { counted: readonly StretchCounts[]; sums: Sums },
  now: Date,
): RangeOfUptime {
  const begin = startOfPeriod(period, now).getTime()
  const its = counted.filter(({ from }) => from >= begin)
  const from = its[0]?.from ?? begin
  const sketched = Array.from(sums).flatMap(([at, one]) => (at >= from ? [one] : []))
  const percentiles = percentilesOf(sketched)
  return {
    period,
    from: new Date(from),
    division: divide(facts, its),
    percentiles,
    isPartlySketched: percentiles === undefined && isPartlySketched(sketched),
  }
}

/** Numbers of runs, by the start of their step in milliseconds. */
type Counts = ReadonlyMap<number, Runs>
type Sums = ReadonlyMap<number, LatencySums>

async function readSteps(
  database: Database,
  check: CheckOfHistory,
  span: ChartSpan,
  horizon: string,
  folding: Folding,
): Promise<{ counts: Counts; lines: Lines }> {
  const { org_id, check_id } = check
  const { step_sec } = span
  const bounds = { from: fromDate(span.from), until: fromDate(span.until) }
  if (isOneByOne(span)) {
    if (check.monitors <= MOST_LINES) {
      const rows = await listStepsByMonitor(database, check, { ...bounds, step_sec })
      const byStart = Map.groupBy(
        rows.flatMap(({ steps }) => steps),
        ({ from }) => from,
      )
      const counts = new Map(Array.from(byStart, ([at, steps]) => [at, sumRuns(steps)]))
      return { counts, lines: linesOfMonitors(rows) }
    }
    const rows = await listSpread(database, check, { ...bounds, step_sec })
    return { counts: countsOfRows(rows), lines: linesOfSpread(rows) }
  }
  const until = bounds.until > horizon ? horizon : bounds.until
  const whole = { org_id, check_ids: [check_id], from: bounds.from, until }
  const rows = isByDay(span)
    ? await listSketchedDays(database, whole, folding)
    : await listSteps(database, whole, step_sec, folding)
  return { counts: countsOfRows(rows), lines: linesOfSums(rows) }
}

/** Returns the steps of a chart from the days that are read anyway. */
async function stepsOfDays(
  { from, until }: ChartSpan,
  units: Promise<Units>,
): Promise<{ counts: Counts; lines: Lines }> {
  const { days } = await units
  const rows = Array.from(days.values(), (sums) => ({ at: fromDate(new Date(sums.from)), ...sums }))
  const within = rows.filter(({ at }) => at >= fromDate(from) && at < fromDate(until))
  return { counts: countsOfRows(within), lines: linesOfSums(within) }
}

/** Sums of days and hours, by their start in milliseconds. */
type Units = Readonly<Record<'days' | 'hours', ReadonlyMap<number, UnitSums>>>

/** Reads the sums for the days of a year and the hours of a day. */
async function readUnits(
  database: Database,
  { org_id, check_id }: CheckKey,
  now: Date,
  horizon: string,
  folding: Folding,
): Promise<Units> {
  const span = { org_id, check_ids: [check_id], from: fromDate(startOfPeriod('year', now)), until: horizon }
  const { days, hours } = await listDaysAndHours(database, span, fromDate(startOfPeriod('day', now)), folding)
  const byBegin = (rows: readonly UnitSums[]) => new Map(rows.map((row) => [row.from, row]))
  return { days: byBegin(days), hours: byBegin(hours) }
}

/** Whether each step of a chart is a day and shows its sums. */
function isByDay(span: ChartSpan): boolean {
  return span.step_sec === DAY_SEC && !isOneByOne(span)
}

function countsOfRows(rows: readonly (Runs & { at: string })[]): Counts {
  return new Map(rows.map((row) => [Date.parse(row.at), row]))
}

/** Returns every step of a range until its end, including those without results, except those that are no longer kept. */
function stretchesOf(
  counts: Counts,
  from: Date,
  step_sec: number,
  until: number,
  kept_from: number,
  now?: number,
): Step[] {
  const begin = Math.max(from.getTime(), floor(new Date(kept_from), step_sec).getTime())
  const span = { from: begin, until, step_ms: step_sec * 1000, ...(now !== undefined && { now }) }
  return stepsBetween(span, (at) => counts.get(at))
}
