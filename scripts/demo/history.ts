// Invents the demo's history: the times and the outcomes of runs. Nothing in it is random, so that each demo tells the same
// story.
import { createHash } from 'node:crypto'
import {
  type DemoCheck,
  type DemoHeartbeat,
  HISTORY_INTERVAL_SEC,
  MONITORS,
  type PastOutage,
  STORY_DAYS,
} from './story.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const STEP_MS = HISTORY_INTERVAL_SEC * 1000
const MOST_PINGS = 60

export interface PastRun {
  ran_at: number
  /** Position of the monitor that made the run. */
  monitor: number
  latency_ms: number
  http_status: number
  /** Null if the run succeeded. */
  error: string | null
}

/** Beginning and end of the history, in milliseconds since the Unix epoch. */
export interface Past {
  began: number
  now: number
}

/** Returns the runs of a check until a minute before the end of the history, oldest first. Its monitors take turns. */
export function runsOf(check: DemoCheck, past: Past): PastRun[] {
  const { began, now } = past
  const outages = outagesIn(check, past)
  const pause = pauseOf(check, now)
  const until = check.unmonitored_days === undefined ? now - MINUTE_MS : now - check.unmonitored_days * DAY_MS
  const runs: PastRun[] = []
  let ran_at = began + Math.floor(chance(check.key, 0) * STEP_MS)
  for (let n = 0; ran_at < until; n++, ran_at += STEP_MS) {
    if (pause && ran_at >= pause.from && ran_at < pause.until) continue
    const monitor = n % MONITORS.length
    const ago_min = (now - ran_at) / MINUTE_MS
    const outage = outages.find((one) => ago_min <= one.ago_min && ago_min > one.ago_min - one.for_min)
    const { http_status } = outage ?? check
    const latency_ms = outage?.latency_ms ?? latencyOf(check, { ran_at, n, far_ms: MONITORS[monitor]?.far_ms ?? 0 })
    runs.push({ ran_at, monitor, latency_ms, http_status, error: outage?.error ?? null })
  }
  return runs
}

/**
 * Returns the outages of a check. Some outages of the story also happen in each month before it, at other hours, and shorter or
 * longer.
 */
function outagesIn({ key, outages }: DemoCheck, { began, now }: Past): PastOutage[] {
  const all = [...outages]
  for (let month = 1; month < (now - began) / DAY_MS / STORY_DAYS; month++) {
    for (const [n, one] of outages.filter(({ for_min }) => Number.isFinite(for_min)).entries()) {
      const luck = (of: string) => chance(`${key} ${of} ${month}`, n)
      if (luck('whether') < 0.25) continue
      const ago_min = one.ago_min + month * STORY_DAYS * 1440 + Math.round((luck('when') - 0.5) * 360)
      all.push({ ...one, ago_min, for_min: Math.max(5, Math.round(one.for_min * (0.5 + 1.5 * luck('how long')))) })
    }
  }
  return all
}

/** Returns the latency of a run: longer by day than by night, and sometimes twice as long. */
function latencyOf({ key, usual_ms }: DemoCheck, run: { ran_at: number; n: number; far_ms: number }): number {
  const day = 1 + 0.25 * Math.sin(((run.ran_at % DAY_MS) / DAY_MS) * 2 * Math.PI - Math.PI / 2)
  const luck = chance(key, run.n + 1)
  const spike = luck > 0.985 ? 2.2 : 1
  return Math.round((usual_ms * day * (0.85 + 0.3 * luck) + run.far_ms * (0.95 + 0.1 * luck)) * spike)
}

/** Returns the pause of a check, in milliseconds since the Unix epoch. */
export function pauseOf({ paused }: DemoCheck, now: number): { from: number; until: number } | undefined {
  if (!paused) return undefined
  const from = now - paused.ago_h * 60 * MINUTE_MS
  return { from, until: from + paused.for_h * 60 * MINUTE_MS }
}

/**
 * Returns each outage of a check: its first failure, and the first success after that. In the demo, one failure takes a check
 * down.
 */
export function downsOf(runs: readonly PastRun[]): { began: PastRun; ended: PastRun | undefined }[] {
  const downs: { began: PastRun; ended: PastRun | undefined }[] = []
  for (const run of runs) {
    const last = downs.at(-1)
    const isDown = last !== undefined && last.ended === undefined
    if (run.error !== null && !isDown) downs.push({ began: run, ended: undefined })
    if (run.error === null && isDown) last.ended = run
  }
  return downs
}

/** Returns the newest pings, oldest first, and each day with a ping. */
export function pingsOf(heartbeat: DemoHeartbeat, { began, now }: Past): { kept: number[]; days: string[] } {
  const last = now - heartbeat.last_ago_sec * 1000
  const step = heartbeat.interval_sec * 1000
  const days = new Set<string>()
  for (let day = last; day >= began; day -= DAY_MS) days.add(new Date(day).toISOString().slice(0, 10))
  const count = Math.min(MOST_PINGS, Math.floor((last - began) / step) + 1)
  return { kept: Array.from({ length: count }, (_, n) => last - (count - 1 - n) * step), days: [...days] }
}

/** Returns a number from 0 to 1 that is the same for the same arguments. */
function chance(key: string, n: number): number {
  return createHash('sha256').update(`${key} ${n}`).digest().readUInt32BE(0) / 2 ** 32
}
