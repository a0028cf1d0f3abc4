// Measures how far a monitor's clock is off.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type MeasuredClock, updateClock } from '@dogwatch/store/monitors/monitors'
import type { Deps } from '../deps.ts'
import {
  cannotDate,
  clockOffset,
  isClockOff,
  isFurtherBehind,
  isSteady,
  type RequestFacts,
  type SenderClock,
} from '../results/ran-at.ts'
import type { Caller } from './monitor.ts'

/** Maximum change of an offset that is not recorded again, in milliseconds. */
const NOTED_MS = 1000
/**
 * Time between the first request that shows a clock further behind and one that confirms it. A stalled network makes every clock
 * seem behind, in all requests that it lets through at once.
 */
const CONFIRMED_MS = 5000

type ClockOwner = Pick<Caller, 'id' | 'key_hash' | 'org_id' | keyof MeasuredClock>

/** Measures the caller's clock by its request. Records changes, and logs when the clock becomes wrong or right. */
export async function measureClock(
  deps: Pick<Deps, 'database' | 'log'>,
  monitor: ClockOwner,
  facts: RequestFacts,
): Promise<SenderClock> {
  const { clock_offset_ms: before, clock_far_ms: far_before } = monitor
  const behind_since = isFurtherBehind(facts, before)
    ? (monitor.clock_behind_since ?? fromDate(facts.received_at))
    : null
  const isConfirmed = behind_since !== null && facts.received_at.getTime() - Date.parse(behind_since) >= CONFIRMED_MS
  const isDoubted = behind_since !== null && !isConfirmed
  const shown_ms = clockOffset(facts, before)
  const believed_ms = clockOffset(isDoubted ? { ...facts, held_ms: Number.POSITIVE_INFINITY } : facts, before)
  if (shown_ms === undefined || believed_ms === undefined) return { offset_ms: 0, canDate: true, far_ms: far_before }
  const offset_ms = isSteady(believed_ms, far_before) ? far_before : believed_ms
  const far_ms = cannotDate(offset_ms) ? offset_ms : far_before
  const clock_behind_since = isDoubted ? behind_since : null
  await noteClock(deps, monitor, { clock_offset_ms: offset_ms, clock_far_ms: far_ms, clock_behind_since })
  return { offset_ms, canDate: !cannotDate(shown_ms), far_ms }
}

/**
 * Compares the sender's clock with the database's clock. Ignores a request that waited in this process, because it would show too
 * small an offset.
 */
export function hearClock(
  { clock }: Pick<Deps, 'clock'>,
  { id, clock_offset_ms }: ClockOwner,
  facts: RequestFacts,
): void {
  const { sent_at, received_at, held_ms = 0 } = facts
  if (sent_at === undefined || held_ms > 0) return
  clock.hear(id, Date.parse(sent_at) - received_at.getTime(), clock_offset_ms ?? 0)
}

async function noteClock(
  deps: Pick<Deps, 'database' | 'log'>,
  monitor: ClockOwner,
  measured: MeasuredClock,
): Promise<void> {
  const before = monitor.clock_offset_ms
  const { clock_offset_ms } = measured
  const hasMoved = before === null || Math.abs(clock_offset_ms - before) > NOTED_MS
  if (!hasMoved && measured.clock_behind_since === monitor.clock_behind_since) return
  await updateClock(deps.database, monitor, measured)
  if (isClockOff(clock_offset_ms) === isClockOff(before)) return
  const about = { monitor_id: monitor.id, org_id: monitor.org_id, clock_offset_ms }
  if (isClockOff(clock_offset_ms))
    deps.log.warn(about, "a monitor's clock is off; its results are judged by corrected times")
  else deps.log.info(about, "a monitor's clock is correct again")
}
