// Provides a monotonic clock that continues while the machine sleeps. Node's own clock stops then, and so would the server time,
// which the agent computes from it.
import { uptime } from 'node:os'

/**
 * Minimum difference between uptime and Node's clock that means sleep, in milliseconds. Both have a resolution of a second or
 * better.
 */
const APART_MS = 2000
/** Interval at which the uptime is read, in milliseconds, because reading it is too expensive for a clock. */
const LOOK_MS = 100

/**
 * Returns a clock in milliseconds.
 * @param awake_ms clock that runs while the machine is awake. @param up_sec uptime of the machine in seconds, including sleep.
 */
export function monotonicClock(awake_ms = () => performance.now(), up_sec: () => number = uptime): () => number {
  let asleep_ms = 0
  let lookedAt = awake_ms()
  const apart_ms = up_sec() * 1000 - awake_ms()
  return () => {
    const now = awake_ms()
    if (now - lookedAt < LOOK_MS) return now + asleep_ms
    lookedAt = now
    const ahead_ms = up_sec() * 1000 - now - apart_ms - asleep_ms
    if (ahead_ms > APART_MS) asleep_ms += ahead_ms
    return now + asleep_ms
  }
}
