// When the pings of a heartbeat are expected: every so often, or at the times of a cron expression by the clock of a zone. Pure.
import { Cron } from 'croner'
import { isZone } from '../routing/hours.ts'

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
/** The times that are looked at for the longest gap, within so many days. */
const MOST_TIMES = 4_000
const MOST_DAYS = 366
const DAY_MS = 86_400_000

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

/** What is wrong with a cron expression and its zone, to be said after their names; undefined: nothing. */
export function faultOfCron(cron: string, zone: string, now: Date): string | undefined {
  if (!isZone(zone)) return 'cron_zone must be the name of a time zone such as Europe/Paris'
  if (cron.length > MOST_CHARS || cron.split(/\s/).filter(Boolean).length !== 5) {
    return 'cron must have five fields: minute, hour, day of month, month, day of week'
  }
  try {
    compiled(cron, zone)
  } catch {
    return 'cron must be an expression such as 30 2 * * 1-5'
  }
  if (longestGapSec(cron, zone, now) === undefined) return 'cron must come at least once a year'
  return undefined
}

/** The longest time between two of its times in the year to come; undefined: it comes less than once a year. */
export function longestGapSec(cron: string, zone: string, now: Date): number | undefined {
  const end = now.getTime() + MOST_DAYS * DAY_MS
  let [longest, at] = [0, nextOf(cron, zone, now.getTime())]
  if (at === undefined || at > end) return undefined
  for (let n = 0; n < MOST_TIMES && at <= end; n++) {
    const next = nextOf(cron, zone, at)
    if (next === undefined || next - at > MOST_DAYS * DAY_MS) return undefined
    longest = Math.max(longest, next - at)
    at = next
  }
  return Math.min(365 * 86_400, Math.ceil(longest / 1000))
}

/**
 * The first time after an instant. Where clocks are set forward, a time that does not occur is the moment at which they are; where
 * they are set back, a time that occurs twice counts once, unless the expression comes every hour.
 */
function nextOf(cron: string, zone: string, after_ms: number): number | undefined {
  return compiled(cron, zone).nextRun(new Date(after_ms))?.getTime()
}

const kept = new Map<string, Cron>()
const MOST_KEPT = 1_000

function compiled(cron: string, zone: string): Cron {
  const key = `${zone} ${cron}`
  const known = kept.get(key)
  if (known) return known
  const made = new Cron(cron, { timezone: zone, paused: true, mode: '5-part' })
  const [oldest] = kept.keys()
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest)
  kept.set(key, made)
  return made
}
