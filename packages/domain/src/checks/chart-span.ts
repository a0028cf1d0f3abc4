// Computes the range that a chart shows and the length of its steps, so that no chart has more steps than a page can show.
import { isDateTime } from '@dogwatch/runtime/timestamps'
import { FieldError } from '../errors.ts'

export type Period = 'day' | 'week' | 'month' | 'quarter' | 'year'

export interface ChartSpan {
  /** Period that the chart shows. Undefined for a range that a person chose. */
  period: Period | undefined
  from: Date
  /** End of the range: at most the end of the step that is under way. */
  until: Date
  step_sec: number
}

export const DAYS: Readonly<Record<Period, number>> = { day: 1, week: 7, month: 30, quarter: 90, year: 365 }
export const PERIODS = Object.keys(DAYS) as readonly Period[]

export const HOUR_SEC = 3600
export const DAY_SEC = 24 * HOUR_SEC
/** Lengths of steps, in seconds. Each divides a day, so that steps begin at midnight UTC. */
const STEPS = [60, 120, 300, 600, 1800, HOUR_SEC, 3 * HOUR_SEC, 6 * HOUR_SEC, 12 * HOUR_SEC, DAY_SEC] as const
const MOST_STEPS = 250
const SHORTEST_MS = 10 * 60_000
/** Longest range, in milliseconds: a year and what retention keeps beyond it. */
const LONGEST_MS = 400 * DAY_SEC * 1000
/** Longest range whose results are read one by one, in milliseconds. Beyond that, only their sums are read. */
const MOST_ONE_BY_ONE_MS = 8 * DAY_SEC * 1000

/**
 * Returns the range of a period. `each_sec`: how often each monitor runs the check. A step is no shorter, so that a line has no
 * gaps.
 */
export function spanOfPeriod(period: Period, now: Date, each_sec: number): ChartSpan {
  const from = startOfPeriod(period, now)
  const step_sec = stepFor(now.getTime() - from.getTime(), each_sec)
  return { period, from, until: new Date(floor(now, step_sec).getTime() + step_sec * 1000), step_sec }
}

/** Returns when a period begins. 24 hours begin at a full hour. Longer periods consist of days in UTC, including today. */
export function startOfPeriod(period: Period, now: Date): Date {
  if (period === 'day') return new Date(floor(now, HOUR_SEC).getTime() - 23 * HOUR_SEC * 1000)
  return new Date(floor(now, DAY_SEC).getTime() - (DAYS[period] - 1) * DAY_SEC * 1000)
}

/** Reads the range that a person chose in a URL. */
export function spanBetween(from: string, to: string, now: Date, each_sec: number): ChartSpan {
  for (const [name, text] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (!isDateTime(text)) throw new FieldError('invalid', name, 'must be an RFC 3339 date-time')
  }
  const end = Math.min(Date.parse(to), now.getTime())
  const begin = Math.max(Date.parse(from), now.getTime() - LONGEST_MS)
  if (!(end > begin))
    throw new FieldError('invalid', 'from', 'must be earlier than "to", which must be within the last 400 days')
  const length = Math.max(SHORTEST_MS, end - begin)
  const step_sec = stepFor(length, each_sec)
  const until = new Date(Math.ceil(end / (step_sec * 1000)) * step_sec * 1000)
  return { period: undefined, from: floor(new Date(Math.min(begin, end - length)), step_sec), until, step_sec }
}

/** Whether the results of a span are few enough to read each of them. */
export function isOneByOne({ from, until, step_sec }: ChartSpan): boolean {
  return step_sec < HOUR_SEC || until.getTime() - from.getTime() <= MOST_ONE_BY_ONE_MS
}

export function floor(at: Date, unit_sec: number): Date {
  return new Date(Math.floor(at.getTime() / (unit_sec * 1000)) * unit_sec * 1000)
}

/** Returns the length of a step. A year has steps of a day, which are more steps than a shorter range may have. */
function stepFor(length_ms: number, each_sec: number): number {
  return STEPS.find((step) => step >= each_sec && length_ms <= MOST_STEPS * step * 1000) ?? DAY_SEC
}
