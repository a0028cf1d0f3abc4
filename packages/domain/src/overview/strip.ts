// Divides the last 24 hours into quarters of an hour. Pure.
import type { StepSpan } from '@dogwatch/store/incidents/last-day'

export const QUARTERS = 96
export const QUARTER_SEC = 900

export interface Quarter {
  /** Number of checks and heartbeats that were down at some time in the quarter. */
  down: number
  /** Number of checks that were unmonitored at some time in the quarter. */
  unmonitored: number
  /** Whether the service was unreachable at some time in the quarter. */
  isOutage: boolean
  /** Whether the quarter is from before the first check or heartbeat. */
  isBefore: boolean
}

export interface Strip {
  /** Time at which the first quarter begins. */
  from: Date
  /** Quarters, oldest first. The last one is still under way. */
  quarters: Quarter[]
}

/** Returns the time at which the strip begins, and the end of the present quarter. */
export function boundsOf(now: Date): { from: Date; until: Date } {
  const step_ms = QUARTER_SEC * 1000
  const until = (Math.floor(now.getTime() / step_ms) + 1) * step_ms
  return { from: new Date(until - QUARTERS * step_ms), until: new Date(until) }
}

/**
 * Returns the strip. Spans can last until its end, but quarters that have not begun are empty. `since`: time at which the first
 * check or heartbeat was created, or null.
 */
export function stripOf(
  from: Date,
  since: string | null,
  spans: { incidents: readonly StepSpan[]; unmonitored: readonly StepSpan[]; outages: readonly StepSpan[] },
): Strip {
  const [down, unmonitored, outages] = [spans.incidents, spans.unmonitored, spans.outages].map(countByStep)
  const first = since === null ? QUARTERS : (Date.parse(since) - from.getTime()) / (QUARTER_SEC * 1000) - 1
  const quarters = Array.from({ length: QUARTERS }, (_, i) => ({
    down: down?.[i] ?? 0,
    unmonitored: unmonitored?.[i] ?? 0,
    isOutage: (outages?.[i] ?? 0) > 0,
    isBefore: i <= first,
  }))
  return { from, quarters }
}

function countByStep(spans: readonly StepSpan[]): number[] {
  const counts = new Array<number>(QUARTERS).fill(0)
  for (const { first, last, count } of spans) {
    for (let i = first; i <= last && i < QUARTERS; i++) counts[i] = (counts[i] ?? 0) + count
  }
  return counts
}
