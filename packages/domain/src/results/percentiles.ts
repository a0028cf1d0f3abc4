// Computes percentiles of response times from sketches of hours and days.
import { addCounts, MIDDLES_MS, noCounts } from '@dogwatch/store/results/sketch'

/** Sums of a span of time, with a sketch of the latencies. */
export interface LatencySums {
  runs: number
  failures: number
  /** The slowest success. */
  latency_max_ms: number | null
  latency_sketch: Uint8Array | null
}

/** Percentiles in milliseconds, with an error of at most 2 % (`MOST_ERROR`). */
export interface Percentiles {
  /** Time that half of the successes did not exceed. */
  p50_ms: number
  /** Time that all successes except the slowest twentieth did not exceed. */
  p95_ms: number
}

/**
 * Returns the percentiles of all successes together. Returns undefined if there is no success, or if the sketches lack
 * some, because a version without sketches stored their sums.
 */
export function percentilesOf(rows: readonly LatencySums[]): Percentiles | undefined {
  const counts = noCounts()
  let successes = 0
  let most = -Infinity
  for (const { runs, failures, latency_max_ms, latency_sketch } of rows) {
    if (runs <= failures) continue
    // Sums that changed after they were sketched have other counts.
    if (latency_sketch === null || addCounts(counts, latency_sketch) !== runs - failures) return undefined
    successes += runs - failures
    most = Math.max(most, latency_max_ms ?? Infinity)
  }
  if (successes === 0) return undefined
  const at = (share: number): number => Math.min(most, timeAt(counts, share * successes))
  return { p50_ms: at(0.5), p95_ms: at(0.95) }
}

/** Whether there are successes, but not their percentiles, because a sketch is missing or outdated. */
export function isPartlySketched(rows: readonly LatencySums[]): boolean {
  return percentilesOf(rows) === undefined && rows.some(({ runs, failures }) => runs > failures)
}

/** Returns the time that `wanted` successes did not exceed, like `percentile_disc`. */
function timeAt(counts: readonly number[], wanted: number): number {
  let left = Math.max(1, Math.ceil(wanted))
  for (let bucket = 0; bucket < counts.length; bucket++) {
    left -= counts[bucket] as number
    if (left <= 0) return MIDDLES_MS[bucket] ?? 0
  }
  return 0
}
