// Divides a range of time into up, failing, unknown, paused and maintenance, by pure rules. The chart of a check, its table of
// uptime and the status page all use it.
import { Cover, type Interval } from './cover.ts'
import { percent, type Runs, sumRuns, uptime } from './uptime.ts'
import { type SpanOfRuns, type Timetable, type Watch, watchesOf } from './watched.ts'

/** A stretch of time whose results are counted together. */
export interface StretchCounts extends Interval, Runs {
  /** Counts of the results that ran during maintenance. */
  excluded: Runs
}

/** Facts about a range in addition to its results. */
export interface Facts {
  timetable: Timetable
  /** Times of maintenance. */
  maintenance: Cover
  /** Time at which the check was created, in milliseconds since the Unix epoch. */
  exists_from: number
}

/**
 * Times and runs of a range. Up, failing, unknown, paused and maintenance add up to `total_sec`; `watched_sec` is up and failing
 * together.
 */
export interface Division extends Runs {
  /** Length of the range, from the creation of the check. */
  total_sec: number
  watched_sec: number
  /** Watched time, multiplied by the share of the runs that passed. */
  up_sec: number
  failing_sec: number
  /** Scheduled time without results. */
  unknown_sec: number
  /** Time during which no run was scheduled. */
  paused_sec: number
  /** Scheduled time under maintenance, which is neither up nor down. */
  maintenance_sec: number
  /** Runs during maintenance, which `runs` and `failures` omit. */
  excluded: Runs
  /** Number of runs that were due in the whole range, by the schedules of that time. `arrived`: number of them that arrived. */
  due: number
  arrived: number
}

/** A part of a chart without any change inside. */
export interface Segment extends Interval {
  kind: 'watched' | 'paused' | 'maintenance'
  /** Share of the runs that failed, from 0 to 1. */
  failed: number
  /** Share of the time without results, from 0 to 1. */
  unknown: number
}

/** Tolerance in runs, because the recorded end of a schedule differs a little from its last run. */
const NEARLY_DUE = 0.001
/** Number of changes that are too many to draw. The chart shows such a stretch as the kind that most of it was. */
const MOST_CHANGES = 8

/** Returns the percentage of runs that passed, without those during maintenance. Returns null if nothing was watched. */
export function uptimeOf({ runs, failures }: Division): number | null {
  return uptime({ runs, failures })
}

/** Returns the percentage of due runs that arrived, or null if none was due. */
export function coverageOf({ due, arrived }: Pick<Division, 'due' | 'arrived'>): number | null {
  return percent(arrived, due)
}

/** Divides a range. `counted`: consecutive stretches that together are the range. */
export function divide(facts: Facts, counted: readonly StretchCounts[]): Division {
  const { timetable, maintenance } = facts
  const stretches = measure(facts, counted)
  const [from, until] = [startOf(facts, counted), counted.at(-1)?.until ?? 0]
  const { runs, failures } = sumRuns(stretches)
  const scheduled_sec = sum(stretches.map(({ watch }) => watch.scheduled_sec))
  // The first interval counts as watched, by a run before the range. Without any run there was none.
  const watched_sec = runs === 0 ? 0 : sum(stretches.map(({ watch }) => watch.watched_sec))
  const up_sec = runs === 0 ? 0 : (watched_sec * (runs - failures)) / runs
  const total_sec = Math.max(0, until - from) / 1000
  const maintenance_sec = heldMs(timetable, maintenance, from, until) / 1000
  return {
    total_sec,
    watched_sec,
    up_sec,
    failing_sec: watched_sec - up_sec,
    unknown_sec: scheduled_sec - watched_sec,
    paused_sec: Math.max(0, total_sec - maintenance_sec - scheduled_sec),
    maintenance_sec,
    runs,
    failures,
    excluded: sumRuns(counted.map(({ excluded }) => excluded)),
    due: Math.floor(timetable.runsDue(from, until) + NEARLY_DUE),
    arrived: sumRuns(counted).runs,
  }
}

