// Formats times as a person reads them: in their zone, by their clock.
import type { HourClock } from '@dogwatch/domain/people/times'

export interface Times {
  /** Name of a zone: `Europe/Paris`. */
  zone: string
  hours: HourClock
}

/** Default for people who chose nothing, and whose browser reports nothing. */
export const UTC: Times = { zone: 'UTC', hours: 24 }

/** Returns how a person reads times: as they chose, or else as their browser reports. */
export function timesFor(
  chosen: { time_zone: string | null; hour_clock: number | null } | undefined,
  cookie: string,
): Times {
  const told = toldBy(cookie) ?? UTC
  const zone = chosen?.time_zone ?? ''
  return {
    zone: isKnown(zone) ? zone : told.zone,
    hours: chosen?.hour_clock === 12 || chosen?.hour_clock === 24 ? chosen.hour_clock : told.hours,
  }
}

/** Reads the cookie that a script sets: `Europe/Paris 24`. Returns undefined if the zone is unknown. */
export function toldBy(cookie: string): Times | undefined {
  const [zone = '', hours = ''] = cookie.split(' ', 2)
  return isKnown(zone) ? { zone, hours: hours === '12' ? 12 : 24 } : undefined
}

/** Formats a time: `14:03`, or `2:03 pm`. Adds the day if it is not the day of `now`, and the year if that is another one. */
export function clockText(at: Date, now: Date, times: Times): string {
  const [one, present] = [partsOf(at, times.zone), partsOf(now, times.zone)]
  const isToday = one.year === present.year && one.month === present.month && one.day === present.day
  return isToday ? hourText(at, times) : dayClockText(at, now, times)
}

/** Formats a time with its day: `20 Nov, 14:03`. Adds the year if it is not the year of `now`. */
export function dayClockText(at: Date, now: Date, times: Times): string {
  const [{ year, month, day }, present] = [partsOf(at, times.zone), partsOf(now, times.zone)]
  return `${day} ${month}${year === present.year ? '' : ` ${year}`}, ${hourText(at, times)}`
}

/** Formats a time of day: `14:03`, or `2:03 pm`. */
export function hourText(at: Date, times: Times): string {
  return timeOf(partsOf(at, times.zone), times)
}

/** Formats a day without its year: `20 Nov`. */
export function dayText(at: Date, { zone }: Times): string {
  const { day, month } = partsOf(at, zone)
  return `${day} ${month}`
}

/** Formats a time in full: `20 Nov 2026, 14:03:22 GMT+1`. */
export function fullText(at: Date, times: Times): string {
  const parts = partsOf(at, times.zone)
  return `${parts.day} ${parts.month} ${parts.year}, ${timeOf(parts, times, `:${parts.second}`)} ${parts.timeZoneName}`
}

/** Names a zone and clock: `Europe/Paris (24-hour)`. */
export function nameOf({ zone, hours }: Times): string {
  return `${zone} (${hours}-hour)`
}

interface DateParts {
  year: string
  month: string
  day: string
  hour: string
  minute: string
  second: string
  timeZoneName: string
}

function timeOf({ hour, minute }: DateParts, { hours }: Times, second = ''): string {
  if (hours === 24) return `${hour}:${minute}${second}`
  return `${Number(hour) % 12 || 12}:${minute}${second} ${Number(hour) < 12 ? 'am' : 'pm'}`
}

/** Cache of formats by time zone, because making a format costs a hundred times as much as using it. */
const formats = new Map<string, Intl.DateTimeFormat>()
const MOST_FORMATS = 100

/** Cache of the parts of recent minutes, because a page with many times repeats the same minutes. */
const minutes = new Map<string, DateParts>()
const MOST_MINUTES = 2_000
const MINUTE_MS = 60_000

function partsOf(at: Date, zone: string): DateParts {
  const key = `${Math.floor(at.getTime() / MINUTE_MS)} ${zone}`
  const known = minutes.get(key) ?? rememberMinute(key, at, zone)
  return { ...known, second: String(at.getUTCSeconds()).padStart(2, '0') }
}

function rememberMinute(key: string, at: Date, zone: string): DateParts {
  const parts = formatOf(zone).formatToParts(at)
  const made = Object.fromEntries(parts.map(({ type, value }) => [type, value])) as unknown as DateParts
  if (minutes.size >= MOST_MINUTES) minutes.clear()
  minutes.set(key, made)
  return made
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  })
  // Drops the oldest format, because cookies can name any zone.
  const [oldest] = formats.keys()
  if (formats.size >= MOST_FORMATS && oldest !== undefined) formats.delete(oldest)
  formats.set(zone, made)
  return made
}

/** Whether a zone is known. An offset is not a zone, because it has no summer time. */
function isKnown(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone) || zone.length > 50) return false
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}
