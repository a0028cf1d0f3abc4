// The lines of a chart: response times of each monitor, or of all of them together.
import type { MonitorStep, SpreadStep } from '../../store/results/check-history.ts'
import type { SketchedRow } from '../../store/results/history.ts'
import { averageLatency } from '../results/latency.ts'
import { percentilesOf } from '../results/percentiles.ts'

export interface Line {
  label: string
  /** One for each instant of the chart, in milliseconds; null where it has none. */
  values: (number | null)[]
}

export interface Lines {
  /**
   * `monitors`: a line for each. `spread`: the median and the 95th percentile, and the mean where some steps have no percentiles.
   * `sums`: the mean and the slowest, because no step has percentiles.
   */
  kind: 'monitors' | 'spread' | 'sums'
  /** When the steps began that have a result, in seconds since the Unix epoch. */
  at: number[]
  runs: number[]
  failures: number[]
  /** Mean of the successes of a step; null when there were none, or it is not known. */
  means: (number | null)[]
  lines: Line[]
  /** What is told besides where the chart is a table. */
  besides: Line[]
  /** How many steps with successes have no percentiles, because a server of an earlier build summed them up. */
  unsketched: number
}

/** With more monitors than this, the chart shows how they are spread instead of a line for each. */
export const MOST_LINES = 8

export function linesOfMonitors(rows: readonly MonitorStep[]): Lines {
  const steps = Array.from(Map.groupBy(rows, ({ at }) => at))
  const known = Array.from(
    Map.groupBy(rows, ({ monitor_id }) => monitor_id),
    ([id, its]) => ({
      id,
      label: its.at(-1)?.monitor_name || id,
      runs: sum(its.map(({ runs }) => runs)),
    }),
  ).toSorted((a, b) => b.runs - a.runs || (a.id < b.id ? -1 : 1))
  // Monitors that have the check no more may make them too many.
  const shown = known.slice(0, known.length > MOST_LINES ? MOST_LINES - 1 : MOST_LINES)
  const rest = new Set(known.slice(shown.length).map(({ id }) => id))
  const lines = shown
    .toSorted((a, b) => a.label.localeCompare(b.label, 'en') || (a.id < b.id ? -1 : 1))
    .map(({ id, label }) => ({
      label,
      values: steps.map(([, its]) => its.find(({ monitor_id }) => monitor_id === id)?.latency_avg_ms ?? null),
    }))
  if (rest.size > 0) {
    const values = steps.map(([, its]) => meanOf(its.filter(({ monitor_id }) => rest.has(monitor_id))))
    lines.push({ label: `${rest.size} others`, values })
  }
  return {
    kind: 'monitors',
    at: steps.map(([at]) => secondsOf(at)),
    runs: steps.map(([, its]) => sum(its.map(({ runs }) => runs))),
    failures: steps.map(([, its]) => sum(its.map(({ failures }) => failures))),
    means: steps.map(([, its]) => meanOf(its)),
    lines,
    besides: [],
    unsketched: 0,
  }
}

export function linesOfSpread(rows: readonly SpreadStep[]): Lines {
  return linesOf('spread', rows, () => null, [
    ['Median', ({ latency_p50_ms }) => latency_p50_ms],
    ['95th percentile', ({ latency_p95_ms }) => latency_p95_ms],
  ])
}

export function linesOfSums(given: readonly Omit<SketchedRow, 'check_id'>[]): Lines {
  const rows = given.map((row) => ({ ...row, percentiles: percentilesOf([row]) }))
  const unsketched = rows.filter(
    ({ percentiles, latency_max_ms }) => percentiles === undefined && latency_max_ms !== null,
  ).length
  type Row = (typeof rows)[number]
  const mean = ({ latency_avg_ms }: Row) => latency_avg_ms
  const average = ['Average', mean] as const
  const slowest = ['Slowest', ({ latency_max_ms }: Row) => latency_max_ms] as const
  if (rows.every(({ percentiles }) => percentiles === undefined))
    return { ...linesOf('sums', rows, mean, [average, slowest]), unsketched }
  const spread = [
    ['Median', ({ percentiles }: Row) => percentiles?.p50_ms ?? null],
    ['95th percentile', ({ percentiles }: Row) => percentiles?.p95_ms ?? null],
  ] as const
  const isPartial = unsketched > 0
  return {
    ...linesOf(
      'spread',
      rows,
      mean,
      isPartial ? [...spread, average] : spread,
      isPartial ? [slowest] : [average, slowest],
    ),
    unsketched,
  }
}

function linesOf<Row extends { at: string; runs: number; failures: number }>(
  kind: Lines['kind'],
  rows: readonly Row[],
  mean: (row: Row) => number | null,
  lines: readonly (readonly [label: string, value: (row: Row) => number | null])[],
  besides: typeof lines = [],
): Lines {
  const linesFrom = (columns: typeof lines): Line[] =>
    columns.map(([label, value]) => ({ label, values: rows.map(value) }))
  return {
    kind,
    at: rows.map(({ at }) => secondsOf(at)),
    runs: rows.map(({ runs }) => runs),
    failures: rows.map(({ failures }) => failures),
    means: rows.map(mean),
    lines: linesFrom(lines),
    besides: linesFrom(besides),
    unsketched: 0,
  }
}

/** The mean of all successes, in whole milliseconds; undefined when there were none, or it is not known. */
export function averageOf({ runs, failures, means }: Lines): number | undefined {
  const points = means.map((latency_avg_ms, index) => ({
    runs: runs[index] ?? 0,
    failures: failures[index] ?? 0,
    latency_avg_ms,
  }))
  return averageLatency(points)
}

function meanOf(rows: readonly MonitorStep[]): number | null {
  return averageLatency(rows) ?? null
}

function secondsOf(at: string): number {
  return Date.parse(at) / 1000
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
