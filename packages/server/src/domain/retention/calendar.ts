// The calendar that deletions follow. A clock may jump by years within a second, and deleted rows do not come back. So
// deletions go from one day to the next, and a day further away must be observed for a while first, or confirmed.

const DAY_MS = 86_400_000
const DAY_SEC = 86_400
/**
 * A server that was off for a week continues by itself: one day to spare, and the day in which the new date is
 * observed.
 */
export const MOST_DAYS_ALONE = 9
/** The new day must be observed for this long. Time in which nobody looked does not count, because clocks jump. */
const OBSERVED_SEC = DAY_SEC
/** The longest time from one look to the next that counts. */
const LOOK_SEC = 60

export interface Calendar {
  /** The last day that deletions went by: `2026-11-20`. */
  day: string
  /** How long the clock has been observed to be days ahead of it; negative: behind it. */
  observed_sec: number
  seen_at: string
}

export interface Held {
  day: string
  today: string
  days_ahead: number
  /** How long it is still observed before deletions continue by themselves; undefined: they wait for an operator. */
  remaining_sec: number | undefined
}

/** Looks at the clock once. `held`: nothing may be deleted now. */
export function turn(calendar: Calendar, now: Date): { calendar: Calendar; held: Held | undefined } {
  const today = dayOf(now)
  const days_ahead = (Date.parse(today) - Date.parse(calendar.day)) / DAY_MS
  const settled = { calendar: { day: today, observed_sec: 0, seen_at: now.toISOString() }, held: undefined }
  if (days_ahead === 0 || days_ahead === 1) return settled
  const way = Math.sign(days_ahead)
  const passed = Math.min(LOOK_SEC, Math.max(0, (now.getTime() - Date.parse(calendar.seen_at)) / 1000))
  const before = Math.sign(calendar.observed_sec) === way ? Math.abs(calendar.observed_sec) : 0
  const observed_sec = before + (before === 0 ? 1 : Math.round(passed))
  // A day behind is a clock that was corrected at midnight. An earlier day deletes nothing that is not deleted already.
  if (observed_sec >= OBSERVED_SEC && days_ahead <= MOST_DAYS_ALONE) return settled
  const looked = { ...calendar, observed_sec: way * observed_sec, seen_at: now.toISOString() }
  if (days_ahead < 0) return { calendar: looked, held: undefined }
  const remaining_sec = days_ahead <= MOST_DAYS_ALONE ? OBSERVED_SEC - observed_sec : undefined
  return { calendar: looked, held: { day: calendar.day, today, days_ahead, remaining_sec } }
}

export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}
