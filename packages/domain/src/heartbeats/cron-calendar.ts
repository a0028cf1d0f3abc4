// Finds the times of cron expressions by a clock that never changes. Such times are in milliseconds, as if the clock showed UTC.
// The cost is bounded by the number of months to search.
import type { Cron } from './cron.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
/**
 * Number of months to search. 29 February falls on the same day of the week after 28 years, and after 40 where a century has no
 * leap day.
 */
const MOST_MONTHS = 41 * 12

/** Returns the first time at or after `from`, or undefined if there is none within 40 years. */
export function nextWall(cron: Cron, from: number): number | undefined {
  const today = startOfDay(from)
  const day = nextDay(cron, today)
  if (day !== today) return timeOn(day, cron.hours[0], cron.minutes[0])
  const hour = Math.floor((from - today) / HOUR_MS)
  const minute = Math.ceil((from - today - hour * HOUR_MS) / MINUTE_MS)
  const within = cron.hours.includes(hour) ? cron.minutes.find((one) => one >= minute) : undefined
  if (within !== undefined) return timeOn(today, hour, within)
  const later = cron.hours.find((one) => one > hour)
  if (later !== undefined) return timeOn(today, later, cron.minutes[0])
  return timeOn(nextDay(cron, today + DAY_MS), cron.hours[0], cron.minutes[0])
}

/** Returns the last time at or before `until`, or undefined if there is none within 40 years. */
export function lastWall(cron: Cron, until: number): number | undefined {
  const today = startOfDay(until)
  const day = lastDay(cron, today)
  if (day !== today) return timeOn(day, cron.hours.at(-1), cron.minutes.at(-1))
  const hour = Math.floor((until - today) / HOUR_MS)
  const minute = Math.floor((until - today - hour * HOUR_MS) / MINUTE_MS)
  const within = cron.hours.includes(hour) ? cron.minutes.findLast((one) => one <= minute) : undefined
  if (within !== undefined) return timeOn(today, hour, within)
  const earlier = cron.hours.findLast((one) => one < hour)
  if (earlier !== undefined) return timeOn(today, earlier, cron.minutes.at(-1))
  return timeOn(lastDay(cron, today - DAY_MS), cron.hours.at(-1), cron.minutes.at(-1))
}

/**
 * Returns the start of the first matching day that is not before the day of `from`, or undefined if there is none within 40
 * years.
 */
export function nextDay(cron: Cron, from: number): number | undefined {
  const date = new Date(from)
  let [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  let allowed = -1 << date.getUTCDate()
  for (let looked = 0; looked < MOST_MONTHS; looked++) {
    const days = daysOfMonth(cron, year, month) & allowed
    if (days !== 0) return Date.UTC(year, month, 31 - Math.clz32(days & -days))
    allowed = -1
    month++
    if (month === 12) [year, month] = [year + 1, 0]
  }
  return undefined
}

/**
 * Returns the start of the last matching day that is not after the day of `until`, or undefined if there is none within 40 years.
 */
function lastDay(cron: Cron, until: number): number | undefined {
  const date = new Date(until)
  let [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  let allowed = ~(-2 << date.getUTCDate())
  for (let looked = 0; looked < MOST_MONTHS; looked++) {
    const days = daysOfMonth(cron, year, month) & allowed
    if (days !== 0) return Date.UTC(year, month, 31 - Math.clz32(days))
    allowed = -1
    month--
    if (month === -1) [year, month] = [year - 1, 11]
  }
  return undefined
}

/** Returns the matching days of a month as bits: bit n is day n. `month` begins with 0. */
function daysOfMonth({ days, months, weekdays, needsBothDays }: Cron, year: number, month: number): number {
  if ((months & (2 << month)) === 0) return 0
  const first = new Date(Date.UTC(year, month, 1)).getUTCDay()
  const week = ((weekdays >> first) | (weekdays << (7 - first))) & 0x7f
  const onWeekdays = (week | (week << 7) | (week << 14) | (week << 21) | (week << 28)) << 1
  const existing = (2 ** (lengthOfMonth(year, month) + 1) - 2) | 0
  return (needsBothDays ? days & onWeekdays : days | onWeekdays) & existing
}

function lengthOfMonth(year: number, month: number): number {
  if (month === 1) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [3, 5, 8, 10].includes(month) ? 30 : 31
}

export function startOfDay(wall: number): number {
  return Math.floor(wall / DAY_MS) * DAY_MS
}

function timeOn(day: number | undefined, hour: number | undefined, minute: number | undefined): number | undefined {
  if (day === undefined || hour === undefined || minute === undefined) return undefined
  return day + hour * HOUR_MS + minute * MINUTE_MS
}

/** Lists the times of a day, in milliseconds since midnight. */
export function timesOfDay({ hours, minutes }: Cron): number[] {
  return hours.flatMap((hour) => minutes.map((minute) => hour * HOUR_MS + minute * MINUTE_MS))
}
