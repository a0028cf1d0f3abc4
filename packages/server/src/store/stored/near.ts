// Where hours are sealed, statements look for results within few days first. Most find there what they need, and only for the others
// are all days opened: decision record 7, "Days cost planning".

const DAY_MS = 86_400_000

/** Within so much time. */
export const NEAR_MS = 2 * DAY_MS
/** Looking further back or ahead stops here, because Postgres plans for each day. */
export const MOST_NEAR_MS = 64 * DAY_MS
const LAST_MS = Date.UTC(9999, 11, 31)

/** Until when results after an instant are looked for. Undefined: it is none, as `-infinity` is; begin with all days. */
export function nearAfter(at: string, near_ms = NEAR_MS): string | undefined {
  const until_ms = Date.parse(at) + near_ms
  return Number.isNaN(until_ms) ? undefined : new Date(Math.min(until_ms, LAST_MS)).toISOString()
}

/** Since when results before an instant are looked for. */
export function nearBefore(at: string): string {
  return new Date(Date.parse(at) - NEAR_MS).toISOString()
}
