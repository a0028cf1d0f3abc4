// How long to wait before the server is asked again.

export const BACKOFF_FIRST_MS = 1000
const BACKOFF_MAX_MS = 60_000
/** A server may ask for a pause, and a slip of the pen is not to silence this monitor for a day. */
export const ASKED_MAX_MS = 10 * 60_000

/**
 * Full jitter: anything up to a bound that doubles with each failure in a row, and no less than the server asked for,
 * within reason.
 */
export function backoff(failures: number, retry_after_ms: number, random: () => number): number {
  const bound = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(failures - 1, 10))
  return Math.round(Math.max(Math.min(retry_after_ms, ASKED_MAX_MS), random() * bound))
}
