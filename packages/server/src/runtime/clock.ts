// Time, as everything outside this folder sees it.
import { uptime } from 'node:os'

/** A process whose own clock is further from the database's than this does not trust the time. */
export const MOST_SKEW_MS = 5_000

/** Tells the time. Tests pass a clock that they move themselves. */
export interface Clock {
  /** In a server: the database's time, so that all processes agree. */
  now(): Date
  /**
   * The database's time as it told it last, believed or not: the same as `now` while the time is trusted. For what others judge, who
   * trust the database's time while this process doubts it.
   */
  asTold(): Date
  /** Milliseconds from some fixed point; never goes back. For durations, not for dates. */
  monotonicMs(): number
  /**
   * Whether decisions may depend on the time. While they may not, this process judges nothing, deletes nothing and
   * takes no pings, because it cannot know what is late. It still stores results and sends alerts that were written
   * before.
   */
  isTrusted(): boolean
  /**
   * How many milliseconds a request that is handled now may have waited because this process stood still; 0 unless it
   * just did.
   */
  heldMs(): number
  /**
   * A monitor's request showed its clock `offset_ms` ahead of this one, of which `usual_ms` were known before. When the
   * database's clock jumps, monitors are witnesses.
   */
  hear(monitor_id: string, offset_ms: number, usual_ms: number): void
}

/**
 * Milliseconds since the machine started. Unlike the monotonic clock, this includes the time in which it was asleep.
 */
export function bootMs(): number {
  return uptime() * 1000
}

export const systemClock: Clock = {
  now: () => new Date(),
  asTold: () => new Date(),
  monotonicMs: () => performance.now(),
  isTrusted: () => true,
  heldMs: () => 0,
  hear: () => {},
}
