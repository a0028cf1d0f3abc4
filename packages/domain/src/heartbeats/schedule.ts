// Computes when the pings of a heartbeat are expected: at an interval, or at the times of a cron expression by the clock of a
// zone. Pure.
import type { FieldFault } from '../errors.ts'
import { isZone } from '../routing/hours.ts'
import { type Cron, parseCron } from './cron.ts'
import { nextDay } from './cron-calendar.ts'
import { nextStart } from './cron-times.ts'
import { longestGapSec } from './longest-gap.ts'

export interface PingSchedule {
  /** Interval between pings. With a cron expression, the longest time between two of its times. */
  interval_sec: number
  /** Expression of five fields, such as `30 2 * * 1-5`. */
  cron?: string | null
  /** Time zone of the cron expression. Null without a cron expression. */
  cron_zone?: string | null
}

/**
 * Maximum lead of a ping over the time that it counts for, because clocks differ. The lead is also at most `EARLY_SHARE` of the
 * time until the next expected ping.
 */
const EARLY_MS = 30_000
const EARLY_SHARE = 1 / 4

/** Returns when the next ping is expected after a ping at `at_ms`. Both are in milliseconds. */
export function expectedAfter({ interval_sec, cron, cron_zone }: PingSchedule, at_ms: number): number {
  const byInterval = at_ms + interval_sec * 1000
  const read = cron == null ? undefined : recallCron(cron)
  // An earlier version accepted some expressions that cron refuses. Such a heartbeat has the longest interval, so no ping is
  // expected too early.
  if (!read || 'fault' in read) return byInterval
  const first = nextStart(read, cron_zone ?? 'UTC', at_ms)
  if (first === undefined) return byInterval
  const second = nextStart(read, cron_zone ?? 'UTC', first)
  if (second === undefined) return first
  return first - at_ms <= Math.min(EARLY_MS, (second - first) * EARLY_SHARE) ? second : first
}

/** Returns the longest time between two times of a cron expression, which counts as its interval, or the field at fault. */
export function readCron(text: string, zone: string, now: Date): { interval_sec: number } | { fault: FieldFault } {
  if (!isZone(zone)) return { fault: { field: 'cron_zone', must: 'must be a time zone, such as Europe/Paris' } }
  const cron = recallCron(text)
  if ('fault' in cron) return { fault: { field: 'cron', must: cron.fault } }
  const interval_sec = longestGapSec(cron, zone, now)
  return interval_sec === undefined
    ? { fault: { field: 'cron', must: `must match at least once a year${whyNever(cron, now)}` } }
    : { interval_sec }
}

/** Says why an expression never comes. Returns an empty text if it comes, but less than once a year. */
function whyNever(cron: Cron, now: Date): string {
  if (cron.minutes.length === 0) return '; the range of minutes is empty'
  if (cron.hours.length === 0) return '; the range of hours is empty'
  return nextDay(cron, now.getTime()) === undefined ? '; none of the given months has any of the given days' : ''
}

/** Returns at most `most` next times of a cron expression, or none if the expression or its zone is invalid. */
export function nextTimes(text: string, zone: string, now: Date, most: number): Date[] {
  const cron = recallCron(text)
  if ('fault' in cron || !isZone(zone)) return []
  const times: Date[] = []
  let at = nextStart(cron, zone, now.getTime())
  while (at !== undefined && times.length < most) {
    times.push(new Date(at))
    at = nextStart(cron, zone, at)
  }
  return times
}

const read = new Map<string, ReturnType<typeof parseCron>>()
const MOST_READ = 1_000

/** Returns the result of {@link parseCron} from a cache, because a deadline reads one expression several times. */
function recallCron(text: string): ReturnType<typeof parseCron> {
  const known = read.get(text)
  if (known) return known
  const cron = parseCron(text)
  const [oldest] = read.keys()
  if (read.size >= MOST_READ && oldest !== undefined) read.delete(oldest)
  read.set(text, cron)
  return cron
}
