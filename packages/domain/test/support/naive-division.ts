// The division of a range as a naive model computes it: every question looks at every interval. Whatever is faster must say the same.

import type { Interval } from '../../src/results/cover.ts'
import type { Division, Segment, StretchCounts } from '../../src/results/division.ts'
import { sumRuns } from '../../src/results/uptime.ts'
import type { Schedule, Watch } from '../../src/results/watched.ts'

export interface NaiveFacts {
  schedules: readonly Schedule[]
  /** Sorted and disjoint. */
  maintenance: readonly Interval[]
  exists_from: number
}

interface Span extends Interval {
  runs: number
  failures: number
  without: readonly Interval[]
}

type Measured = Span & { watch: Watch }

const NEARLY_DUE = 0.001
const MOST_CHANGES = 8

/** Sorts intervals, and joins those that touch or overlap. */
export function merged(intervals: readonly Interval[]): Interval[] {
  const all: Interval[] = []
  for (const { from, until } of intervals.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last && from <= last.until) last.until = Math.max(last.until, until)
    else all.push({ from, until })
  }
  return all
}

/** Parts of intervals between two instants. */
export function within(intervals: readonly Interval[], from: number, until: number): Interval[] {
  return intervals.flatMap((one) => {
    const [begin, end] = [Math.max(one.from, from), Math.min(one.until, until)]
    return end > begin ? [{ from: begin, until: end }] : []
  })
}

export function naiveDivision(facts: NaiveFacts, counted: readonly StretchCounts[]): Division {
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
    excluded: sumRuns(counted.map(({ excluded }) => excluded)),
    due: Math.floor(dueIn(schedules, from, until) + NEARLY_DUE),
    arrived: sum(counted.map((one) => one.runs)),
  }
}

export function naiveSegments(facts: NaiveFacts, counted: readonly StretchCounts[]): Segment[] {
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

export function measure({ schedules, maintenance }: NaiveFacts, counted: readonly StretchCounts[]): Measured[] {
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

function cut(
  { schedules }: NaiveFacts,
  { from, until, without, watch }: Measured,
): Pick<Segment, 'kind' | keyof Interval>[] {
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

function startOf({ exists_from }: NaiveFacts, counted: readonly StretchCounts[]): number {
  const first = counted.find(({ runs }) => runs > 0)
  const since = first && first.until <= exists_from ? first.from : exists_from
  return Math.max(counted[0]?.from ?? 0, since)
}

function shareOf(part: number, whole: number): number {
  // A rest that comes of rounding is none.
  return whole <= 0 || part < 0.001 ? 0 : part / whole
}

function watchesOf(schedules: readonly Schedule[], spans: readonly Span[]): Watch[] {
  // The run before the first span is not known.
  let credit_ms = Infinity
  return spans.map((span) => {
    const { runs } = span
    const counting = countingIn(span)
    const scheduled_ms = sum(counting.map(({ from, until }) => scheduledMs(schedules, from, until)))
    const due = sum(counting.map(({ from, until }) => dueIn(schedules, from, until)))
    const interval_ms = due > 0 ? scheduled_ms / due : (schedules.at(-1)?.interval_ms ?? 0)
    // Results outside of any recorded schedule count as watched time.
    const to_watch_ms = scheduled_ms > 0 ? scheduled_ms : Math.min(lengthOf(counting), runs * interval_ms)
    credit_ms = Math.min(credit_ms, interval_ms) + runs * interval_ms
    const watched_ms = Math.min(credit_ms, to_watch_ms)
    credit_ms = Math.min(credit_ms - watched_ms, 2 * interval_ms)
    return { watched_sec: watched_ms / 1000, scheduled_sec: to_watch_ms / 1000 }
  })
}

function dueIn(schedules: readonly Schedule[], from: number, until: number): number {
  return sum(schedules.map((one) => overlap(one, from, until) / one.interval_ms))
}

function scheduledMs(schedules: readonly Schedule[], from: number, until: number): number {
  return sum(schedules.map((one) => overlap(one, from, until)))
}

function countingIn({ from, until, without }: Span): Interval[] {
  if (without.length === 0) return until > from ? [{ from, until }] : []
  const edges = [from, ...without.flatMap((one) => [Math.max(from, one.from), Math.min(until, one.until)]), until]
  return edges.flatMap((begin, index) => {
    const end = edges[index + 1]
    return index % 2 === 0 && end !== undefined && end > begin ? [{ from: begin, until: end }] : []
  })
}

function lengthOf(intervals: readonly Interval[]): number {
  return sum(intervals.map(({ from, until }) => until - from))
}

function overlap({ from, until }: Schedule, begin: number, end: number): number {
  return Math.max(0, Math.min(until, end) - Math.max(from, begin))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
