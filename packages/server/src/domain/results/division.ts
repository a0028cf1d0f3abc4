// How a range of time divides into up, failing, unknown, paused and maintenance: pure rules. The chart of a check, its
// table of uptime and the status page all read them from here.
import { percent, type Runs, uptime } from './uptime.ts'
import {
  type Interval,
  lengthOf,
  runsDue,
  type Schedule,
  scheduledMs,
  type SpanOfRuns,
  type Watch,
  watchesOf,
} from './watched.ts'

/** A stretch of time whose results are counted together. */
export interface Counted extends Interval, Runs {
  /** Those of them that ran during maintenance. */
  excluded: Runs
}

/** What is known of a range besides its results. */
export interface Facts {
  schedules: readonly Schedule[]
  /** When it was under maintenance: sorted and disjoint. */
  maintenance: readonly Interval[]
  /** When the check was created. */
  exists_from: number
}

/** The six times add up to `total_sec`; without `watched_sec`, which is up and failing together. */
export interface Division extends Runs {
  /** The range, from when the check existed. */
  total_sec: number
  watched_sec: number
  /** The watched time, by the share of the runs that passed. */
  up_sec: number
  failing_sec: number
  /** It was to run, and nobody watched. */
  unknown_sec: number
  /** It was not to run. */
  paused_sec: number
  /** It was to run, and was under maintenance: neither up nor down. */
  maintenance_sec: number
  /** The runs of maintenance, which `runs` and `failures` leave out. */
  excluded: Runs
  /** Runs that were due in the whole range by the schedules of the time, and those that arrived. */
  due: number
  arrived: number
}

/** A part of a chart in which the same is true throughout. */
export interface Segment extends Interval {
  kind: 'watched' | 'paused' | 'maintenance'
  /** Share of the runs that failed, from 0 to 1. */
  failed: number
  /** Share of the time that nobody watched, from 0 to 1. */
  unknown: number
}

/** Recorded ends of schedules differ a little from the runs that they end with. */
const NEARLY_DUE = 0.001
/** A stretch with more changes than this is drawn as what most of it was. */
const MOST_CHANGES = 8

/** Percent of the runs that passed, without those of maintenance; null when nothing was watched. */
export function uptimeOf({ runs, failures }: Division): number | null {
  return uptime({ runs, failures })
}

/** Percent of the runs that were due which arrived; null when none was due. */
export function coverageOf({ due, arrived }: Pick<Division, 'due' | 'arrived'>): number | null {
  return percent(arrived, due)
}

/** `counted`: consecutive stretches, together the range. */
export function divide(facts: Facts, counted: readonly Counted[]): Division {
  const { schedules, maintenance } = facts
  const stretches = measure(facts, counted)
  const [from, until] = [startOf(facts, counted), counted.at(-1)?.until ?? 0]
  const runs = sum(stretches.map((one) => one.runs))
  const failures = sum(stretches.map((one) => one.failures))
  const scheduled_sec = sum(stretches.map(({ watch }) => watch.scheduled_sec))
  // A first interval is taken to be watched by a run before the range. Without any run there was none.
  const watched_sec = runs === 0 ? 0 : sum(stretches.map(({ watch }) => watch.watched_sec))
  const up_sec = runs === 0 ? 0 : (watched_sec * (runs - failures)) / runs
  const total_sec = Math.max(0, until - from) / 1000
  const maintenance_sec =
    sum(within(maintenance, from, until).map((one) => scheduledMs(schedules, one.from, one.until))) / 1000
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
    excluded: {
      runs: sum(counted.map(({ excluded }) => excluded.runs)),
      failures: sum(counted.map(({ excluded }) => excluded.failures)),
    },
    due: Math.floor(runsDue(schedules, from, until) + NEARLY_DUE),
    arrived: sum(counted.map((one) => one.runs)),
  }
}

/** What a chart shades, from its beginning to its end without a gap. */
export function segmentsOf(facts: Facts, counted: readonly Counted[]): Segment[] {
  const segments: Segment[] = []
  let [failed, has_run] = [0, false]
  for (const stretch of measure(facts, counted)) {
    const { runs, failures, watch } = stretch
    has_run ||= runs > 0
    if (runs > 0) failed = failures / runs
    const unknown = has_run ? shareOf(watch.scheduled_sec - watch.watched_sec, watch.scheduled_sec) : 1
    // A stretch that nobody watched, or in which nothing was to run, ends what was known of failures.
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

/** Parts of intervals between two instants. */
export function within(intervals: readonly Interval[], from: number, until: number): Interval[] {
  return intervals.flatMap((one) => {
    const [begin, end] = [Math.max(one.from, from), Math.min(one.until, until)]
    return end > begin ? [{ from: begin, until: end }] : []
  })
}

/** Sorted, and those that touch or overlap as one. */
export function merged(intervals: readonly Interval[]): Interval[] {
  const all: Interval[] = []
  for (const { from, until } of intervals.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last && from <= last.until) last.until = Math.max(last.until, until)
    else all.push({ from, until })
  }
  return all
}

/** A stretch without what ran during maintenance, and how much of it was watched. */
export type Stretch = SpanOfRuns & Runs & { without: readonly Interval[]; watch: Watch }

/** Each stretch by itself. */
export function measure({ schedules, maintenance }: Facts, counted: readonly Counted[]): Stretch[] {
  const spans = counted.map(({ from, until, runs, failures, excluded }) => ({
    from,
    until,
    runs: runs - excluded.runs,
    failures: failures - excluded.failures,
    without: within(maintenance, from, until),
  }))
  const watches = watchesOf(schedules, spans)
  return spans.map((span, index) => ({ ...span, watch: watches[index] as Watch }))
}

/** The parts of a stretch in which the check was to run, was not to run, or was under maintenance. */
function cut({ schedules }: Facts, { from, until, without, watch }: Stretch): Pick<Segment, 'kind' | keyof Interval>[] {
  const inside = (at: number): boolean => at > from && at < until
  const changes = [...schedules, ...without].flatMap((one) => [one.from, one.until]).filter(inside)
  const edges = [from, ...new Set(changes.toSorted((a, b) => a - b)), until]
  // Results outside of any recorded schedule count as watched time.
  const isUnrecorded = scheduledMs(schedules, from, until) === 0 && watch.scheduled_sec > 0
  const kindAt = (at: number): Segment['kind'] => {
    const covers = (one: Interval): boolean => one.from <= at && at < one.until
    if (!isUnrecorded && !schedules.some(covers)) return 'paused'
    return without.some(covers) ? 'maintenance' : 'watched'
  }
  const parts = edges.slice(0, -1).map((begin, index) => {
    const end = edges[index + 1] as number
    return { from: begin, until: end, kind: kindAt((begin + end) / 2) }
  })
  if (parts.length <= MOST_CHANGES) return parts
  const [most] = Array.from(Map.groupBy(parts, ({ kind }) => kind)).toSorted(
    ([, a], [, b]) => lengthOf(b) - lengthOf(a),
  )
  return [{ from, until, kind: most?.[0] ?? 'watched' }]
}

/** Where the range begins: not before the check existed, unless results say that it did. */
function startOf({ exists_from }: Facts, counted: readonly Counted[]): number {
  const first = counted.find(({ runs }) => runs > 0)
  const since = first && first.until <= exists_from ? first.from : exists_from
  return Math.max(counted[0]?.from ?? 0, since)
}

function shareOf(part: number, whole: number): number {
  // A rest that comes of rounding is none.
  return whole <= 0 || part < 0.001 ? 0 : part / whole
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
