// Decides whether the retries of a check fit between two of its runs. An agent skips retries that could delay the next run.
import { DEFAULT_TIMEOUT_SEC, type Entry } from './contradictions.ts'

/** Delay in seconds that a delay of 0 means. */
export const DEFAULT_RETRY_DELAY_SEC = 5
/** Time that an agent keeps free between the end of a retry and the next run, in seconds. */
const AFTER_RUN_SEC = 2

/** Returns the time that a monitor needs for `count` retries of immediate failures, in seconds. Returns 0 without retries. */
export function timeForRetries(entry: Entry, count = numberIn(entry, 'retry_count')): number {
  if (count <= 0) return 0
  const delay = numberIn(entry, 'retry_interval_sec') || DEFAULT_RETRY_DELAY_SEC
  return count * delay + (numberIn(entry, 'timeout_sec') || DEFAULT_TIMEOUT_SEC) + AFTER_RUN_SEC
}

/**
 * Returns why no retry of a check is ever made, as text that follows the name of the field. Returns undefined if a retry is
 * possible with this number of `monitors`. Monitors that take turns have more time each.
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
