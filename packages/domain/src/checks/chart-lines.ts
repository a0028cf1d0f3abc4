// Builds the lines of a chart: response times of each monitor, or of all monitors together.
import type { MonitorSteps, SpreadStep } from '@dogwatch/store/results/check-history'
import type { SketchedRow } from '@dogwatch/store/results/history'
import { averageLatency, meanLatency } from '../results/latency.ts'
import { percentilesOf } from '../results/percentiles.ts'
import { type Runs, sumRuns } from '../results/uptime.ts'

export interface ChartLine {
  label: string
  /** One value for each instant of the chart, in milliseconds. Null where the line has none. */
  values: (number | null)[]
  /** Whether an instant had runs and all of them failed, for each instant of the chart. */
  failed: boolean[]
}

export interface Lines {
  /**
   * Set of lines. `monitors`: one for each monitor. `spread`: the median and the 95th percentile, and the mean where some steps
   * have no percentiles. `sums`: the mean and the slowest, because no step has percentiles.
   */
  kind: 'monitors' | 'spread' | 'sums'
  /** Starts of the steps that have a result, in seconds since the Unix epoch. */
  at: number[]
  runs: number[]
  failures: number[]
  /** Mean of the successes of a step. Null if there were none, or it is unknown. */
  means: (number | null)[]
  lines: ChartLine[]
  /** Lines that only the table of the chart shows, in addition to `lines`. */
  besides: ChartLine[]
  /** Number of steps with successes but without percentiles, because no sketch of their latencies was stored. */
  unsketched: number
}

/** Maximum number of lines for single monitors. If a check has more monitors, its chart shows their spread instead. */
export const MOST_LINES = 8

export function linesOfMonitors(monitors: readonly MonitorSteps[]): Lines {
  const at = [...new Set(monitors.flatMap(({ steps }) => steps.map(({ from }) => from)))].sort((a, b) => a - b)
  const known = monitors
    .map(({ monitor_id: id, monitor_name, steps }) => ({
      id,
      label: monitor_name || id,
      runs: sumRuns(steps).runs,
      steps: new Map(steps.map((step) => [step.from, step])),
    }))
    .toSorted((a, b) => b.runs - a.runs || (a.id < b.id ? -1 : 1))
  const allAt = (some: typeof known) => at.map((from) => some.flatMap(({ steps }) => steps.get(from) ?? []))
  // Monitors that no longer have the check also have lines, so there can be more lines than the maximum.
  const shown = known.slice(0, known.length > MOST_LINES ? MOST_LINES - 1 : MOST_LINES)
  const rest = known.slice(shown.length)
  const lines = shown
    .toSorted((a, b) => a.label.localeCompare(b.label, 'en') || (a.id < b.id ? -1 : 1))
    .map(({ label, steps }) => ({
      label,
      values: at.map((from) => rounded(steps.get(from)?.latency_avg_ms)),
      failed: at.map((from) => haveFailed([steps.get(from)].filter((step) => step !== undefined))),
    }))
  if (rest.length > 0) {
    const of = allAt(rest)
    const values = of.map((steps) => averageLatency(steps) ?? null)
    lines.push({ label: `${rest.length} others`, values, failed: of.map(haveFailed) })
  }
  const all = allAt(known)
  const sums = all.map(sumRuns)
  return {
    kind: 'monitors',
    at: at.map((from) => from / 1000),
    runs: sums.map(({ runs }) => runs),
    failures: sums.map(({ failures }) => failures),
    means: all.map(meanLatency),
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
  const average = ['Average', ({ latency_avg_ms }: Row) => rounded(latency_avg_ms)] as const
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

function linesOf<Row extends Runs & { at: string }>(
  kind: Lines['kind'],
  rows: readonly Row[],
  mean: (row: Row) => number | null,
  lines: readonly (readonly [label: string, value: (row: Row) => number | null])[],
  besides: typeof lines = [],
): Lines {
  const linesFrom = (columns: typeof lines): ChartLine[] =>
    columns.map(([label, value]) => ({ label, values: rows.map(value), failed: rows.map((row) => haveFailed([row])) }))
  return {
    kind,
    at: rows.map(({ at }) => Date.parse(at) / 1000),
    runs: rows.map(({ runs }) => runs),
    failures: rows.map(({ failures }) => failures),
    means: rows.map(mean),
    lines: linesFrom(lines),
    besides: linesFrom(besides),
    unsketched: 0,
  }
}

/** Returns the mean of all successes, in whole milliseconds. Returns undefined if there were none, or it is unknown. */
export function averageOf({ runs, failures, means }: Lines): number | undefined {
  const points = means.map((latency_avg_ms, index) => ({
    runs: runs[index] ?? 0,
    failures: failures[index] ?? 0,
    latency_avg_ms,
  }))
  return averageLatency(points)
}

function rounded(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : Math.round(ms)
}

/** Whether there were runs, and all of them failed. */
function haveFailed(steps: readonly Runs[]): boolean {
  return steps.length > 0 && steps.every(({ runs, failures }) => runs > 0 && failures === runs)
}
