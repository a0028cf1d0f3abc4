// The demo's invented history as rows: what ran when and how it went, and the incidents that follow from that. No chance is
// in it, so that each demo tells the same story.
import { createHash } from 'node:crypto'
import {
  type DemoCheck,
  type DemoHeartbeat,
  type DemoMonitor,
  HISTORY_DAYS,
  HISTORY_INTERVAL_SEC,
  type PastOutage,
  STORY_DAYS,
} from './story.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export interface Ran {
  ran_at: number
  monitor: number
  success: boolean
  latency_ms: number
  http_status: number
  error: string | null
}

export interface Down {
  began: Ran
  /** The first success afterwards; undefined while it is down. */
  ended: Ran | undefined
}

/** From when to when the history goes, in milliseconds since the Unix epoch. */
export interface Past {
  began: number
  now: number
}

export function pastOf(now: number, days = HISTORY_DAYS): Past {
  return { began: now - days * DAY_MS, now }
}

/**
 * When a check failed. What the story tells of its thirty days happened in those before them in much the same way: not all of it, at
 * other hours, and for more or less long.
 */
function outagesIn({ key, outages }: DemoCheck, { began, now }: Past): PastOutage[] {
  const months = Math.ceil((now - began) / DAY_MS / STORY_DAYS)
  const earlier = outages.filter(({ for_min }) => Number.isFinite(for_min))
  return Array.from({ length: months }, (_, month) => {
    if (month === 0) return outages
    return earlier.flatMap((one, n) => {
      const luck = (of: string) => chance(`${key} ${of} ${month}`, n)
      if (luck('whether') < 0.25) return []
      const ago_min = one.ago_min + month * STORY_DAYS * 1440 + Math.round((luck('when') - 0.5) * 360)
      return { ...one, ago_min, for_min: Math.max(5, Math.round(one.for_min * (0.5 + 1.5 * luck('how long')))) }
    })
  }).flat()
}

/** The runs of a check until a minute before the history's end, oldest first. Its monitors take turns. */
export function runsOf(check: DemoCheck, monitors: readonly DemoMonitor[], past: Past): Ran[] {
  const { began, now } = past
  const outages = outagesIn(check, past)
  const step = HISTORY_INTERVAL_SEC * 1000
  const phase = Math.floor(chance(check.key, 0) * step)
  const until = check.unmonitored_days === undefined ? now - MINUTE_MS : now - check.unmonitored_days * DAY_MS
  const runs: Ran[] = []
  for (let n = 0, ran_at = began + phase; ran_at < until; n += 1, ran_at += step) {
    if (isPaused(check, ran_at, now)) continue
    runs.push(
      runAt(
        { ...check, outages },
        {
          monitor: n % monitors.length,
          far_ms: monitors[n % monitors.length]?.far_ms ?? 0,
          ran_at,
          n,
          now,
        },
      ),
    )
  }
  return runs
}

interface Slot {
  monitor: number
  far_ms: number
  ran_at: number
  n: number
  now: number
}

function runAt(check: DemoCheck, { monitor, far_ms, ran_at, n, now }: Slot): Ran {
  const ago_min = (now - ran_at) / MINUTE_MS
  const outage = check.outages.find((one) => ago_min <= one.ago_min && ago_min > one.ago_min - one.for_min)
  if (outage) {
    const { error, http_status, latency_ms } = outage
    return { ran_at, monitor, success: false, latency_ms, http_status, error }
  }
  // Slower by day than by night, and now and then one that takes twice as long.
  const day = 1 + 0.25 * Math.sin(((ran_at % DAY_MS) / DAY_MS) * 2 * Math.PI - Math.PI / 2)
  const luck = chance(check.key, n + 1)
  const spike = luck > 0.985 ? 2.2 : 1
  const latency_ms = Math.round((check.usual_ms * day * (0.85 + 0.3 * luck) + far_ms * (0.95 + 0.1 * luck)) * spike)
  return { ran_at, monitor, success: true, latency_ms, http_status: check.http_status, error: null }
}

/** When a check was paused, in milliseconds since the Unix epoch. */
export function pauseOf({ paused }: DemoCheck, now: number): { from: number; until: number } | undefined {
  if (!paused) return undefined
  const from = now - paused.ago_h * 60 * MINUTE_MS
  return { from, until: from + paused.for_h * 60 * MINUTE_MS }
}

function isPaused(check: DemoCheck, at: number, now: number): boolean {
  const pause = pauseOf(check, now)
  return pause !== undefined && at >= pause.from && at < pause.until
}

/** Each first failure with the first success after it: one failure is enough for all checks of the demo. */
export function downsOf(runs: readonly Ran[]): Down[] {
  const downs: Down[] = []
  let began: Ran | undefined
  for (const run of runs) {
    if (!run.success) began ??= run
    else if (began) {
      downs.push({ began, ended: run })
      began = undefined
    }
  }
  if (began) downs.push({ began, ended: undefined })
  return downs
}

/** When a job reported success, oldest first: the newest hundred that are kept, and each day on which it did. */
export function pingsOf(heartbeat: DemoHeartbeat, { began, now }: Past): { kept: number[]; days: string[] } {
  const last = now - heartbeat.last_ago_sec * 1000
  const step = heartbeat.ran_every_sec * 1000
  const days = new Set<string>()
  for (let day = last; day >= began; day -= DAY_MS) days.add(new Date(day).toISOString().slice(0, 10))
  const count = Math.min(60, Math.floor((last - began) / step) + 1)
  const kept = Array.from({ length: count }, (_, i) => last - (count - 1 - i) * step)
  return { kept, days: [...days].toReversed() }
}

/** A number from 0 to 1 that is always the same for the same arguments. */
function chance(key: string, n: number): number {
  return createHash('sha256').update(`${key} ${n}`).digest().readUInt32BE(0) / 2 ** 32
}
