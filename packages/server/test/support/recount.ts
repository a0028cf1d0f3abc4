// The figures of a check as somebody recounts them who knows the raw facts alone: when it was to run, when windows were on, and
// each result. Days are days in UTC, hours are whole hours, and a result belongs to the hour in which it says that it ran.

import type { Division, StretchCounts } from '@dogwatch/domain/results/division'
import type { Runs } from '@dogwatch/domain/results/uptime'
import type { Interval } from '../../../domain/src/results/cover.ts'
import type { Schedule } from '../../../domain/src/results/watched.ts'
import { measure, merged, type NaiveFacts, naiveDivision } from '../../../domain/test/support/naive-division.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

export interface RawResult {
  /** In milliseconds, as it is stored and read. */
  at: number
  /** When it ran by the server's clock, as far as the server can know. Fractions keep the order of those that count from one instant. */
  judged: number
  /** When it arrived. */
  received: number
  monitor_id: string
  success: boolean
  latency_ms: number
}

export interface RawFacts {
  created: number
  /** When it was to run, and how often. */
  settings: readonly Schedule[]
  /** Sorted and disjoint. */
  maintenance: readonly Interval[]
  results: readonly RawResult[]
}

/** A range that pages and APIs show. */
export interface Range {
  from: number
  now: number
  /** How long the steps are by which it is counted. */
  step: number
}

/** The last 24 hours begin at a full hour, of which the current one is the last; longer ranges are days, of which today is the last. */
export function rangeOf(days: number, now: number): Range {
  if (days === 1) return { from: floor(now, HOUR_MS) - 23 * HOUR_MS, now, step: HOUR_MS }
  return { from: floor(now, DAY_MS) - (days - 1) * DAY_MS, now, step: DAY_MS }
}

/** Results of a range, those that say to have run later than now but in its last hour or day included. */
export function resultsIn(results: readonly RawResult[], { from, now, step }: Range): RawResult[] {
  const end = floor(now, step) + step
  return results.filter(({ at }) => at >= from && at < end)
}

export function countsOf(facts: RawFacts, range: Range): StretchCounts[] {
  const { now, step } = range
  const length = Math.ceil((now - range.from) / step)
  return Array.from({ length }, (_, n): StretchCounts => {
    const from = range.from + n * step
    const own = facts.results.filter(({ at }) => at >= from && at < from + step)
    const held = own.filter(({ at }) => facts.maintenance.some((one) => one.from <= at && at < one.until))
    return { from, until: Math.min(from + step, now), ...runsOf(own), excluded: runsOf(held) }
  })
}

export function recount(facts: RawFacts, range: Range): Division {
  return naiveDivision(naiveFactsOf(facts), countsOf(facts, range))
}

/** Each hour or day of a range by itself. */
export function recountSteps(facts: RawFacts, range: Range): ReturnType<typeof measure> {
  return measure(naiveFactsOf(facts), countsOf(facts, range))
}

function naiveFactsOf({ settings, maintenance, created }: RawFacts): NaiveFacts {
  return { schedules: settings, maintenance, exists_from: created }
}

/** Percent, rounded down to two digits; null where there is nothing. */
export function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.min(100, Number((BigInt(part) * 10_000n) / BigInt(whole)) / 100)
}

/**
 * The incidents of a check of which one failure suffices. `breaks`: when it was paused or lost its last monitor. What ran before a break
 * and arrived after it is not judged.
 */
export function incidentsOf(
  { results }: Pick<RawFacts, 'results'>,
  breaks: readonly number[],
): { from: number; until: number | undefined }[] {
  const incidents: { from: number; until: number | undefined }[] = []
  const judged = results.filter((one) => !breaks.some((at) => one.judged < at && at < one.received))
  const order = judged.toSorted((a, b) => a.judged - b.judged || compare(a.monitor_id, b.monitor_id))
  const changes = [
    ...order.map((one) => ({ at: one.judged, ends: one.success })),
    ...breaks.map((at) => ({ at, ends: true })),
  ].toSorted((a, b) => a.at - b.at)
  for (const { at, ends } of changes) {
    const open = incidents.find(({ until }) => until === undefined)
    if (open && ends) open.until = at
    else if (!open && !ends) incidents.push({ from: at, until: undefined })
  }
  return incidents
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function runsOf(results: readonly RawResult[]): Runs {
  return { runs: results.length, failures: results.filter(({ success }) => !success).length }
}

function floor(at: number, unit: number): number {
  return Math.floor(at / unit) * unit
}

/** What somebody planned, from when until when it was planned so. */
export interface PlannedWindow {
  from: number
  until: number
  /** Wall clock of the zone: `2027-03-27T02:30`. */
  starts_at: string
  zone: string
  duration_ms: number
  /** How many days lie between two occurrences; undefined: it occurs once. */
  every?: number | undefined
  is_public: boolean
  /** When it was ended early. */
  ends: readonly number[]
}

/** When windows were or will be on, sorted and disjoint. Nothing is on in hindsight, and a change cuts what is on. */
export function timesOf(windows: readonly PlannedWindow[], until: number): Interval[] {
  return merged(windows.flatMap((window) => merged(occurrencesOf(window, until)).flatMap((one) => cut(window, one))))
}

function occurrencesOf({ starts_at, zone, every, duration_ms }: PlannedWindow, until: number): Interval[] {
  const first = Date.parse(`${starts_at}:00Z`)
  const days = every === undefined ? 0 : Math.ceil((until - first) / DAY_MS) + 1
  return Array.from({ length: Math.floor(days / (every ?? 1)) + 1 }, (_, n) => {
    const from = instantOf(zone, first + n * (every ?? 0) * DAY_MS)
    return { from, until: from + duration_ms }
  })
}

function cut({ from, until, ends }: PlannedWindow, one: Interval): Interval[] {
  const begin = Math.max(from, one.from)
  const end = Math.min(one.until, until, ...ends.filter((at) => at > one.from))
  return end > begin ? [{ from: begin, until: end }] : []
}

/** A time that occurs twice is the first of the two; one that is skipped is as much later as the clock is set ahead. */
function instantOf(zone: string, wall: number): number {
  const before = wall - offsetAt(zone, wall - DAY_MS)
  const after = wall - offsetAt(zone, wall + DAY_MS)
  const fitting = [before, after].filter((at) => at + offsetAt(zone, at) === wall)
  return fitting.length === 0 ? before : Math.min(...fitting)
}

function offsetAt(zone: string, at: number): number {
  const text = new Date(at).toLocaleString('sv-SE', { timeZone: zone })
  return Date.parse(`${text.replace(' ', 'T')}Z`) - floor(at, 1000)
}
