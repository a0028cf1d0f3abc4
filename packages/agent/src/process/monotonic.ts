// A monotonic clock that also advances while the machine sleeps. Node's own stands still then, and with it the server's
// time that is derived from it.
import { uptime } from 'node:os'

/** Both have a resolution of a second or better; a larger difference can only come from sleep. */
const APART_MS = 2000
/** Asking the system for its uptime is too expensive for a clock. */
const LOOK_MS = 100

/**
 * Returns a clock in milliseconds.
 *
 * @param awake_ms what goes while the machine is awake. @param up_sec how long the machine has been up, asleep or awake.
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
