// Counts the slots of a check, and decides whose turn it is. Agents and the server count in the same way, so the monitors of a
// check take turns without communicating. The monitor SDK compiles this file into its own package, for other agents.
import { createHash } from 'node:crypto'

/** Turn of a monitor: the data that decides when it runs a check. */
export interface Turn {
  readonly interval_ms: number
  /** Offset of the check's slots within the interval, in milliseconds. */
  readonly phase_ms: number
  readonly count: number
  readonly rank: number
}

export interface Slot {
  readonly number: number
  /** Start of the slot, in milliseconds of server time. */
  readonly at: number
}

export interface ScheduledCheck {
  guid: string
  interval_sec: number
  monitor_count?: number
  monitor_rank?: number
}

/** Returns the turn of this monitor. With an impossible rank, the check runs in each slot, so that it is not left unwatched. */
export function turnOf(check: ScheduledCheck): Turn {
  const interval_ms = check.interval_sec * 1000
  const phase_ms = phaseOf(check.guid) * interval_ms
  const { monitor_count: count = 1, monitor_rank: rank = 0 } = check
  if (count <= 1 || !isRankKnown(check)) return { interval_ms, phase_ms, count: 1, rank: 0 }
  return { interval_ms, phase_ms, count, rank }
}

/**
 * Whether the rank of this monitor is known. It is unknown if the server says that several monitors take turns, but not which one
 * this is.
 */
export function isRankKnown({ monitor_count = 1, monitor_rank }: ScheduledCheck): boolean {
  if (monitor_count <= 1) return true
  if (!isCount(monitor_count) || !isCount(monitor_rank)) return false
  return monitor_rank >= 0 && monitor_rank < monitor_count
}

/** Whether the value is an integer that can count slots without losing any. */
function isCount(value: number | undefined): value is number {
  return Number.isInteger(value) && Math.abs(value ?? 0) < 2 ** 31
}

/** Returns a number from 0 up to 1 that is the same in every agent of every version. */
export function phaseOf(guid: string): number {
  return createHash('sha256').update(guid).digest().readUInt32BE(0) / 2 ** 32
}

/** Returns the number of the slot at `now`, counted from the Unix epoch. */
export function slotNumberAt(turn: Turn, now: number): number {
  return Math.floor((now - turn.phase_ms) / turn.interval_ms)
}

/**
 * Returns the next slot of this monitor: strictly after `now`, and after slot number `last`, which it has run or skipped. Missed
 * slots are not made up for.
 */
export function nextSlot(turn: Turn, now: number, last?: number): Slot {
  const current = slotNumberAt(turn, now)
  // A `last` further ahead than any next slot was counted on a clock that has since been set back.
  const isLastNear = last !== undefined && last <= current + turn.count
  let number = isLastNear ? Math.max(current, last) : current
  do number += distance(turn, number)
  while (startOf(turn, number) <= now)
  return { number, at: startOf(turn, number) }
}

/** Returns the distance from slot `number` to the next one of this monitor, at least 1. */
function distance({ count, rank }: Turn, number: number): number {
  const place = ((number % count) + count) % count
  return ((rank - place - 1 + 2 * count) % count) + 1
}

function startOf({ phase_ms, interval_ms }: Turn, number: number): number {
  return phase_ms + number * interval_ms
}
