// How far the clock of a monitor is off.
import { updateClockOffset } from '../../store/monitors.ts'
import type { Deps } from '../deps.ts'
import { isClockOff } from '../results/ran-at.ts'
import type { Caller } from './monitor.ts'

/** A clock that moved by less is not noted again. */
const NOTED_MS = 1000

/** Keeps how far the caller's clock is off, where that changed, and says in the log when it gets wrong or right. */
export async function noteClock(
  deps: Pick<Deps, 'database' | 'log'>,
  monitor: Pick<Caller, 'id' | 'org_id' | 'clock_offset_ms'>,
  offset_ms: number,
): Promise<void> {
  const before = monitor.clock_offset_ms
  if (before !== null && Math.abs(offset_ms - before) <= NOTED_MS) return
  await updateClockOffset(deps.database, monitor.id, offset_ms)
  if (isClockOff(offset_ms) === isClockOff(before)) return
  const about = { monitor_id: monitor.id, org_id: monitor.org_id, clock_offset_ms: offset_ms }
  if (isClockOff(offset_ms))
    deps.log.warn(about, "a monitor's clock is off: its results are judged by the corrected time")
  else deps.log.info(about, "a monitor's clock is right again")
}
