// How a range of time divides into up, failing, unknown, paused and maintenance: pure rules. The chart of a check, its
// table of uptime and the status page all read them from here.
import { Cover, type Interval } from './cover.ts'
import { percent, type Runs, uptime } from './uptime.ts'
import { type SpanOfRuns, type Timetable, type Watch, watchesOf } from './watched.ts'

/** A stretch of time whose results are counted together. */
export interface Counted extends Interval, Runs {
  /** Those of them that ran during maintenance. */
  excluded: Runs
}

/** What is known of a range besides its results. */
export interface Facts {
  timetable: Timetable
  /** When it was under maintenance. */
  maintenance: Cover
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
  const { timetable, maintenance } = facts
  const stretches = measure(facts, counted)
  const [from, until] = [startOf(facts, counted), counted.at(-1)?.until ?? 0]
  const runs = sum(stretches.map((one) => one.runs))
  const failures = sum(stretches.map((one) => one.failures))
  const scheduled_sec = sum(stretches.map(({ watch }) => watch.scheduled_sec))
  // A first interval is taken to be watched by a run before the range. Without any run there was none.
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
    excluded: {
      runs: sum(counted.map(({ excluded }) => excluded.runs)),
      failures: sum(counted.map(({ excluded }) => excluded.failures)),
    },
    due: Math.floor(timetable.runsDue(from, until) + NEARLY_DUE),
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

/** How long a check was to run and was under maintenance between two instants, in milliseconds. */
export function heldMs(timetable: Timetable, maintenance: Cover, from: number, until: number): number {
  let held_ms = 0
  for (const one of timetable.between(from, until)) {
    held_ms += maintenance.lengthWithin(Math.max(one.from, from), Math.min(one.until, until))
  }
  return held_ms
}

/** A stretch without what ran during maintenance, and how much of it was watched. */
export type Stretch = SpanOfRuns & Runs & { without: Cover; watch: Watch }

/** Each stretch by itself. */
export function measure({ timetable, maintenance }: Facts, counted: readonly Counted[]): Stretch[] {
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

/** The parts of a stretch in which the check was to run, was not to run, or was under maintenance. */
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

/** Instants at which a stretch changes. Counts no further than to where they are too many to be drawn. */
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
