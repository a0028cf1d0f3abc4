// Converts times of day by the clock of a zone, as forms show and send them. Pure.
import { Temporal } from 'temporal-polyfill'

const SHAPE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d$/

/** Returns what a clock of the zone shows at an instant: `2026-11-23T14:03`. */
export function wallTime(at: Date, zone: string): string {
  const there = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone)
  return there.toPlainDateTime().toString({ smallestUnit: 'minute' })
}

/**
 * Returns the instant at which a clock of the zone shows `2026-11-23T14:03`. Of a time that occurs twice, the first counts. A
 * skipped one is as late as its distance from midnight says. Returns undefined for an invalid time.
 */
export function instantAt(text: string, zone: string): Date | undefined {
  if (!SHAPE.test(text)) return undefined
  try {
    const local = Temporal.PlainDateTime.from(text.replace(' ', 'T'))
    return new Date(local.toZonedDateTime(zone).epochMilliseconds)
  } catch {
    return undefined
  }
}

/**
 * Returns the instant at which a day begins in a zone, or the day `later` days after it. Returns undefined for an invalid day.
 */
export function dayStart(day: string, zone: string, later = 0): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return undefined
  try {
    return new Date(Temporal.PlainDate.from(day).add({ days: later }).toZonedDateTime(zone).epochMilliseconds)
  } catch {
    return undefined
  }
}
