// A clock that only goes forth, and that also goes on while the machine sleeps: Node's own stands still then, and with it
// the server's time that is counted on it.
import { uptime } from 'node:os'

/** Both are told in whole seconds or better; farther apart than this they come by sleep alone. */
const APART_MS = 2000
/** To ask the system how long it has been up costs more than a clock may. */
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
