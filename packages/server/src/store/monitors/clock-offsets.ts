// Reads and writes how far the clocks of monitors are off, in two columns. The second, `clock_far_ms`, is the last offset with
// which the clock could not date results. It stays when the clock is right again.
import { sql } from 'kysely'

/** Largest offset that `clock_offset_ms` can store, in milliseconds. */
const MOST_MS = 2 ** 31 - 1

/** SQL for the whole offset of a row of monitors, in milliseconds. */
export const CLOCK_OFFSET = `case when clock_offset_ms in (${MOST_MS}, -${MOST_MS}) then coalesce(clock_far_ms, clock_offset_ms) else clock_offset_ms end`

/** Like {@link CLOCK_OFFSET}, as a column of a query. */
export const clockOffsetColumn = sql<number | null>`${sql.raw(CLOCK_OFFSET)}`.as('clock_offset_ms')

/** Returns the nearest offset that `clock_offset_ms` can store. */
export function nearOffset(offset_ms: number): number {
  return Math.min(Math.max(offset_ms, -MOST_MS), MOST_MS)
}
