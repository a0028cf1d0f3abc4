// Percentiles of response times, from sketches of hours and days.
import { countsOf, MIDDLES_MS } from '../../store/results/sketch.ts'

/** Sums of some time. */
export interface Sketched {
  runs: number
  failures: number
  /** The slowest success. */
  latency_max_ms: number | null
  latency_sketch: Uint8Array | null
}

/** In milliseconds, off by at most 2 % (`MOST_ERROR`). */
export interface Percentiles {
  /** Half of the successes were at most as slow. */
  p50_ms: number
  /** All but the slowest twentieth were at most as slow. */
  p95_ms: number
}

/**
 * Percentiles of all successes together. Undefined without a success, and when some are not in the sketches: a server of
 * an earlier build summed them up.
 */
export function percentilesOf(rows: readonly Sketched[]): Percentiles | undefined {
  const successful = rows.filter(({ runs, failures }) => runs > failures)
  if (successful.length === 0 || successful.some((row) => !isWhole(row))) return undefined
  const sketch = concatenated(successful)
  const counts = countsOf(sketch)
  const most = Math.max(...successful.map(({ latency_max_ms }) => latency_max_ms ?? Infinity))
  const at = (share: number): number => Math.min(most, timeAt(counts, share))
  return { p50_ms: at(0.5), p95_ms: at(0.95) }
}

/** Whether percentiles are known of some successes, and of others not. */
export function isPartlySketched(rows: readonly Sketched[]): boolean {
  const successful = rows.filter(({ runs, failures }) => runs > failures)
  return successful.some((row) => !isWhole(row))
}

/** Sums that an earlier build changed after they were sketched have other counts. */
function isWhole({ runs, failures, latency_sketch }: Sketched): boolean {
  if (latency_sketch === null) return false
  let count = 0
  for (let at = 1; at < latency_sketch.length; at += 2) count += (latency_sketch[at] as number) + 1
  return count === runs - failures
}

function concatenated(rows: readonly Sketched[]): Uint8Array {
  const sketches = rows.flatMap(({ latency_sketch }) => latency_sketch ?? [])
  return sketches.length === 1 ? (sketches[0] as Uint8Array) : Buffer.concat(sketches)
}

/** The time at which the given share of all has been counted, as `percentile_disc` has it. */
function timeAt(counts: readonly number[], share: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0)
  let left = Math.max(1, Math.ceil(share * total))
  const bucket = counts.findIndex((count) => (left -= count) <= 0)
  return MIDDLES_MS[bucket] ?? 0
}
