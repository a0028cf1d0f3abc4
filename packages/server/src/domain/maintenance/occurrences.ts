// When a maintenance window is on: once, or by a recurrence rule of RFC 5545. Pure.
import { RRuleTemporal } from 'rrule-temporal'
import { Temporal } from 'temporal-polyfill'
import { DomainError } from '../errors.ts'

/** When a window begins, for how long, and how often. */
export interface Schedule {
  /** `YYYY-MM-DDTHH:MM`, by the clock of the zone. */
  starts_at: string
  duration_sec: number
  zone: string
  /** The rule without its start, such as `FREQ=WEEKLY;BYDAY=SA`; null: once. */
  rule: string | null
}

/** In milliseconds. */
export interface Occurrence {
  begins: number
  ends: number
}

/** More than a rule that is of use needs, and little enough that expanding it takes a moment. */
const MOST_STEPS = 20_000
const MOST_OCCURRENCES = 1500
const MOST_LENGTH = 200
const FREQUENCIES = ['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']
const PARTS = [
  'FREQ',
  'INTERVAL',
  'COUNT',
  'UNTIL',
  'BYDAY',
  'BYMONTH',
  'BYMONTHDAY',
  'BYYEARDAY',
  'BYWEEKNO',
  'BYHOUR',
  'BYMINUTE',
  'BYSETPOS',
  'WKST',
]
const PART = /^[A-Z]+=[A-Z0-9,+-]+$/
const UTC_END = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

/**
 * What begins in a span of time or is on at its beginning, the first first. A rule is expanded by the clock of the zone. Where clocks are
 * changed, a time that occurs twice is the first of both, and a time that does not occur is as late as its distance from midnight says:
 * maintenance that people planned for that night is not left out. Throws when it takes more steps than are allowed.
 */
export function occurrences(schedule: Schedule, from_ms: number, until_ms: number): Occurrence[] {
  const { starts_at, duration_sec, zone, rule } = schedule
  const duration_ms = duration_sec * 1000
  const start = Temporal.PlainDateTime.from(starts_at)
  const times = rule === null ? [start] : expand({ start, rule, zone }, from_ms - duration_ms, until_ms)
  const begins = [...new Set(times.map((time) => time.toZonedDateTime(zone).epochMilliseconds))]
  return begins
    .map((at) => ({ begins: at, ends: at + duration_ms }))
    .filter((one) => one.ends > from_ms && one.begins < until_ms)
    .toSorted((one, other) => one.begins - other.begins)
}

/** The rule in one way of writing; refuses what is none, and what cannot be expanded. */
export function requireRule(schedule: Schedule & { rule: string }): string {
  const rule = schedule.rule
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, '')
  const parts = rule.split(';')
  if (rule.length > MOST_LENGTH) throw invalid(`rule must be at most ${MOST_LENGTH} characters long`)
  if (parts.some((part) => !PART.test(part))) throw invalid('rule must look like FREQ=WEEKLY;BYDAY=SA')
  const names = parts.map((part) => part.slice(0, part.indexOf('=')))
  const unknown = names.find((name) => !PARTS.includes(name))
  if (unknown !== undefined) throw invalid(`rule must not have ${unknown}`)
  if (new Set(names).size < names.length) throw invalid('rule must have each part once')
  const frequency = parts.find((part) => part.startsWith('FREQ='))?.slice('FREQ='.length) ?? ''
  if (!FREQUENCIES.includes(frequency)) throw invalid(`rule must have a FREQ of ${FREQUENCIES.join(', ')}`)
  requireExpandable({ ...schedule, rule })
  return rule
}

/** A year from its start on, and two months a few years later: as they will be asked for. */
function requireExpandable(schedule: Schedule): void {
  const start = wallClock(Temporal.PlainDateTime.from(schedule.starts_at))
  try {
    const first = occurrences(schedule, start, start + 60 * DAY_MS)
    if (first.length > MOST_OCCURRENCES) throw invalid('rule must not repeat more often than once an hour')
    if (first.length === 0 && occurrences(schedule, start, start + 4 * YEAR_MS).length === 0) {
      throw invalid('rule must occur at least once')
    }
    occurrences(schedule, start + 4 * YEAR_MS, start + 4 * YEAR_MS + 60 * DAY_MS)
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw invalid('rule must be one that can be expanded in reasonable time')
  }
}

const DAY_MS = 86_400_000
const YEAR_MS = 366 * DAY_MS

/** Times by the clock of the zone. They are expanded as if they were in UTC, which knows no change of clocks. */
function expand(
  { start, rule, zone }: { start: Temporal.PlainDateTime; rule: string; zone: string },
  from_ms: number,
  until_ms: number,
): Temporal.PlainDateTime[] {
  const rruleString = `DTSTART:${compact(start)}Z\nRRULE:${inWallClock(rule, zone)}`
  const expanded = new RRuleTemporal({
    rruleString,
    maxIterations: MOST_STEPS,
    maxCandidateEvaluations: MOST_STEPS,
    cache: false,
  })
  // A day more on both sides: clocks are at most 14 hours away from UTC.
  const times = expanded.between(new Date(from_ms - DAY_MS), new Date(until_ms + DAY_MS), true)
  return times.map((time) => Temporal.PlainDateTime.from(time.toString().slice(0, 19)))
}

/** The end of a rule is a time in UTC, or one by the clock of the zone. */
function inWallClock(rule: string, zone: string): string {
  return rule
    .split(';')
    .map((part) => {
      if (!part.startsWith('UNTIL=')) return part
      const match = UTC_END.exec(part.slice('UNTIL='.length))
      if (!match) return /T\d{6}$/.test(part) ? `${part}Z` : part
      const [, year, month, day, hour, minute, second] = match
      const at = Temporal.Instant.from(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
      return `UNTIL=${compact(at.toZonedDateTimeISO(zone).toPlainDateTime())}Z`
    })
    .join(';')
}

function wallClock(time: Temporal.PlainDateTime): number {
  return time.toZonedDateTime('UTC').epochMilliseconds
}

/** `20261123T023000` */
function compact(time: Temporal.PlainDateTime): string {
  return time.toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '')
}

function invalid(message: string): DomainError {
  return new DomainError('invalid', message)
}
