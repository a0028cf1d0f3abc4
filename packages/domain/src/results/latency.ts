// Computes the mean latency of spans that have their own means.

interface Point {
  runs: number
  failures: number
  /** Mean latency of the successes. Null if there were none. */
  latency_avg_ms: number | null
}

/** Returns the mean latency of all successes in whole milliseconds, or undefined if there were none. */
export function averageLatency(points: readonly Point[]): number | undefined {
  const mean = meanLatency(points)
  return mean === null ? undefined : Math.round(mean)
}

/** Returns the mean latency of all successes in milliseconds, or null if there were none. */
export function meanLatency(points: readonly Point[]): number | null {
  let [successes, sum_ms] = [0, 0]
  for (const { runs, failures, latency_avg_ms } of points) {
    if (latency_avg_ms === null) continue
    successes += runs - failures
    sum_ms += latency_avg_ms * (runs - failures)
  }
  return successes === 0 ? null : sum_ms / successes
}
