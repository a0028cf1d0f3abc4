// Limits searches for results to a few days first, where hours are sealed. Most searches find there what they need, and only the
// others open all days: decision record 7, "Days cost planning".

const DAY_MS = 86_400_000

/** Length of the first window that a search reads. */
export const NEAR_MS = 2 * DAY_MS
/** Maximum length of a search window, because Postgres plans for each day. */
export const MOST_NEAR_MS = 64 * DAY_MS
const LAST_MS = Date.UTC(9999, 11, 31)

/**
 * Returns the end of the first search window for results after an instant. Returns undefined for an infinite instant: then search
 * all days.
 */
export function nearAfter(at: string, near_ms = NEAR_MS): string | undefined {
  const until_ms = Date.parse(at) + near_ms
  return Number.isNaN(until_ms) ? undefined : new Date(Math.min(until_ms, LAST_MS)).toISOString()
}

/** Returns the start of the first search window for results before an instant. */
export function nearBefore(at: string): string {
  return new Date(Date.parse(at) - NEAR_MS).toISOString()
}
