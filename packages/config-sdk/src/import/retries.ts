// Repeated failures before an alert, as the other tools count them.
import { timeForRetries } from '@dogwatch/check-rules/retries'
import type { FileCheck } from '../file/format.ts'
import { carried, differently, type Said } from './audit.ts'

const MOST_RETRIES = 10
const MOST_FAILURES = 1_000

/**
 * A target is down after a first failure and so many retries, this many seconds apart. Retries that come as often as the check runs are
 * failures in a row. Others are retries of the monitor if all of them have time before its next turn.
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
