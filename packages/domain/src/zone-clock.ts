// Reads the offset of a time zone and its changes of the clock, a year at a time, and keeps what was read.

/** Time during which the clock of a zone differs from UTC by a constant offset. In milliseconds. */
export interface ClockSpan {
  from: number
  until: number
  offset: number
  /**
   * Change of the clock at `from`. Negative if the clock was set back, 0 if the span begins at `from` only because the reading of
   * the year did.
   */
  shift: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Distance between two readings of the offset. No zone changes its clock back within less. */
const STEP_MS = 14 * DAY_MS
/** Part of the neighbouring years that is read with a year, so that a change just before an instant belongs to its span. */
const MARGIN_MS = 2 * DAY_MS

/** Spans by zone and year. Names of zones are bounded, but years are not. */
const years = new Map<string, readonly ClockSpan[]>()
const MOST_YEARS = 5_000
/** Formats by zone, because creating one costs as much as 200 readings. */
const formats = new Map<string, Intl.DateTimeFormat>()
const MOST_FORMATS = 100

/** Returns the span of a zone's clock that contains an instant. Throws RangeError if there is no such zone. */
export function clockSpanAt(zone: string, at_ms: number): ClockSpan {
  const year = new Date(at_ms).getUTCFullYear()
  const spans = recall(years, `${zone.toLowerCase()} ${year}`, MOST_YEARS, () => readYear(zone, year))
  const span = spans.find(({ until }) => at_ms < until)
  if (!span) throw new RangeError(`the clock of time zone ${zone} has no span that contains ${at_ms}`)
  return span
}

/**
 * Returns the instant at which a clock of the zone first shows a time or a later one. `wall_ms` is that time as if in UTC. A
 * skipped time is reached when the clock is set forward.
 */
export function firstReached(zone: string, wall_ms: number): number {
  let span = clockSpanAt(zone, wall_ms - DAY_MS)
  while (wall_ms >= span.until + span.offset) span = clockSpanAt(zone, span.until)
  return Math.max(span.from, wall_ms - span.offset)
}

/** Returns the time that the clock of a zone shows at an instant, as if the clock were that of UTC. */
export function wallAt(zone: string, at_ms: number): number {
  return at_ms + clockSpanAt(zone, at_ms).offset
}

/**
 * Returns the instant at which the clock of a zone shows a time: the first of two in autumn. A time that is skipped in spring is as late as its
 * distance from midnight says.
 */
export function instantOf(zone: string, wall_ms: number): number {
  const before = clockSpanAt(zone, wall_ms - DAY_MS).offset
  const first = wall_ms - before
  if (clockSpanAt(zone, first).offset === before) return first
  const second = wall_ms - clockSpanAt(zone, wall_ms + DAY_MS).offset
  return wallAt(zone, second) === wall_ms ? second : first
}

function readYear(zone: string, year: number): readonly ClockSpan[] {
  const [from, until] = [Date.UTC(year, 0, 1) - MARGIN_MS, Date.UTC(year + 1, 0, 1) + MARGIN_MS]
  const format = recall(formats, zone.toLowerCase(), MOST_FORMATS, () => formatOf(zone))
  const offsetAt = (at_ms: number) => readOffset(format.format(at_ms))
  const spans: ClockSpan[] = []
  let span = { from, until, offset: offsetAt(from), shift: 0 }
  for (let at = from; at < until; ) {
    const next = Math.min(at + STEP_MS, until)
    if (offsetAt(next) === span.offset) {
      at = next
      continue
    }
    at = findChange(offsetAt, at, next)
    const offset = offsetAt(at)
    spans.push({ ...span, until: at })
    span = { from: at, until, offset, shift: offset - span.offset }
  }
  return [...spans, span]
}

/** Finds the first minute that has another offset than `before`, between that and a later instant that has one. */
function findChange(offsetAt: (at_ms: number) => number, before: number, after: number): number {
  const offset = offsetAt(before)
  let [same, other] = [before / MINUTE_MS, after / MINUTE_MS]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (offsetAt(middle * MINUTE_MS) === offset) same = middle
    else other = middle
  }
  return other * MINUTE_MS
}

function formatOf(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
}

/** Reads the offset in `11/28/2026, GMT+05:30`, which has nothing after `GMT` if it is zero. */
function readOffset(text: string): number {
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(text) ?? []
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS
  return sign === '-' ? -offset : offset
}

/** Returns the value of a key, and keeps at most `most` values. */
function recall<Value>(kept: Map<string, Value>, key: string, most: number, make: () => Value): Value {
  const known = kept.get(key)
  if (known !== undefined) return known
  const made = make()
  const [oldest] = kept.keys()
  if (kept.size >= most && oldest !== undefined) kept.delete(oldest)
  kept.set(key, made)
  return made
}
