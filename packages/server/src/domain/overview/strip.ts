// The last 24 hours in quarters of an hour. Pure.
import type { StepSpan } from '../../store/incidents/last-day.ts'

export const QUARTERS = 96
export const QUARTER_SEC = 900

export interface Quarter {
  /** Checks and heartbeats that were down at some time in it. */
  down: number
  /** Checks that nobody looked at, at some time in it. */
  unmonitored: number
  /** The service itself could not be called at some time in it. */
  isOutage: boolean
  /** There was nothing to watch yet. */
  isBefore: boolean
}

export interface Strip {
  /** When the first quarter begins. */
  from: Date
  /** Oldest first; the last one is still under way. */
  quarters: Quarter[]
}

/** When the quarter after the present one begins, and the first one of the strip. */
export function boundsOf(now: Date): { from: Date; until: Date } {
  const step_ms = QUARTER_SEC * 1000
  const until = (Math.floor(now.getTime() / step_ms) + 1) * step_ms
  return { from: new Date(until - QUARTERS * step_ms), until: new Date(until) }
}

/**
 * Spans may go on up to the end of the strip; nothing lies in quarters that have not begun. `since`: when the first check or heartbeat was
 * created; null for none.
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
