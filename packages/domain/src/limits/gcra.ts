// Implements the generic cell rate algorithm. Its only state is the time at which a bucket is full again. Pure.

export interface Rate {
  per_sec: number
  burst: number
}

export type RateDecision =
  /** `full_at`: time at which the bucket is full again. */
  { isAllowed: true; full_at: number } | { isAllowed: false; wait_ms: number }

/** Takes `count` requests from a bucket that is full again at `full_at`. All times are milliseconds on one clock. */
export function spendOne({ per_sec, burst }: Rate, full_at: number, now: number, count = 1): RateDecision {
  const interval_ms = 1000 / per_sec
  const wait_ms = full_at - (burst - count) * interval_ms - now
  if (wait_ms > 0) return { isAllowed: false, wait_ms }
  return { isAllowed: true, full_at: Math.max(full_at, now) + count * interval_ms }
}
