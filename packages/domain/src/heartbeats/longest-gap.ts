// Finds the longest time between two starts of a cron expression in the coming year. An expression can start a job every minute,
// so the code reads the times of a day and the days of the year once each, and goes one by one only through starts around a
// change of the clock.
import { type ClockSpan, clockSpanAt } from '../zone-clock.ts'
import type { Cron } from './cron.ts'
import { DAY_MS, nextDay, startOfDay, timesOfDay } from './cron-calendar.ts'
import { lastStart, nextStart } from './cron-times.ts'

const MOST_DAYS = 366
const MINUTE_MS = 60_000
/**
 * Maximum change of a clock, in milliseconds. A larger change, such as that of a country that moves to another day, counts as
 * this maximum.
 */
const MOST_SHIFT_MS = 180 * MINUTE_MS

/** The coming year of one expression. Times of a clock are in milliseconds, as if it showed UTC. */
interface Year {
  cron: Cron
  zone: string
  now: number
  end: number
  /** Spans that begin with a change of the clock. */
  changes: readonly ClockSpan[]
  /** Offset of the clock at the start of the year. */
  offset: number
}

/**
 * Returns the longest time between two starts in seconds, at most 365 days. Returns undefined if the expression starts a job less
 * than once a year.
 */
export function longestGapSec(cron: Cron, zone: string, now: Date): number | undefined {
  const first = nextStart(cron, zone, now.getTime())
  if (first === undefined || first > now.getTime() + MOST_DAYS * DAY_MS) return undefined
  const year = yearFrom(cron, zone, now.getTime())
  const times = timesOfDay(cron)
  const [firstTime = 0, lastTime = 0] = [times[0], times.at(-1)]
  const usual = times.reduce((longest, time, n) => Math.max(longest, time - (times[n - 1] ?? time)), 0)
  let longest = 0
  const others: number[] = []
  let day = nextDay(cron, startOfDay(first + clockSpanAt(zone, first).offset) - DAY_MS)
  // Searches two more days, because zones are at most a day apart.
  while (day !== undefined && day < year.end + 2 * DAY_MS) {
    const next = nextDay(cron, day + DAY_MS)
    if (next === undefined) return undefined
    const isWhole = isPlain(year, day)
    if (!isWhole) others.push(day)
    longest = Math.max(
      longest,
      isWhole ? usual : 0,
      gapBetween(year, instantOf(year, day + lastTime), instantOf(year, next + firstTime)),
    )
    day = next
  }
  // No day has a longer gap than the usual one, unless the clock is changed.
  if (usual > longest) for (const other of others) longest = Math.max(longest, gapWithin(year, other, times))
  for (const change of year.changes) longest = Math.max(longest, gapAround(year, change))
  return longest > MOST_DAYS * DAY_MS ? undefined : Math.min(365 * 86_400, Math.ceil(longest / 1000))
}

function yearFrom(cron: Cron, zone: string, now: number): Year {
  const end = now + MOST_DAYS * DAY_MS
  const changes: ClockSpan[] = []
  let span = clockSpanAt(zone, now)
  const { offset } = span
  // The last start of the year is measured up to the one after it, which may be a year later.
  const after = nextDay(cron, startOfDay(end) + 3 * DAY_MS) ?? end
  while (span.until < Math.min(after, end + MOST_DAYS * DAY_MS) + 2 * DAY_MS) {
    span = clockSpanAt(zone, span.until)
    if (span.shift !== 0 && span.from > (changes.at(-1)?.from ?? now)) changes.push(span)
  }
  return { cron, zone, now, end, changes, offset }
}

/** Whether the clock does not change around a day, and the whole day is within the year. */
function isPlain({ now, end, changes }: Year, day: number): boolean {
  return (
    day > now + DAY_MS &&
    day + 2 * DAY_MS < end &&
    changes.every(({ from }) => from < day - DAY_MS || from > day + 2 * DAY_MS)
  )
}

function gapWithin(year: Year, day: number, times: readonly number[]): number {
  const starts = times.map((time) => instantOf(year, day + time))
  return starts.reduce((longest: number, start, n) => Math.max(longest, gapBetween(year, starts[n - 1], start)), 0)
}

/**
 * Returns the time between two starts in a row. Returns 0 if it begins before now or after the year, or if {@link gapAround}
 * measures it.
 */
function gapBetween({ now, end }: Year, began: number | undefined, ended: number | undefined): number {
  return began === undefined || ended === undefined || began <= now || began > end ? 0 : ended - began
}

/** Returns the instant at which the clock shows a time, or undefined if that time occurs twice, or not at all. */
function instantOf({ changes, offset }: Year, wall: number): number | undefined {
  let present = offset
  for (const change of changes) {
    const [before, after] = [change.offset - change.shift, change.offset]
    if (wall < change.from + Math.min(before, after)) break
    if (wall <= change.from + Math.max(before, after)) return undefined
    present = after
  }
  return wall - present
}

/** Returns the longest gap that begins or ends close to a change of the clock. */
function gapAround({ cron, zone, now, end }: Year, { from: change, shift }: ClockSpan): number {
  const reach = Math.min(MOST_SHIFT_MS, Math.abs(shift)) + MINUTE_MS
  let longest = 0
  let at = lastStart(cron, zone, change - reach)
  while (at !== undefined && at <= Math.min(end, change + reach)) {
    const next = nextStart(cron, zone, at)
    if (next !== undefined && at > now) longest = Math.max(longest, next - at)
    at = next
  }
  return longest
}
