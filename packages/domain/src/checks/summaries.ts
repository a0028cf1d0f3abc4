// Computes uptime and response times of checks over a range of time, in steps of an hour or a day, by the rules of a check's
// page.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { findOrganisation } from '@dogwatch/store/accounts/organisations'
import { listChecksToSum, type SummarisedCheck } from '@dogwatch/store/checks/summarised-checks'
import type { Database } from '@dogwatch/store/database'
import { listSpread, type SpreadStep } from '@dogwatch/store/results/check-history'
import { listSketchedDays, listSketchedHours, readFolding, type SketchedRow } from '@dogwatch/store/results/history'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { planOf } from '../organisations/plans.ts'
import type { Interval } from '../results/cover.ts'
import { type Division, divide, type Facts, heldMs, measure, type StretchCounts } from '../results/division.ts'
import { stepsOfRows } from '../results/excluded.ts'
import { averageLatency } from '../results/latency.ts'
import { percentilesOf } from '../results/percentiles.ts'
import type { Runs } from '../results/uptime.ts'
import { isStorable } from '../text.ts'
import { countSteps, readPastFacts } from './counted-steps.ts'
import { horizonOf } from './health.ts'

export type StepName = 'hour' | 'day'

interface SpanToSum {
  from: Date
  /** End of the last step, or now. */
  until: Date
  step: StepName
}

/** Response times of successes, in milliseconds. Undefined if there were none, or they are unknown. */
interface Latency {
  mean_ms: number | undefined
  max_ms: number | undefined
  /** Median latency of the successes. `p95_ms`: their 95th percentile. */
  p50_ms: number | undefined
  p95_ms: number | undefined
}

export interface SummedStep extends Latency, Interval, Runs {
  due: number
  arrived: number
  unknown_sec: number
  maintenance_sec: number
}

