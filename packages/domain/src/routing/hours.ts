// Computes quiet hours and on-call weeks, by the local time of a time zone. Pure.
import { Temporal } from 'temporal-polyfill'
import { firstReached } from '../zone-clock.ts'
import type { Quiet, Rotation } from './route.ts'

/** Maximum number of days for quiet hours that follow each other without a gap. */
const MOST_DAYS = 8
const WEEK = 7

/**
 * Returns the end of the quiet hours at an instant, in milliseconds, or undefined outside of them. A local time that occurs twice
 * means its first occurrence. One that a clock change skips counts by its distance from midnight.
 */
export function quietUntil(quiet: Quiet, at_ms: number): number | undefined {
  let until: number | undefined
  for (let days = 0; days < MOST_DAYS; days++) {
    const next = endOf(quiet, until ?? at_ms)
    if (next === undefined) break
    until = next
  }
  return until
}

function endOf({ from, to, days, zone }: Quiet, at_ms: number): number | undefined {
  const date = wallClock(at_ms, zone).toPlainDate()
  // Quiet hours that began yesterday can continue today.
  for (const day of [date.subtract({ days: 1 }), date]) {
    if (days.length > 0 && !days.includes(day.dayOfWeek)) continue
    const began = instantOf(day, from, zone)
    const ended = instantOf(to > from ? day : day.add({ days: 1 }), to, zone)
    if (began <= at_ms && at_ms < ended) return ended
  }
  return undefined
}

/** Finds the position of the channel that is on call. A week ends when the clock first shows `at` or a later time. */
export function onCall({ channel_ids, starts_on, at, zone }: Rotation, at_ms: number): number {
  const today = wallClock(at_ms, zone).toPlainDate()
  // A clock that is set back can show the previous day again.
  const days = [today.add({ days: 1 }), today]
  const handed = days.find((day) => firstReached(zone, wallMs(day, at)) <= at_ms)
  const day = handed ?? today.subtract({ days: 1 })
  const weeks = Math.floor(Temporal.PlainDate.from(starts_on).until(day, { largestUnit: 'days' }).days / WEEK)
  return ((weeks % channel_ids.length) + channel_ids.length) % channel_ids.length
}

/** Whether a text names a time zone. An offset does not, because it has no summer time. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    wallClock(0, zone)
    return true
  } catch {
    return false
  }
}

function wallClock(at_ms: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(at_ms)).toZonedDateTimeISO(zone)
}

function wallMs(day: Temporal.PlainDate, time: string): number {
  return day.toPlainDateTime(Temporal.PlainTime.from(time)).toZonedDateTime('UTC').epochMilliseconds
}

function instantOf(day: Temporal.PlainDate, time: string, zone: string): number {
  return day.toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds
}
