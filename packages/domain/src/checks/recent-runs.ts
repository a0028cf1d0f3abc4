// Counts the runs of many checks in the last day and week, in the same way as the page of a check.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Database } from '@dogwatch/store/database'
import { type FoldedRuns, listCountedHours, listFoldedRuns } from '@dogwatch/store/results/folded-runs'
import { type Folding, listDays, listHours, readFolding } from '@dogwatch/store/results/history'
import { type Division, divide, measure } from '../results/division.ts'
import { stepsBetween } from '../results/excluded.ts'
import { type Runs, sumRuns } from '../results/uptime.ts'
import { startOfPeriod } from './chart-span.ts'
import { countSteps, type HistoryCheck, readPastFacts } from './counted-steps.ts'
import { horizonOf } from './health.ts'

/** Recent history of a check, without what ran during maintenance. */
export interface RecentRuns {
  /** Runs of each of the last 24 hours, oldest first. */
  hours: readonly Runs[]
  /** Division of the last 24 hours together. `week`: division of the last seven days. */
  day: Division
  week: Division
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PACING = { steps_each: 200, at_once: 200 }

/** Reads the recent history of some checks of an organisation. */
export async function readRecentRuns(
  database: Database,
  org_id: number,
  now: Date,
  checks: readonly HistoryCheck[],
): Promise<ReadonlyMap<number, RecentRuns>> {
  if (checks.length === 0) return new Map()
  const check_ids = checks.map(({ check_id }) => check_id)
  const spans = spansUntil(now)
  const folding = await readFolding(database, { org_id, check_ids, from: spans.days_from, until: spans.until })
  const times = { from: startOfPeriod('week', now), until: now, now }
  const [runsOf, facts] = await Promise.all([
    readRuns(database, org_id, check_ids, spans, folding),
    readPastFacts(database, org_id, check_ids, times, { db: database.people }),
  ])
  const end = { until: now.getTime(), now: now.getTime() }
  const steps = (from: string, step_ms: number, runsAt: RunsAt) =>
    stepsBetween({ from: Date.parse(from), ...end, step_ms }, (at) => runsAt.get(at))
  const stepsOf = ({ check_id }: HistoryCheck) => {
    const { hours, days } = runsOf(check_id)
    return [steps(spans.from, HOUR_MS, hours), steps(spans.days_from, DAY_MS, days)]
  }
  const recent = await countSteps(
    database,
    org_id,
    checks,
    { ...facts, folding },
    { stepsOf, ...PACING },
    ({ check, facts: own, counted: [hours = [], days = []] }): [number, RecentRuns] => {
      const ofHours = measure(own, hours).map(({ runs, failures }) => ({ runs, failures }))
      return [check.check_id, { hours: ofHours, day: divide(own, hours), week: divide(own, days) }]
    },
  )
  return new Map(recent)
}

/** Bounds of the history, as texts of one length, so that they sort as text. */
interface Spans {
  from: string
  until: string
  today: string
  days_from: string
}

function spansUntil(now: Date): Spans {
  return {
    from: fromDate(startOfPeriod('day', now)),
    until: horizonOf(now),
    today: fromDate(new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS)),
    days_from: fromDate(startOfPeriod('week', now)),
  }
}

/** Runs of hours or days, by their start in milliseconds. */
type RunsAt = ReadonlyMap<number, Runs>

interface RunsOfCheck {
  hours: RunsAt
  days: RunsAt
}

/**
 * Reads the runs of checks, and returns a function that finds those of one check. Most checks got no late results, so that their
 * sums are enough. The others are counted hour by hour.
 */
async function readRuns(
  database: Database,
  org_id: number,
  check_ids: readonly number[],
  spans: Spans,
  folding: Folding,
): Promise<(check_id: number) => RunsOfCheck> {
  const { from, until, today, days_from } = spans
  const again = folding.days_until < today ? check_ids : [...new Set(folding.marked.map(({ check_id }) => check_id))]
  const folded_until = folding.hours_until < until ? folding.hours_until : until
  const counted_from = folding.hours_until > from ? folding.hours_until : from
  const span = { org_id, check_ids: again, until }
  const [folded, counted, hours, days] = await Promise.all([
    listFoldedRuns(database, org_id, { ...spans, until: folded_until }, check_ids),
    listCountedHours(database, org_id, { from: counted_from, until }, check_ids),
    again.length === 0 ? [] : listHours(database, { ...span, from }, folding),
    again.length === 0 ? [] : listDays(database, { ...span, from: days_from, until: today }, folding),
  ])
  const sums = new Map(folded.map((row) => [row.check_id, row]))
  const unfolded = Map.groupBy(counted, ({ check_id }) => check_id)
  const recounted = new Set(again)
  const [hoursOf, daysOf] = [hours, days].map((rows) => Map.groupBy(rows, ({ check_id }) => check_id))
  return (check_id) => {
    if (recounted.has(check_id)) {
      const rows = (all: typeof hoursOf) =>
        (all?.get(check_id) ?? []).map(({ at, ...runs }) => [Date.parse(at), runs] as const)
      return withToday(rows(hoursOf), rows(daysOf), today)
    }
    const its: FoldedRuns | undefined = sums.get(check_id)
    const newest = (unfolded.get(check_id) ?? []).map(({ at_sec, ...runs }) => [at_sec * 1000, runs] as const)
    return withToday([...readTold(its?.hours, HOUR_MS), ...newest], readTold(its?.days, DAY_MS), today)
  }
}

type TimedRuns = readonly (readonly [at: number, runs: Runs])[]

function withToday(hours: TimedRuns, days: TimedRuns, today: string): RunsOfCheck {
  const midnight = Date.parse(today)
  const all = new Map<number, Runs>(days)
  const ofToday = hours.filter(([at]) => at >= midnight && at < midnight + DAY_MS)
  all.set(midnight, sumRuns(ofToday.map(([, runs]) => runs)))
  return { hours: new Map(hours), days: all }
}

function readTold(told: string | null | undefined, unit_ms: number): TimedRuns {
  if (!told) return []
  return told.split(',').map((one) => {
    const [unit, runs, failures] = one.split(' ').map(Number) as [number, number, number]
    return [unit * unit_ms, { runs, failures }] as const
  })
}
