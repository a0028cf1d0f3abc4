// How much of a time a check was watched: pure rules. Time that nobody watched is neither up nor down.

/** In milliseconds since the Unix epoch. */
export interface Interval {
  from: number
  until: number
}

/** A time in which a check was to run once per interval; `until` is Infinity while it lasts. */
export interface Schedule extends Interval {
  interval_ms: number
}

/** A span of time, and how many results of a check arrived in it. */
export interface SpanOfRuns extends Interval {
  runs: number
  /** Times within it that do not count, such as maintenance, sorted and disjoint. `runs` leaves out theirs. */
  without?: readonly Interval[]
}

export interface Watch {
  watched_sec: number
  /** How long it was to be watched: not before it existed, and not while it was paused. */
  scheduled_sec: number
}

export const NEVER: Watch = { watched_sec: 0, scheduled_sec: 0 }

/** Schedules from their rows. When none is recorded, the check's present setting counts from its creation. */
export function schedulesOf(
  rows: readonly { since: string; until: string | null; interval_sec: number }[],
  check: { created_at: string; interval_sec: number; enabled: boolean },
): Schedule[] {
  if (rows.length > 0) {
    return rows.map(({ since, until, interval_sec }) => ({
      from: Date.parse(since),
      until: until === null ? Infinity : Date.parse(until),
      interval_ms: interval_sec * 1000,
    }))
  }
  if (!check.enabled) return []
  return [{ from: Date.parse(check.created_at), until: Infinity, interval_ms: check.interval_sec * 1000 }]
}

/** How many runs were due in a span, by the schedules of that time; a fraction for a run that was under way. */
export function runsDue(schedules: readonly Schedule[], from: number, until: number): number {
  let due = 0
  for (const one of schedules) due += overlap(one, from, until) / one.interval_ms
  return due
}

/** For how long of a span a check was to run. */
export function scheduledMs(schedules: readonly Schedule[], from: number, until: number): number {
  let scheduled_ms = 0
  for (const one of schedules) scheduled_ms += overlap(one, from, until)
  return scheduled_ms
}

/**
 * How much of consecutive spans was watched. A result covers its interval and, because it may be a little late, one
 * more. After that, the check is not watched any more.
 */
export function watchOf(schedules: readonly Schedule[], spans: readonly SpanOfRuns[]): Watch {
  return sumWatches(watchesOf(schedules, spans))
}

/** The same for each of the spans. */
export function watchesOf(schedules: readonly Schedule[], spans: readonly SpanOfRuns[]): Watch[] {
  // The run before the first span is not known.
  let credit_ms = Infinity
  return spans.map((span) => {
    const { runs } = span
    const counting = countingIn(span)
    const scheduled_ms = sum(counting.map(({ from, until }) => scheduledMs(schedules, from, until)))
    const due = sum(counting.map(({ from, until }) => runsDue(schedules, from, until)))
    const interval_ms = due > 0 ? scheduled_ms / due : (schedules.at(-1)?.interval_ms ?? 0)
    // Results outside of any recorded schedule count as watched time.
    const to_watch_ms = scheduled_ms > 0 ? scheduled_ms : Math.min(lengthOf(counting), runs * interval_ms)
    credit_ms = Math.min(credit_ms, interval_ms) + runs * interval_ms
    const watched_ms = Math.min(credit_ms, to_watch_ms)
    credit_ms = Math.min(credit_ms - watched_ms, 2 * interval_ms)
    return { watched_sec: watched_ms / 1000, scheduled_sec: to_watch_ms / 1000 }
  })
}

/** The same for one span of which only the number of results is known. */
export function watchOfTotal(schedules: readonly Schedule[], span: SpanOfRuns): Watch {
  const { runs } = span
  const counting = countingIn(span)
  const scheduled_ms = sum(counting.map(({ from, until }) => scheduledMs(schedules, from, until)))
  const due = sum(counting.map(({ from, until }) => runsDue(schedules, from, until)))
  if (scheduled_ms === 0) return watchOf(schedules, [span])
  const share = due - runs < 2 ? Math.min(1, runs) : Math.min(1, runs / due)
  return { watched_sec: (scheduled_ms * share) / 1000, scheduled_sec: scheduled_ms / 1000 }
}

function sumWatches(watches: readonly Watch[]): Watch {
  return {
    watched_sec: sum(watches.map(({ watched_sec }) => watched_sec)),
    scheduled_sec: sum(watches.map(({ scheduled_sec }) => scheduled_sec)),
  }
}

/** How long nobody watched, in whole seconds. */
export function unknownSec({ watched_sec, scheduled_sec }: Watch): number {
  return Math.max(0, Math.round(scheduled_sec - watched_sec))
}

/** The parts of a span that count. A page asks it of a thousand spans, and of nearly all of them everything counts. */
function countingIn({ from, until, without = [] }: SpanOfRuns): Interval[] {
  if (without.length === 0) return until > from ? [{ from, until }] : []
  const edges = [from, ...without.flatMap((one) => [Math.max(from, one.from), Math.min(until, one.until)]), until]
  return edges.flatMap((begin, index) => {
    const end = edges[index + 1]
    return index % 2 === 0 && end !== undefined && end > begin ? [{ from: begin, until: end }] : []
  })
}

export function lengthOf(intervals: readonly Interval[]): number {
  return sum(intervals.map(({ from, until }) => until - from))
}

function overlap({ from, until }: Schedule, begin: number, end: number): number {
  return Math.max(0, Math.min(until, end) - Math.max(from, begin))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
