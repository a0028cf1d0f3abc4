// Converts the retries before an alert of other tools.
import { timeForRetries } from '@dogwatch/check-rules/retries'
import type { FileCheck } from '../file/format.ts'
import { carried, differently, type Said } from './audit.ts'

const MOST_RETRIES = 10
const MOST_FAILURES = 1_000

/**
 * Sets `count` retries after a failure, `pause` seconds apart. If `pause` is the interval, sets the number of failures in a row.
 * Otherwise, sets retries of the monitor if they fit before its next turn.
 */
export function setRetries(
  check: FileCheck,
  { count, pause, interval, timeout }: { count: number; pause: number; interval: number; timeout: number },
): Said {
  if (pause === interval && count < MOST_FAILURES) {
    check.down_interval_sec = count + 1
    return carried
  }
  const retry_interval_sec = Math.max(1, Math.round(pause))
  const needed = timeForRetries({ retry_count: count, retry_interval_sec, timeout_sec: timeout })
  if (count <= MOST_RETRIES && pause <= 3600 && needed <= interval) {
    check.retry_count = count
    check.retry_interval_sec = retry_interval_sec
    return carried
  }
  check.down_interval_sec = Math.min(MOST_FAILURES, 1 + Math.ceil((count * pause) / interval))
  return differently(
    `down_interval_sec ${check.down_interval_sec}: the number of failures in a row that match ${count} retries every ${pause} s`,
  )
}
