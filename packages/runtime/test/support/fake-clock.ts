// A clock that stands still until it is told.
import { type Clock, MOST_SKEW_MS } from '../../src/clock.ts'

export interface FakeClock extends Clock {
  /** Moves on by that many seconds. */
  forward(seconds: number): void
  /**
   * Sets the process' own wall clock that far ahead of the database's; negative: behind it. `now` is the database's time
   * and does not move; beyond five seconds either way it is not trusted.
   */
  skew(seconds: number): void
  /** From now on the database tells a time that is so far ahead of the one that is carried, or behind it. Not trusted beyond five seconds. */
  jump(seconds: number): void
  /** From now on requests may have waited for so many seconds because the process stood still. */
  hold(seconds: number): void
}

export function fakeClock(start = '2026-11-20T12:00:00Z'): FakeClock {
  let ms = Date.parse(start)
  let skew_ms = 0
  let held_ms = 0
  let jump_ms = 0
  return {
    now: () => new Date(ms),
    asTold: () => new Date(ms + jump_ms),
    monotonicMs: () => ms,
    isTrusted: () => Math.max(Math.abs(skew_ms), Math.abs(jump_ms)) <= MOST_SKEW_MS,
    heldMs: () => held_ms,
    hear: () => {},
    forward: (seconds) => {
      ms += seconds * 1000
    },
    skew: (seconds) => {
      skew_ms = seconds * 1000
    },
    jump: (seconds) => {
      jump_ms = seconds * 1000
    },
    hold: (seconds) => {
      held_ms = seconds * 1000
    },
  }
}
