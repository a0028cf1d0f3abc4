// How far a monitor's clock is off.
import { fromDate } from '../../runtime/timestamps.ts'
import { updateClock } from '../../store/monitors/monitors.ts'
import type { Deps } from '../deps.ts'
import { clockOffset, isClockOff, isFurtherBehind, isSteady, type RequestFacts } from '../results/ran-at.ts'
import type { Caller } from './monitor.ts'

/** Smaller changes are not recorded again. */
const NOTED_MS = 1000
/**
 * A stalled network makes every clock seem behind, for all the requests that it lets through at once. A clock is
 * believed to be further behind only when a request shows it this long after the first one that did.
 */
const CONFIRMED_MS = 5000

type Measured = Pick<Caller, 'id' | 'key_hash' | 'org_id' | 'clock_offset_ms' | 'clock_behind_since'>

/**
 * How far the caller's clock is ahead, in milliseconds, as far as its requests show; undefined when they do not say.
 * Records changes, and logs when the clock becomes wrong or right.
 */
export async function measureClock(
  deps: Pick<Deps, 'database' | 'log'>,
  monitor: Measured,
  facts: RequestFacts,
): Promise<number | undefined> {
  const before = monitor.clock_offset_ms
  const behind_since = isFurtherBehind(facts, before)
    ? (monitor.clock_behind_since ?? fromDate(facts.received_at))
    : null
  const isConfirmed = behind_since !== null && facts.received_at.getTime() - Date.parse(behind_since) >= CONFIRMED_MS
  const isDoubted = behind_since !== null && !isConfirmed
  const shown_ms = clockOffset(isDoubted ? { ...facts, held_ms: Number.POSITIVE_INFINITY } : facts, before)
  const offset_ms = shown_ms !== undefined && isSteady(shown_ms, before) ? before : shown_ms
  if (offset_ms !== undefined) await noteClock(deps, monitor, offset_ms, isDoubted ? behind_since : null)
  return offset_ms
}

/** Compares the sender's clock with the database's. A request that waited here shows too small an offset. */
export function hearClock(
  { clock }: Pick<Deps, 'clock'>,
  { id, clock_offset_ms }: Measured,
  facts: RequestFacts,
): void {
  const { sent_at, received_at, held_ms = 0 } = facts
  if (sent_at === undefined || held_ms > 0) return
  clock.hear(id, Date.parse(sent_at) - received_at.getTime(), clock_offset_ms ?? 0)
}

async function noteClock(
  deps: Pick<Deps, 'database' | 'log'>,
  monitor: Measured,
  clock_offset_ms: number,
  clock_behind_since: string | null,
): Promise<void> {
  const before = monitor.clock_offset_ms
  const hasMoved = before === null || Math.abs(clock_offset_ms - before) > NOTED_MS
  if (!hasMoved && clock_behind_since === monitor.clock_behind_since) return
  await updateClock(deps.database, monitor, { clock_offset_ms, clock_behind_since })
  if (isClockOff(clock_offset_ms) === isClockOff(before)) return
  const about = { monitor_id: monitor.id, org_id: monitor.org_id, clock_offset_ms }
  if (isClockOff(clock_offset_ms))
    deps.log.warn(about, "a monitor's clock is off: its results are judged by the corrected time")
  else deps.log.info(about, "a monitor's clock is right again")
}
