// Converts durations, and the times of maintenance windows, of other tools.
import type { FileScope, FileWindow } from '../file/format.ts'

const SECONDS = new Map(
  Object.entries({
    ns: 1e-9,
    us: 1e-6,
    µs: 1e-6,
    ms: 1e-3,
    s: 1,
    m: 60,
    h: 3600,
    d: 86_400,
    w: 604_800,
    y: 31_536_000,
  }),
)
const PART = /(\d{1,12}(?:\.\d{1,9})?)(ns|us|µs|ms|[smhdwy])/y
const DAY_SEC = 86_400
const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'] as const

/** Parses a duration such as `1m30s`, `5d` or `500ms`, in seconds. Returns undefined if it is invalid. */
export function durationOf(text: string): number | undefined {
  const trimmed = text.trim()
  let [at, sum] = [0, 0]
  while (at < trimmed.length) {
    PART.lastIndex = at
    const match = PART.exec(trimmed)
    if (!match) return undefined
    sum += Number(match[1]) * (SECONDS.get(match[2] ?? '') ?? 0)
    at = PART.lastIndex
  }
  return trimmed === '' ? undefined : sum
}

/**
 * Returns the seconds from one time of day to another, which is on the next day unless it is later. Returns undefined if one is
 * invalid.
 */
export function spanOfDay(from: string, to: string): number | undefined {
  const [start, end] = [minutesOf(from), minutesOf(to)]
  if (start === undefined || end === undefined) return undefined
  const minutes = end > start ? end - start : end - start + 24 * 60
  return minutes * 60
}

function minutesOf(time: string): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)(?::\d\d)?$/.exec(time.trim()) ?? []
  const total = Number(hours) * 60 + Number(minutes)
  return hours !== undefined && Number(hours) < 24 && Number(minutes) < 60 ? total : undefined
}

/** Formats a time of day as `02:05`. Returns undefined if it is invalid. */
export function timeOfDay(time: string): string | undefined {
  const minutes = minutesOf(time)
  if (minutes === undefined) return undefined
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

/** Converts days of the week, from 0 (Sunday) to 7 (also Sunday), to `BYDAY=MO,TU`, or to an empty text for every day. */
export function byDay(days: readonly number[]): string {
  const known = [...new Set(days.map((day) => day % 7))].filter((day) => Number.isInteger(day) && day >= 0)
  const inOrder = known.toSorted((one, other) => ((one + 6) % 7) - ((other + 6) % 7))
  return inOrder.length === 0 || inOrder.length === 7 ? '' : `BYDAY=${inOrder.map((day) => DAYS[day]).join(',')}`
}

/** Returns the number of a day by its English name, from 0 (Sunday). Its first two letters are enough. */
export function dayNumber(name: string): number | undefined {
  const at = DAYS.findIndex((day) => name.trim().toUpperCase().startsWith(day))
  return at === -1 ? undefined : at
}

/** Makes a window that repeats every day, or on some days of the week. */
export function weekly(
  { today, at, days }: { today: string; at: string; days: readonly number[] },
  rest: { duration_sec: number; zone: string; scope: FileScope; name: string },
): FileWindow {
  const by = byDay(days)
  return { ...rest, starts_at: `${today}T${at}`, rule: by === '' ? 'FREQ=DAILY' : `FREQ=WEEKLY;${by}` }
}

/** Converts a cron expression with one minute and one hour to a rule and a time of day. Returns undefined for any other. */
export function ruleOfCron(cron: string): { rule: string; at: string } | undefined {
  const fields = cron.trim().split(' ').filter(Boolean)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  const at = timeOfDay(`${hour}:${minute.padStart(2, '0')}`)
  if (fields.length !== 5 || at === undefined || month !== '*') return undefined
  if (day === '*' && weekday === '*') return { rule: 'FREQ=DAILY', at }
  if (day === '*') {
    const days = numbersIn(weekday, 0, 7)
    const by = days && byDay(days)
    return days && { rule: by ? `FREQ=WEEKLY;${by}` : 'FREQ=DAILY', at }
  }
  const dates = weekday === '*' ? numbersIn(day.replaceAll('L', '-1'), -1, 31) : undefined
  return dates && { rule: `FREQ=MONTHLY;BYMONTHDAY=${dates.join(',')}`, at }
}

/** Parses `1,3-5`. Returns undefined for anything else. */
function numbersIn(text: string, least: number, most: number): number[] | undefined {
  const found: number[] = []
  for (const part of text.split(',').slice(0, 60)) {
    const [, from, to = from] = /^(-?\d{1,2})(?:-(\d{1,2}))?$/.exec(part) ?? []
    if (from === undefined || Number(from) < least || Number(to) > most || Number(from) > Number(to)) return undefined
    for (let number = Number(from); number <= Number(to); number++) found.push(number)
  }
  return found
}

/** Rounds to whole seconds, from 1 up to the maximum of a check or heartbeat. */
export function secondsWithin(seconds: number, most: number): number {
  return Math.min(most, Math.max(1, Math.round(seconds)))
}

/** Rounds the grace period of a heartbeat to whole seconds. It may be 0. */
export function graceWithin(seconds: number): number {
  return Math.min(MOST_HEARTBEAT_SEC, Math.max(0, Math.round(seconds)))
}

export const MOST_INTERVAL_SEC = 31 * DAY_SEC
export const MOST_HEARTBEAT_SEC = 365 * DAY_SEC
export const MOST_TIMEOUT_SEC = 60
