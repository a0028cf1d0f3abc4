// Decides whether the retries of a check have room between two of its runs: an agent skips those that could delay the next run.
import { DEFAULT_TIMEOUT_SEC, type Entry } from './contradictions.ts'

/** What a delay of 0 means. */
export const DEFAULT_RETRY_DELAY_SEC = 5
/** Time that an agent keeps free between the end of a retry and the next run. */
const AFTER_RUN_SEC = 2

/** Returns how long a monitor needs for so many retries of failures that come at once, in seconds. 0 without retries. */
export function timeForRetries(entry: Entry, count = numberIn(entry, 'retry_count')): number {
  if (count <= 0) return 0
  const delay = numberIn(entry, 'retry_interval_sec') || DEFAULT_RETRY_DELAY_SEC
  return count * delay + (numberIn(entry, 'timeout_sec') || DEFAULT_TIMEOUT_SEC) + AFTER_RUN_SEC
}

/**
 * Says why no retry of a check is ever made, behind the name of its field. Returns undefined if one can be, or if `monitors` are enough:
 * those that take turns have more time each.
 */
export function faultOfRetries(entry: Entry, monitors = 1): string | undefined {
  const interval = numberIn(entry, 'interval_sec')
  const needed = timeForRetries(entry, Math.min(1, numberIn(entry, 'retry_count')))
  if (interval <= 0 || needed <= interval * Math.max(1, monitors)) return undefined
  const turns = Math.ceil(needed / interval)
  return `has no effect with fewer than ${turns} monitors: one retry takes up to ${needed} s, and the check runs every ${interval} s`
}

function numberIn(entry: Entry, field: string): number {
  const value = entry[field]
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
