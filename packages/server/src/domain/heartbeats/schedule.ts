// When the pings of a heartbeat are expected: every so often, or at the times of a cron expression by the clock of a zone. Pure.
import { isZone } from '../routing/hours.ts'
import { compiled, nextOf } from './cron.ts'
import { longestGapSec } from './longest-gap.ts'

export interface Schedule {
  /** With a cron expression: the longest time between two of its times. */
  interval_sec: number
  /** Five fields: `30 2 * * 1-5`. */
  cron?: string | null
  /** Null without a cron expression. */
  cron_zone?: string | null
}

/** A text that is longer than this is no expression that anybody wrote. */
const MOST_CHARS = 120
/** A ping that comes so much before one of its times is that time's: clocks differ. It is at most this share of the time until the next. */
const EARLY_MS = 30_000
const EARLY_SHARE = 1 / 4

/** When the next ping is expected after one that came at an instant; both in milliseconds. */
export function expectedAfter({ interval_sec, cron, cron_zone }: Schedule, at_ms: number): number {
  if (cron == null) return at_ms + interval_sec * 1000
  const first = nextOf(cron, cron_zone ?? 'UTC', at_ms)
  // One that has no more times is expected as whoever knows only its interval expects it.
  if (first === undefined) return at_ms + interval_sec * 1000
  const second = nextOf(cron, cron_zone ?? 'UTC', first)
  if (second === undefined) return first
  return first - at_ms <= Math.min(EARLY_MS, (second - first) * EARLY_SHARE) ? second : first
}

/**
 * The longest time between two times of a cron expression, which counts as its interval. `fault`: what is wrong with it and its zone, to be
 * said after their names.
 */
export function readCron(cron: string, zone: string, now: Date): { interval_sec: number } | { fault: string } {
  const fault = faultOfCron(cron, zone)
  if (fault !== undefined) return { fault }
  const interval_sec = longestGapSec(cron, zone, now)
  return interval_sec === undefined ? { fault: 'cron must come at least once a year' } : { interval_sec }
}

function faultOfCron(cron: string, zone: string): string | undefined {
  if (!isZone(zone)) return 'cron_zone must be the name of a time zone such as Europe/Paris'
  if (cron.length > MOST_CHARS || cron.split(/\s/).filter(Boolean).length !== 5) {
    return 'cron must have five fields: minute, hour, day of month, month, day of week'
  }
  try {
    compiled(cron, zone)
    return undefined
  } catch {
    return 'cron must be an expression such as 30 2 * * 1-5'
  }
}

/** The next times of a cron expression, at most so many; none of what is no expression, or never comes. */
export function nextTimes(cron: string, zone: string, now: Date, most: number): Date[] {
  if (faultOfCron(cron, zone) !== undefined) return []
  const times: Date[] = []
  let at = nextOf(cron, zone, now.getTime())
  while (at !== undefined && times.length < most) {
    times.push(new Date(at))
    at = nextOf(cron, zone, at)
  }
  return times
}
