// Computes how much of a time a check was watched, by pure rules. Time without results is neither up nor down.

import { type Cover, firstAfter, type Interval } from './cover.ts'

/** Time during which a check should run once per interval. `until` is Infinity while it lasts. */
export interface Schedule extends Interval {
  interval_ms: number
}

/** A span of time, and how many results of a check arrived in it. */
export interface SpanOfRuns extends Interval {
  runs: number
  /** Times that do not count, such as maintenance. `runs` omits their results. */
  without?: Cover
}

export interface Watch {
  watched_sec: number
  /** Scheduled time: not before the check existed, and not while it was paused. */
  scheduled_sec: number
}

/** Schedules that a check has had. Queries about a part of the time do not visit all of them. */
export class Timetable {
  readonly #all: readonly Schedule[]
  /** Time at which each schedule and all earlier ones have ended. Schedules overlap only if a clock was set back. */
  readonly #ended: Float64Array

  /** `all`: schedules, in the order of their starts. */
  constructor(all: readonly Schedule[]) {
    this.#all = all
    this.#ended = new Float64Array(all.length)
    let ended = -Infinity
    for (const [n, { until }] of all.entries()) this.#ended[n] = ended = Math.max(ended, until)
  }

  get size(): number {
    return this.#all.length
  }

  /** Interval of the last schedule. */
  get interval_ms(): number {
    return this.#all.at(-1)?.interval_ms ?? 0
  }

  /** Yields the schedules that lie at least partly between two instants. */
  *between(from: number, until: number): Generator<Schedule> {
    for (let n = firstAfter(this.#ended, from); n < this.#all.length; n++) {
      const one = this.#all[n] as Schedule
      if (one.from >= until) return
      if (one.until > from) yield one
    }
  }

  /**
   * Returns the number of runs that were due between two instants, by the schedules of that time. A current run counts as a
   * fraction.
   */
  runsDue(from: number, until: number, without?: Cover): number {
    let due = 0
    for (const one of this.between(from, until)) due += countingMs(one, from, until, without) / one.interval_ms
    return due
  }

  /** Returns how long the check was scheduled between two instants, in milliseconds. */
  scheduledMs(from: number, until: number, without?: Cover): number {
    let scheduled_ms = 0
    for (const one of this.between(from, until)) scheduled_ms += countingMs(one, from, until, without)
    return scheduled_ms
  }
}

function countingMs(schedule: Schedule, from: number, until: number, without: Cover | undefined): number {
  const [begin, end] = [Math.max(schedule.from, from), Math.min(schedule.until, until)]
  return end > begin ? end - begin - (without?.lengthWithin(begin, end) ?? 0) : 0
}

/** Builds a timetable from rows. Without rows, the check's current setting counts from its creation. */
export function timetableOf(
  rows: readonly (readonly [since: number, until: number | null, interval: number])[] | undefined,
  check: { created_at: string; interval_sec: number; enabled: boolean },
): Timetable {
  if (rows !== undefined && rows.length > 0) {
    return new Timetable(rows.map(([from, until, interval_ms]) => ({ from, until: until ?? Infinity, interval_ms })))
  }
  if (!check.enabled) return new Timetable([])
  return new Timetable([
    { from: Date.parse(check.created_at), until: Infinity, interval_ms: check.interval_sec * 1000 },
  ])
}

/**
 * Returns how much of each of some consecutive spans was watched. A result covers its interval and, because the next result can be
 * late, one more. After that, the check is no longer watched.
 */
export function watchesOf(timetable: Timetable, spans: readonly SpanOfRuns[]): Watch[] {
  // The run before the first span is not known.
  let credit_ms = Infinity
  return spans.map((span) => {
    const { from, until, runs, without } = span
    const scheduled_ms = timetable.scheduledMs(from, until, without)
    const due = timetable.runsDue(from, until, without)
    const interval_ms = due > 0 ? scheduled_ms / due : timetable.interval_ms
    // Results outside of any recorded schedule count as watched time.
    const to_watch_ms = scheduled_ms > 0 ? scheduled_ms : Math.min(countedMs(span), runs * interval_ms)
    credit_ms = Math.min(credit_ms, interval_ms) + runs * interval_ms
    const watched_ms = Math.min(credit_ms, to_watch_ms)
    credit_ms = Math.min(credit_ms - watched_ms, 2 * interval_ms)
    return { watched_sec: watched_ms / 1000, scheduled_sec: to_watch_ms / 1000 }
  })
}

/** Returns the time of a span that counts, in milliseconds. */
function countedMs({ from, until, without }: SpanOfRuns): number {
  return Math.max(0, until - from) - (without?.lengthWithin(from, until) ?? 0)
}
