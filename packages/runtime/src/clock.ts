// Defines the clock for all code outside this folder.
import { uptime } from 'node:os'

/**
 * Maximum difference between the clock of a process and that of the database, in milliseconds. Beyond it, the process does not
 * trust the time.
 */
export const MOST_SKEW_MS = 5_000

/** Source of the time. Tests pass a clock that they move themselves. */
export interface Clock {
  /** Returns the time. In a server, this is the database's time, so that all processes agree. */
  now(): Date
  /**
   * Returns the last time that the database reported, trusted or not. Equals `now` while the time is trusted. For decisions that
   * other processes make, because these can trust the database's time while this process does not.
   */
  asTold(): Date
  /** Returns milliseconds since some fixed point, which never go back. For durations, not for dates. */
  monotonicMs(): number
  /**
   * Whether decisions can depend on the time. Otherwise, this process judges nothing, deletes nothing and accepts no pings, but
   * still stores results and sends alerts that exist already.
   */
  isTrusted(): boolean
  /**
   * Returns how many milliseconds the current request might have waited because this process stood still. Returns 0 if it has not
   * stood still recently.
   */
  heldMs(): number
  /**
   * Records that a monitor's request showed its clock `offset_ms` ahead of this one. The offset was `usual_ms` before. If the
   * database's clock jumps, the clocks of monitors help to decide whether to trust it.
   */
  hear(monitor_id: string, offset_ms: number, usual_ms: number): void
}

/** Returns milliseconds since the machine started. Unlike the monotonic clock, this includes sleep of the machine. */
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
