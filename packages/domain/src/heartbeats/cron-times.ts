// Finds the instants at which Debian's cron starts a job, by the clock of a zone and through its changes. A job that follows the
// clock runs when the clock shows one of its times. Any other job runs once for each of its times: at the change if the clock
// skips that time, and only the first time that the clock shows it. Every job follows changes by three hours and more.
import { type ClockSpan, clockSpanAt } from '../zone-clock.ts'
import type { Cron } from './cron.ts'
import { DAY_MS, lastWall, nextWall } from './cron-calendar.ts'

const MINUTE_MS = 60_000
const THREE_HOURS_MS = 180 * MINUTE_MS
/** Margin of a search for the next start, because offsets of zones differ by 26 hours at most. */
const REACH_MS = 2 * DAY_MS
/** Maximum number of spans to search. Only a job whose times are skipped each year needs more than a few. */
const MOST_SPANS = 10

/** Returns the first start after an instant, both in milliseconds, or undefined if there is none. */
export function nextStart(cron: Cron, zone: string, after_ms: number): number | undefined {
  let at = (Math.floor(after_ms / MINUTE_MS) + 1) * MINUTE_MS
  for (let looked = 0; looked < MOST_SPANS; looked++) {
    const span = clockSpanAt(zone, at)
    if (at === span.from && catchesUp(cron, span)) return at
    const wall = nextWall(cron, Math.max(at + span.offset, firstWall(cron, span)))
    if (wall === undefined) return undefined
    const start = wall - span.offset
    if (start < span.until) return start
    // A clock that is soon set back shows times again that lie before `at`.
    at = span.until - at < REACH_MS ? span.until : Math.max(span.until, start - REACH_MS)
  }
  return undefined
}

/** Returns the last start before an instant, both in milliseconds, or undefined if there is none. */
export function lastStart(cron: Cron, zone: string, before_ms: number): number | undefined {
  let at = (Math.ceil(before_ms / MINUTE_MS) - 1) * MINUTE_MS
  for (let looked = 0; looked < MOST_SPANS; looked++) {
    const span = clockSpanAt(zone, at)
    const wall = lastWall(cron, at + span.offset)
    const isWithin = wall !== undefined && wall >= Math.max(span.from + span.offset, firstWall(cron, span))
    if (isWithin) return wall - span.offset
    if (catchesUp(cron, span)) return span.from
    if (wall === undefined) return undefined
    const earlier = span.from - MINUTE_MS
    at = at - span.from < REACH_MS ? earlier : Math.min(earlier, wall - span.offset + REACH_MS)
  }
  return undefined
}

/** Returns the first time of a span's clock that starts the job: times that the clock shows again have started it already. */
function firstWall(cron: Cron, { from, offset, shift }: ClockSpan): number {
  return !cron.followsClock && shift < 0 && shift >= -THREE_HOURS_MS ? from + offset - shift : -Infinity
}

/** Whether the job runs when the span begins, because the clock was set past one of its times. */
function catchesUp(cron: Cron, { from, offset, shift }: ClockSpan): boolean {
  if (cron.followsClock || shift <= 0 || shift >= THREE_HOURS_MS) return false
  const skipped = nextWall(cron, from + offset - shift)
  return skipped !== undefined && skipped < from + offset
}
