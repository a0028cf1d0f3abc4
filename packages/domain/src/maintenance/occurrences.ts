// Decides when a maintenance window is on: once, or by a recurrence rule of RFC 5545. Pure.
import { FieldError } from '../errors.ts'
import { instantOf, wallAt } from '../zone-clock.ts'
import { Recurrence } from './recurrence.ts'
import { readRule, untilParts } from './rule.ts'

/** Schedule of a window: when it begins, for how long it is on, and how often. */
export interface WindowSchedule {
  /** Start as `YYYY-MM-DDTHH:MM`, by the clock of the zone. */
  starts_at: string
  duration_sec: number
  zone: string
  /** Recurrence rule without its start, such as `FREQ=WEEKLY;BYDAY=SA`. Null if the window is on once. */
  rule: string | null
}

/** One time that a window is on, in milliseconds since the Unix epoch. */
export interface Occurrence {
  begins: number
  ends: number
}

const DAY_MS = 86_400_000
const MOST_LENGTH = 200
/** Length of the period that limits the number of occurrences, in days. An hourly rule occurs 1,440 times in it. */
const DENSE_DAYS = 60
const MOST_OCCURRENCES = 1500
/** Maximum number of times to try for the next occurrence: more than there are in three days. */
const MOST_TRIED = 5000
/** Number of days ahead to search for an occurrence. */
const SEARCHED_DAYS = 3660

/**
 * Returns the occurrences that begin in a span of time or are on at its beginning, sorted, at most `most` of them. Expands the
 * rule by the clock of the zone.
 */
export function occurrences(
  schedule: WindowSchedule,
  from_ms: number,
  until_ms: number,
  most = Infinity,
): Occurrence[] {
  const { starts_at, duration_sec, zone, rule } = schedule
  const duration_ms = duration_sec * 1000
  // Adds a day on both sides, because the clock of the zone differs from UTC.
  const [from, until] = [from_ms - duration_ms - DAY_MS, until_ms + DAY_MS]
  const times =
    rule === null ? [wallClock(starts_at)] : (recurrenceOf(starts_at, rule, zone)?.between(from, until) ?? [])
  // A time that occurs twice in autumn counts the first time. A time that is skipped in spring is as late as its distance from
  // midnight says, so that maintenance planned for that night is not lost.
  const begins = new Set(times.map((time) => instantOf(zone, time)))
  return [...begins]
    .filter((at) => at + duration_ms > from_ms && at < until_ms)
    .toSorted((one, other) => one - other)
    .slice(0, most)
    .map((at) => ({ begins: at, ends: at + duration_ms }))
}

/** Returns the first occurrence that begins at an instant or later, within ten years. */
export function nextOccurrence(schedule: WindowSchedule, from_ms: number): Occurrence | undefined {
  const { starts_at, duration_sec, zone, rule } = schedule
  const from = from_ms - DAY_MS
  // The first times can lie before the instant, by the clock of the zone.
  const times =
    rule === null
      ? [wallClock(starts_at)]
      : (recurrenceOf(starts_at, rule, zone)?.between(from, from + SEARCHED_DAYS * DAY_MS, MOST_TRIED) ?? [])
  const begins = times.map((time) => instantOf(zone, time)).find((at) => at >= from_ms)
  return begins === undefined ? undefined : { begins, ends: begins + duration_sec * 1000 }
}

/**
 * Returns the rule in its canonical form. Throws FieldError with the first fault of the rule, or if it occurs too often, or
 * never.
 */
export function requireRule({
  starts_at,
  zone,
  rule,
}: Pick<WindowSchedule, 'starts_at' | 'zone'> & { rule: string }): string {
  if (rule.length > MOST_LENGTH) throw invalid('rule', `must be at most ${MOST_LENGTH} characters long`)
  const text = rule
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, '')
  const [fault] = readRule(text).faults
  if (fault !== undefined) throw invalid('rule', fault)
  requireOccurrences(recurrenceOf(starts_at, text, zone))
  return text
}

/**
 * Refuses a rule that never occurs, or too often within any 60 days. Stops at the first day that exceeds the limit, so that rules
 * with many times cost no more.
 */
function requireOccurrences(recurrence: Recurrence | undefined): void {
  const recent: { day: number; count: number }[] = []
  let sum = 0
  let first = 0
  for (const one of recurrence?.perDay(SEARCHED_DAYS) ?? []) {
    recent.push(one)
    sum += one.count
    for (let old = recent[first]; old && old.day <= one.day - DENSE_DAYS; old = recent[++first]) sum -= old.count
    if (sum > MOST_OCCURRENCES) throw invalid('rule', 'must repeat at most once an hour')
  }
  if (recent.length === 0) throw invalid('rule', 'must occur at least once within ten years')
}

function recurrenceOf(starts_at: string, text: string, zone: string): Recurrence | undefined {
  const { rule } = readRule(text)
  if (!rule) return undefined
  const until = rule.until === undefined ? undefined : untilParts(rule.until)
  const until_ms = until && (until.isUtc ? wallAt(zone, until.ms) : until.ms)
  return new Recurrence(rule, wallClock(starts_at), until_ms ?? Infinity)
}

function wallClock(text: string): number {
  return Date.parse(`${text}:00Z`)
}

function invalid(field: string, must: string): FieldError {
  return new FieldError('invalid', field, must)
}