/** Returns the segments that a chart shades, from its beginning to its end without a gap. */
export function segmentsOf(facts: Facts, counted: readonly StretchCounts[]): Segment[] {
  const segments: Segment[] = []
  let [failed, has_run] = [0, false]
  for (const stretch of measure(facts, counted)) {
    const { runs, failures, watch } = stretch
    has_run ||= runs > 0
    if (runs > 0) failed = failures / runs
    const unknown = has_run ? shareOf(watch.scheduled_sec - watch.watched_sec, watch.scheduled_sec) : 1
    // A stretch without results, or without scheduled time, ends what is known of failures.
    if (runs === 0 && (unknown === 1 || watch.scheduled_sec === 0)) failed = 0
    for (const { kind, from, until } of cut(facts, stretch)) {
      const told = kind === 'watched' ? { failed, unknown } : { failed: 0, unknown: 0 }
      const last = segments.at(-1)
      const isSame = last?.kind === kind && last.failed === told.failed && last.unknown === told.unknown
      if (isSame) last.until = until
      else segments.push({ from, until, kind, ...told })
    }
  }
  return segments
}

/** Returns how long a check was scheduled and under maintenance between two instants, in milliseconds. */
export function heldMs(timetable: Timetable, maintenance: Cover, from: number, until: number): number {
  let held_ms = 0
  for (const one of timetable.between(from, until)) {
    held_ms += maintenance.lengthWithin(Math.max(one.from, from), Math.min(one.until, until))
  }
  return held_ms
}

/** A stretch without its runs during maintenance, and its watched time. */
export type Stretch = SpanOfRuns & Runs & { without: Cover; watch: Watch }

/** Measures each stretch by itself. */
export function measure({ timetable, maintenance }: Facts, counted: readonly StretchCounts[]): Stretch[] {
  const spans = counted.map(({ from, until, runs, failures, excluded }) => ({
    from,
    until,
    runs: runs - excluded.runs,
    failures: failures - excluded.failures,
    without: maintenance,
  }))
  const watches = watchesOf(timetable, spans)
  return spans.map((span, index) => ({ ...span, watch: watches[index] as Watch }))
}

/** Returns the parts of a stretch that were scheduled, not scheduled, or under maintenance. */
function cut({ timetable }: Facts, { from, until, without, watch }: Stretch): Pick<Segment, 'kind' | keyof Interval>[] {
  // Results outside of any recorded schedule count as watched time.
  const isUnrecorded = timetable.scheduledMs(from, until) === 0 && watch.scheduled_sec > 0
  const changes = changesIn(timetable, without, from, until)
  if (changes.size >= MOST_CHANGES) {
    // Schedules overlap where a clock was set back.
    const scheduled = Cover.of(isUnrecorded ? [{ from, until }] : [...timetable.between(from, until)])
    const scheduled_ms = scheduled.lengthWithin(from, until)
    let maintenance = 0
    for (const one of scheduled.between(from, until)) maintenance += without.lengthWithin(one.from, one.until)
    const lengths = { watched: scheduled_ms - maintenance, maintenance, paused: until - from - scheduled_ms }
    const kinds = Object.keys(lengths) as (keyof typeof lengths)[]
    return [{ from, until, kind: kinds.reduce((most, kind) => (lengths[kind] > lengths[most] ? kind : most)) }]
  }
  const kindAt = (at: number): Segment['kind'] => {
    if (!isUnrecorded && timetable.scheduledMs(at, at + 1) === 0) return 'paused'
    return without.lengthWithin(at, at + 1) > 0 ? 'maintenance' : 'watched'
  }
  const edges = [from, ...[...changes].toSorted((a, b) => a - b), until]
  return edges.slice(0, -1).map((begin, index) => {
    const end = edges[index + 1] as number
    return { from: begin, until: end, kind: kindAt(begin) }
  })
}

/** Returns the instants at which a stretch changes. Stops as soon as they are too many to draw. */
function changesIn(timetable: Timetable, without: Cover, from: number, until: number): ReadonlySet<number> {
  const changes = new Set<number>()
  const add = (one: Interval): boolean => {
    for (const at of [one.from, one.until]) if (at > from && at < until) changes.add(at)
    return changes.size < MOST_CHANGES
  }
  for (const one of timetable.between(from, until)) if (!add(one)) return changes
  for (const one of without.between(from, until)) if (!add(one)) return changes
  return changes
}

/** Returns the start of the range: not before the creation of the check, unless results show that it existed earlier. */
function startOf({ exists_from }: Facts, counted: readonly StretchCounts[]): number {
  const first = counted.find(({ runs }) => runs > 0)
  const since = first && first.until <= exists_from ? first.from : exists_from
  return Math.max(counted[0]?.from ?? 0, since)
}

function shareOf(part: number, whole: number): number {
  // A rest that rounding leaves counts as none.
  return whole <= 0 || part < 0.001 ? 0 : part / whole
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
