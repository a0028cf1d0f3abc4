// Keeps the calendar that deletions follow. A clock can jump by years within a second, and deleted rows do not come back. So
// deletions go from one day to the next, and a day further away must be observed for a while first, or confirmed.
import type { Calendar } from '@dogwatch/store/results/retention-calendar'

const DAY_MS = 86_400_000
const DAY_SEC = 86_400
/**
 * Maximum number of days that deletions advance without an operator. A server that was off for a week continues by itself: one
 * day to spare, and the day of observation.
 */
export const MOST_DAYS_ALONE = 9
/** Time that the new day must be observed. Time without looks does not count, because clocks jump. */
const OBSERVED_SEC = DAY_SEC
/** Maximum time between two looks that counts as observed. */
const LOOK_SEC = 60
/** Maximum time between two looks that shows how much time has passed. A longer one can be a jump. */
const UNBROKEN_SEC = 120
/** Time that a clock must run steadily after a jump until deletions follow it. Jumps of days wait for longer. */
const STEADY_SEC = 3600

export interface DeletionHold {
  day: string
  today: string
  days_ahead: number
  /** Time of observation that is left before deletions continue by themselves. Absent if they wait for an operator. */
  remaining_sec: number | undefined
}

/** Looks at the clock once. If `held` is present, deletions must wait. */
export function turn(calendar: Calendar, now: Date): { calendar: Calendar; held: DeletionHold | undefined } {
  const today = dayOf(now)
  const days_ahead = (Date.parse(today) - Date.parse(calendar.day)) / DAY_MS
  const followed = follow(calendar, now)
  const settled = { calendar: { day: today, observed_sec: 0, ...followed }, held: undefined }
  if (days_ahead === 0 || days_ahead === 1) return settled
  const way = Math.sign(days_ahead)
  const passed = Math.min(LOOK_SEC, Math.max(0, (now.getTime() - Date.parse(calendar.seen_at)) / 1000))
  const before = Math.sign(calendar.observed_sec) === way ? Math.abs(calendar.observed_sec) : 0
  const observed_sec = before + (before === 0 ? 1 : Math.round(passed))
  // A day behind is a clock that was corrected at midnight. An earlier day deletes nothing that is not deleted already.
  if (observed_sec >= OBSERVED_SEC && days_ahead <= MOST_DAYS_ALONE) return settled
  const looked = { ...calendar, observed_sec: way * observed_sec, ...followed }
  if (days_ahead < 0) return { calendar: looked, held: undefined }
  const remaining_sec = days_ahead <= MOST_DAYS_ALONE ? OBSERVED_SEC - observed_sec : undefined
  return { calendar: looked, held: { day: calendar.day, today, days_ahead, remaining_sec } }
}

/**
 * Moves the time of deletions along with the clock, but only as fast as time was observed to pass, so that minutes with a clock
 * that is ahead delete what minutes would. Catches up after an hour without a jump.
 */
function follow({ seen_at, safe_at, steady_sec }: Calendar, now: Date): Omit<Calendar, 'day' | 'observed_sec'> {
  const passed_ms = now.getTime() - Date.parse(seen_at)
  const isUnbroken = passed_ms >= 0 && passed_ms <= UNBROKEN_SEC * 1000
  const reached_ms = (safe_at === null ? now.getTime() : Date.parse(safe_at)) + (isUnbroken ? passed_ms : 0)
  const steady = isUnbroken ? steady_sec + Math.round(passed_ms / 1000) : 0
  const isThere = now.getTime() - reached_ms <= UNBROKEN_SEC * 1000 || steady >= STEADY_SEC
  return {
    seen_at: now.toISOString(),
    safe_at: isThere ? now.toISOString() : new Date(reached_ms).toISOString(),
    steady_sec: isThere ? 0 : steady,
  }
}

export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}
