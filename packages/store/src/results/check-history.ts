// Reads the history of one check as its page shows it: in steps, by monitor, and the counts of its days.
import { sql } from 'kysely'
import type { CheckKey } from '../check-keys.ts'
import type { Database } from '../database.ts'
import { days, type Folding, type HistorySpan, hours, nameOf, recentHours, run } from './history.ts'
import { inBothForms, type TextReader } from './stored/results-of.ts'
import { SKETCHED, type SketchedRow, SUMS_OF_SUMS } from './stored/sums.ts'

/** Lists sums of hours in steps of several hours, which count from the Unix epoch, oldest first. */
export async function listSteps(
  database: Database,
  span: HistorySpan,
  step_sec: number,
  folding: Folding,
): Promise<SketchedRow[]> {
  const query = sql<SketchedRow>`
    select check_id, wire_time(at) as at, ${SKETCHED} from (
      select check_id, date_bin(make_interval(secs => ${step_sec}), at, timestamptz '1970-01-01 00:00:00+00') as at,
        ${SUMS_OF_SUMS}
      from (${hours(span, folding)}) h group by 1, 2) s
    order by check_id, at`
  return run(database, query, nameOf('history-steps', span, folding))
}

/** Sums of one hour, day or step. */
export interface StepSums {
  /** Unix time at which it begins, in milliseconds. */
  from: number
  runs: number
  failures: number
  /** Mean of the successes. Null if there were none. */
  latency_avg_ms: number | null
  latency_max_ms: number | null
}

/** {@link StepSums} of an hour or day, with its sketch. */
export interface UnitSums extends StepSums {
  latency_sketch: Uint8Array | null
}

/**
 * Lists the days of one check in UTC, and its hours from an instant on, oldest first. One statement reads both, because the
 * hours of today belong to both. Each list arrives as a text, because a row for each day of a year is slow.
 */
export async function listDaysAndHours(
  database: Database,
  span: HistorySpan,
  hours_from: string,
  folding: Folding,
): Promise<Record<'days' | 'hours', UnitSums[]>> {
  const query = sql<Record<'days' | 'hours', EncodedUnits>>`
    with recent as materialized (${recentHours(span, hours_from, folding)})
    select days, hours
    from (select ${TOLD} as days from (${days(span, folding, true)} order by at) u) of_days,
      (select ${TOLD} as hours from (select * from recent where at >= ${hours_from}::timestamptz order by at) u) of_hours`
  const [row] = await run(database, query, nameOf('days-and-hours', span, folding))
  return { days: readUnits(row?.days), hours: readUnits(row?.hours) }
}

const HOUR_MS = 3_600_000

/** Text of all units, and all of their sketches in the same order. Each unit contains the length of its sketch. */
type EncodedUnits = [units: string | null, sketches: string | null]

const TOLD =
  sql.raw(`json_build_array(string_agg(concat_ws(' ', (date_part('epoch', at) / 3600)::integer, runs, failures, latency_sum_ms,
  latency_max_ms, length(latency_sketch)), ','), encode(string_agg(latency_sketch, ''), 'hex'))`)

function readUnits([units, hex]: EncodedUnits = [null, null]): UnitSums[] {
  if (units === null) return []
  const sketches = Buffer.from(hex ?? '', 'hex')
  let at = 0
  return units.split(',').map((told) => {
    const [hour, runs, failures, latency_sum_ms, latency_max_ms, length] = told.split(' ')
    const successes = Number(runs) - Number(failures)
    const begin = at
    at += Number(length ?? 0)
    return {
      from: Number(hour) * HOUR_MS,
      runs: Number(runs),
      failures: Number(failures),
      latency_avg_ms: successes > 0 ? Number(latency_sum_ms) / successes : null,
      latency_max_ms: successes > 0 ? Number(latency_max_ms) : null,
      latency_sketch: length === undefined ? null : sketches.subarray(begin, at),
    }
  })
}

/** Steps of one monitor. */
export interface MonitorSteps {
  monitor_id: string
  monitor_name: string
  /** Steps, oldest first. */
  steps: StepSums[]
}

const binned = (results: TextReader): string => `
  select date_bin(make_interval(secs => $5), ran_at, timestamptz '1970-01-01 00:00:00+00') as at, monitor_id, success, latency_ms
  from (${results.of({
    columns: ['ran_at', 'monitor_id', 'success', 'latency_ms'],
    ...{ org: '$1', check: '$2', from: '$3::timestamptz', until: '$4::timestamptz' },
    where: 'r.ran_at >= $3::timestamptz and r.ran_at < $4::timestamptz',
  })}) r`

// The steps of a monitor come as one text: there are hundreds.
const BY_MONITOR = inBothForms(
  'check-steps-by-monitor',
  (results) => `
    with found as materialized (
      select monitor_id, string_agg(concat_ws(' ', date_part('epoch', at), runs, failures, latency_avg_ms, latency_max_ms), ','
        order by at) as steps
      from (
        select monitor_id, at, count(*)::integer as runs, (count(*) filter (where not success))::integer as failures,
          (avg(latency_ms) filter (where success))::float8 as latency_avg_ms,
          max(latency_ms) filter (where success) as latency_max_ms
        from (${binned(results)}) binned group by monitor_id, at) s
      group by monitor_id)
    select f.monitor_id, coalesce(m.name, '') as monitor_name, f.steps
    from found f left join monitors m on m.id = f.monitor_id
    order by f.monitor_id`,
)

interface Steps {
  from: string
  until: string
  step_sec: number
}

/** Lists sums of a check's results in steps, by monitor. Omits steps without a result. */
export async function listStepsByMonitor(
  database: Database,
  { org_id, check_id }: CheckKey,
  { from, until, step_sec }: Steps,
): Promise<MonitorSteps[]> {
  const values = [org_id, check_id, from, until, step_sec]
  type Row = Omit<MonitorSteps, 'steps'> & { steps: string }
  const { rows } = await database.pools.machines.query<Row>({ ...(await BY_MONITOR(database)), values })
  return rows.map((row) => ({ ...row, steps: row.steps.split(',').map(readStep) }))
}

function readStep(told: string): StepSums {
  const [sec, runs, failures, average, most] = told.split(' ')
  return {
    from: Number(sec) * 1000,
    runs: Number(runs),
    failures: Number(failures),
    latency_avg_ms: average === undefined ? null : Number(average),
    latency_max_ms: most === undefined ? null : Number(most),
  }
}

/** Median and 95th percentile of the latencies in one step. Both are null if there were no successes. */
export interface SpreadStep {
  at: string
  runs: number
  failures: number
  latency_p50_ms: number | null
  latency_p95_ms: number | null
}

const SPREAD = inBothForms(
  'check-steps-spread',
  (results) => `
    select wire_time(at) as at, count(*)::integer as runs, (count(*) filter (where not success))::integer as failures,
      percentile_disc(0.5) within group (order by latency_ms) filter (where success) as latency_p50_ms,
      percentile_disc(0.95) within group (order by latency_ms) filter (where success) as latency_p95_ms
    from (${binned(results)}) binned group by binned.at order by binned.at`,
)

/** Lists the median and the 95th percentile of each step, for all monitors together. */
export async function listSpread(
  database: Database,
  { org_id, check_id }: CheckKey,
  { from, until, step_sec }: Steps,
): Promise<SpreadStep[]> {
  const values = [org_id, check_id, from, until, step_sec]
  return (await database.pools.machines.query<SpreadStep>({ ...(await SPREAD(database)), values })).rows
}
