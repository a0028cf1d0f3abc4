// The longest time between two times of a cron expression, in the year to come. An expression may come every minute, and looking at half a
// million times would stop the process for a minute. So the times of a day and the days of the year are read once each, and only the times
// around a change of the clock one by one.
import { Temporal } from 'temporal-polyfill'
import { CALENDAR, lastOf, nextOf } from './cron.ts'

const MOST_DAYS = 366
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const SOME_DAY = Date.UTC(2026, 0, 1)
/** Clocks are changed by an hour, or by less. What changes them by more, such as a country that moves to another day, counts as this. */
const MOST_SHIFT_MS = 3 * HOUR_MS

/** A change of the clock: from when on (ms) it differs from UTC by how much. */
interface Change {
  at: number
  before: number
  after: number
}

/** Of a year. All times but `now` and `end` are of a clock on the wall, in milliseconds as if it showed UTC. */
interface Year {
  cron: string
  zone: string
  now: number
  end: number
  changes: readonly Change[]
  /** The offset at first. */
  offset: number
}

/** In seconds; undefined: it comes less than once a year. */
export function longestGapSec(cron: string, zone: string, now: Date): number | undefined {
  const year = yearFrom(cron, zone, now.getTime())
  const first = nextOf(cron, zone, year.now)
  if (first === undefined || first > year.end) return undefined
  const times = timesOfDay(cron)
  const usual = times.reduce((longest, time, n) => Math.max(longest, time - (times[n - 1] ?? time)), 0)
  let longest = 0
  let day = dayAfter(cron, dayBefore(first, zone))
  // Zones are a day apart at most.
  while (day !== undefined && day < year.end + 2 * DAY_MS) {
    const next = dayAfter(cron, day)
    if (next === undefined) return undefined
    const within = isPlain(year, day) ? usual : gapWithin(year, day, times)
    longest = Math.max(longest, within, gapOf(year, day + (times.at(-1) ?? 0), next + (times[0] ?? 0)))
    day = next
  }
  for (const change of year.changes) longest = Math.max(longest, gapAround(year, change))
  return longest > MOST_DAYS * DAY_MS ? undefined : Math.min(365 * 86_400, Math.ceil(longest / 1000))
}

function yearFrom(cron: string, zone: string, now: number): Year {
  const end = now + MOST_DAYS * DAY_MS
  const changes: Change[] = []
  let at = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone)
  const offset = at.offsetNanoseconds / 1e6
  // What follows the last time of the year may be a year later.
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    if (!next || next.epochMilliseconds > end + MOST_DAYS * DAY_MS) break
    const [before, after] = [at.offsetNanoseconds / 1e6, next.offsetNanoseconds / 1e6]
    if (before !== after) changes.push({ at: next.epochMilliseconds, before, after })
    at = next
  }
  return { cron, zone, now, end, changes, offset }
}

/** Since midnight, in order. */
function timesOfDay(cron: string): number[] {
  const [minute = '', hour = ''] = fieldsOf(cron)
  const minutes = timesWithin(`${minute} * * * *`, HOUR_MS)
  return timesWithin(`0 ${hour} * * *`, DAY_MS).flatMap((at) => minutes.map((more) => at + more))
}

function timesWithin(cron: string, length: number): number[] {
  const times: number[] = []
  let at = nextOf(cron, CALENDAR, SOME_DAY - 1)
  for (; at !== undefined && at < SOME_DAY + length; at = nextOf(cron, CALENDAR, at)) times.push(at - SOME_DAY)
  return times
}

/** The first of its days after another. */
function dayAfter(cron: string, day: number): number | undefined {
  const [, , ...days] = fieldsOf(cron)
  return nextOf(`0 0 ${days.join(' ')}`, CALENDAR, day)
}

function dayBefore(at: number, zone: string): number {
  const { year, month, day } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  return Date.UTC(year, month - 1, day) - DAY_MS
}

/** Whether a day is whole: it is within the year, and clocks are not changed. */
function isPlain({ now, end, changes }: Year, day: number): boolean {
  return (
    day > now + DAY_MS &&
    day + 2 * DAY_MS < end &&
    changes.every(({ at }) => at < day - DAY_MS || at > day + 2 * DAY_MS)
  )
}

function gapWithin(year: Year, day: number, times: readonly number[]): number {
  return times.reduce((longest, time, n) => Math.max(longest, gapOf(year, day + (times[n - 1] ?? time), day + time)), 0)
}

/** Between two times that follow each other. 0: it begins before now or after the year, or is looked at with a change of the clock. */
function gapOf(year: Year, from: number, until: number): number {
  const [began, ended] = [instantOf(year, from), instantOf(year, until)]
  if (began === undefined || ended === undefined || began <= year.now || began > year.end) return 0
  return ended - began
}

/** Undefined for a time that occurs twice, or not at all. */
function instantOf({ changes, offset }: Year, wall: number): number | undefined {
  let present = offset
  for (const { at, before, after } of changes) {
    if (wall < at + Math.min(before, after)) break
    if (wall <= at + Math.max(before, after)) return undefined
    present = after
  }
  return wall - present
}

/** The longest gap of which an end is close to a change of the clock. */
function gapAround({ cron, zone, now, end }: Year, { at: change, before, after }: Change): number {
  const reach = Math.min(MOST_SHIFT_MS, Math.abs(after - before)) + MINUTE_MS
  let longest = 0
  let at = lastOf(cron, zone, change - reach)
  while (at !== undefined && at <= Math.min(end, change + reach)) {
    const next = nextOf(cron, zone, at)
    if (next !== undefined && at > now) longest = Math.max(longest, next - at)
    at = next
  }
  return longest
}

function fieldsOf(cron: string): string[] {
  return cron.split(/\s/).filter(Boolean)
}
