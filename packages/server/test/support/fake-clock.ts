// A clock that stands still until it is told.
import type { Clock } from '../../src/runtime/clock.ts'

export interface FakeClock extends Clock {
  /** Moves on by that many seconds. */
  forward(seconds: number): void
}

export function fakeClock(start = '2026-11-20T12:00:00Z'): FakeClock {
  let ms = Date.parse(start)
  return {
    now: () => new Date(ms),
    monotonicMs: () => ms,
    forward: (seconds) => {
      ms += seconds * 1000
    },
  }
}
