// The mean latency of spans that have means of their own.

interface Point {
  runs: number
  failures: number
  /** Mean of the successes; null when there were none. */
  latency_avg_ms: number | null
}

/** The mean of all successes, in whole milliseconds; undefined when there were none. */
export function averageLatency(points: readonly Point[]): number | undefined {
  const mean = meanLatency(points)
  return mean === null ? undefined : Math.round(mean)
}

/** The mean of all successes; null when there were none. */
export function meanLatency(points: readonly Point[]): number | null {
  let [successes, sum_ms] = [0, 0]
  for (const { runs, failures, latency_avg_ms } of points) {
    if (latency_avg_ms === null) continue
    successes += runs - failures
    sum_ms += latency_avg_ms * (runs - failures)
  }
  return successes === 0 ? null : sum_ms / successes
}
