// Computes the wait before the next request to the server.

export const BACKOFF_FIRST_MS = 1000
const BACKOFF_MAX_MS = 60_000
/** Maximum pause that a server may request, in milliseconds, so that a typing error does not silence this monitor for a day. */
export const ASKED_MAX_MS = 10 * 60_000

/**
 * Returns a random wait up to a bound that doubles with each failure in a row, and at least the wait that the server requested,
 * within reason.
 */
export function backoff(failures: number, retry_after_ms: number, random: () => number): number {
  const bound = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(failures - 1, 10))
  return Math.round(Math.max(Math.min(retry_after_ms, ASKED_MAX_MS), random() * bound))
}