export interface Summary {
  check: Pick<SummarisedCheck, 'guid' | 'name' | 'key'>
  total: Division & Latency
  steps: SummedStep[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LENGTHS: Readonly<Record<StepName, number>> = { hour: HOUR_MS, day: DAY_MS }
/** Longest range for each length of steps, in days. */
const MOST_DAYS: Readonly<Record<StepName, number>> = { hour: 31, day: 400 }
/** Longest range that has steps of an hour by default, in milliseconds. */
const SHORT_MS = 2 * DAY_MS
/** Longest range whose results are read one by one, as for a chart, in milliseconds. */
const MOST_ONE_BY_ONE_MS = 8 * DAY_MS
const MOST_DAYS_OF_MANY = 92

/** Earliest instant that can be stored. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z')

/** Returns the requested range in whole steps. Default: the last 24 hours. */
function spanToSum(
  { since, until, step: asked }: { since?: Date | undefined; until?: Date | undefined; step?: StepName | undefined },
  now: Date,
  most_days?: number,
): SpanToSum {
  const end = Math.min((until ?? now).getTime(), now.getTime())
  const begin = Math.max(since?.getTime() ?? end - DAY_MS, FIRST_MS)
  if (!(begin < end)) throw new FieldError('invalid', 'since', 'must be earlier than "until", and in the past')
  const step = asked ?? (end - begin <= SHORT_MS ? 'hour' : 'day')
  const most = most_days ?? MOST_DAYS[step]
  if (end - begin > most * DAY_MS) {
    throw new FieldError(
      'invalid',
      'since',
      `must be at most ${most} days before "until" if each step is ${step === 'hour' ? 'an hour' : 'a day'}`,
    )
  }
  const length = LENGTHS[step]
  return {
    from: new Date(Math.floor(begin / length) * length),
    until: new Date(Math.min(Math.ceil(end / length) * length, now.getTime())),
    step,
  }
}

/** Reads the history of one check, in steps and in total. */
export async function summarise(
  deps: Deps,
  org_id: number,
  guid: string,
  asked: Parameters<typeof spanToSum>[0],
): Promise<Summary & { span: SpanToSum }> {
  const { database, clock } = deps
  const span = spanToSum(asked, clock.now())
  const [check] = isStorable(guid) ? await listChecksToSum(database.people, org_id, { guid, limit: 1 }) : []
  if (!check) throw new DomainError('missing', 'no check with that guid')
  const isShort = span.step === 'hour' && span.until.getTime() - span.from.getTime() <= MOST_ONE_BY_ONE_MS
  const bounds = { from: fromDate(span.from), until: runsUntil(span, clock.now()), step_sec: HOUR_MS / 1000 }
  const spread = isShort ? await listSpread(database, { org_id, check_id: check.check_id }, bounds) : []
  const [summary] = await sum(deps, org_id, [check], span, spread)
  return { ...(summary as Summary), span }
}

/** Reads the totals of many checks, oldest first. `after`: guid of the last check of the previous page. */
export async function summariseMany(
  deps: Deps,
  org_id: number,
  asked: { limit: number; tag?: string | undefined; after?: string | undefined; since?: Date; until?: Date },
): Promise<{ summaries: Summary[]; next: string | undefined; span: SpanToSum }> {
  const { limit, tag, after } = asked
  const span = spanToSum(asked, deps.clock.now(), MOST_DAYS_OF_MANY)
  if (![tag, after].every((text) => text === undefined || isStorable(text))) {
    return { summaries: [], next: undefined, span }
  }
  const found = await listChecksToSum(deps.database.people, org_id, { limit: limit + 1, tag, after })
  const checks = found.slice(0, limit)
  const summaries = await sum(deps, org_id, checks, span)
  return { summaries, next: found.length > limit ? checks.at(-1)?.guid : undefined, span }
}

/** Cost of the counts of a check, in steps of `Pace`. */
const STEPS_EACH = 200

/** Sums up checks. Omits the steps unless `spread` is given. */
async function sum(
  { database, clock }: Deps,
  org_id: number,
  checks: readonly SummarisedCheck[],
  span: SpanToSum,
  spread?: readonly SpreadStep[],
): Promise<Summary[]> {
  if (checks.length === 0) return []
  const from = fromDate(span.from)
  const whole = { org_id, check_ids: checks.map(({ check_id }) => check_id), from, until: runsUntil(span, clock.now()) }
  const folding = await readFolding(database, whole)
  const [rows, kept_from, past] = await Promise.all([
    span.step === 'hour' ? listSketchedHours(database, whole, folding) : listSketchedDays(database, whole, folding),
    readKeptFrom(database, org_id, clock.now()),
    readPastFacts(database, org_id, whole.check_ids, { ...span, now: clock.now() }, { db: database.people }),
  ])
  const now = clock.now().getTime()
  // Steps that are no longer kept are omitted.
  const begin = Math.max(span.from.getTime(), kept_from)
  const steps = { from: begin, until: span.until.getTime(), now, step_ms: LENGTHS[span.step] }
  const byCheck = Map.groupBy(rows, ({ check_id }) => check_id)
  const rowsOf = ({ check_id }: SummarisedCheck) => byCheck.get(check_id) ?? []
  return countSteps(
    database,
    org_id,
    checks,
    { ...past, folding },
    { stepsOf: (check) => [stepsOfRows(steps, rowsOf(check))], steps_each: STEPS_EACH },
    ({ check, facts, counted: [counted = []] }): Summary => {
      const own = { rows: rowsOf(check), facts, counted }
      const total = { ...divide(facts, counted), ...latencyOf(own.rows) }
      return { check, total, steps: spread ? stepsOf(own, spread) : [] }
    },
  )
}

/** Returns the end of the range, or of the step that is under way, because fast clocks date runs ahead. */
function runsUntil({ until, step }: SpanToSum, now: Date): string {
  const length = LENGTHS[step]
  const end = fromDate(new Date(Math.ceil(until.getTime() / length) * length))
  const horizon = horizonOf(now)
  return end > horizon ? horizon : end
}

async function readKeptFrom(database: Database, org_id: number, now: Date): Promise<number> {
  const organisation = await findOrganisation(database.people, org_id)
  if (!organisation) throw new DomainError('missing', 'no organisation with that id')
  return Math.floor(now.getTime() / DAY_MS) * DAY_MS - planOf(organisation).retention_days * DAY_MS
}

/** Returns the numbers of each step, without those before the check existed. */
function stepsOf(
  { rows, facts, counted }: { rows: readonly SketchedRow[]; facts: Facts; counted: readonly StretchCounts[] },
  spread: readonly SpreadStep[],
): SummedStep[] {
  const { timetable, maintenance, exists_from } = facts
  const rowOf = new Map(rows.map((row) => [Date.parse(row.at), row]))
  const spreadOf = new Map(spread.map((row) => [Date.parse(row.at), row]))
  const steps = measure(facts, counted).map(({ from, until, runs, failures, watch }, index): SummedStep => {
    const row = rowOf.get(from)
    const latency = latencyOf(row ? [row] : [])
    const exact = spreadOf.get(from)
    return {
      ...{ from, until, runs, failures },
      due: Math.floor(timetable.runsDue(from, until)),
      arrived: counted[index]?.runs ?? 0,
      unknown_sec: Math.round(watch.scheduled_sec - watch.watched_sec),
      maintenance_sec: Math.round(heldMs(timetable, maintenance, from, until) / 1000),
      ...latency,
      p50_ms: exact?.latency_p50_ms ?? latency.p50_ms,
      p95_ms: exact?.latency_p95_ms ?? latency.p95_ms,
    }
  })
  return steps.filter(({ until, arrived }) => until > exists_from || arrived > 0)
}

function latencyOf(rows: readonly SketchedRow[]): Latency {
  const slowest = Math.max(...rows.map(({ latency_max_ms }) => latency_max_ms ?? -1))
  const { p50_ms, p95_ms } = percentilesOf(rows) ?? {}
  return { mean_ms: averageLatency(rows), max_ms: slowest < 0 ? undefined : slowest, p50_ms, p95_ms }
}
