// Counts the slots of a check, and says whose turn it is. Agents and the server count in the same way, so the monitors of a
// check take turns without communicating. The monitor SDK compiles this file into its own package, for agents of others.
import { createHash } from 'node:crypto'

/** What decides when a monitor runs a check. */
export interface Turn {
  readonly interval_ms: number
  /** Where in the interval the check's slots begin. */
  readonly phase_ms: number
  readonly count: number
  readonly rank: number
}

export interface Slot {
  readonly number: number
  /** When it begins, in milliseconds of server time. */
  readonly at: number
}

export interface Rotated {
  guid: string
  interval_sec: number
  monitor_count?: number
  monitor_rank?: number
}

/** The turn of this monitor. An impossible rank is no reason to leave a check unwatched: it then runs in each slot. */
export function turnOf(check: Rotated): Turn {
  const interval_ms = check.interval_sec * 1000
  const phase_ms = phaseOf(check.guid) * interval_ms
  const { monitor_count: count = 1, monitor_rank: rank = 0 } = check
  if (count <= 1 || !isRankKnown(check)) return { interval_ms, phase_ms, count: 1, rank: 0 }
  return { interval_ms, phase_ms, count, rank }
}

/** False when the server says that several monitors take turns, and not which one this is. */
export function isRankKnown({ monitor_count = 1, monitor_rank }: Rotated): boolean {
  if (monitor_count <= 1) return true
  if (!isCount(monitor_count) || !isCount(monitor_rank)) return false
  return monitor_rank >= 0 && monitor_rank < monitor_count
}

/** A whole number with which slots can be counted without losing any. */
function isCount(value: number | undefined): value is number {
  return Number.isInteger(value) && Math.abs(value ?? 0) < 2 ** 31
}

/** From 0 up to 1, the same in every agent of every version. */
export function phaseOf(guid: string): number {
  return createHash('sha256').update(guid).digest().readUInt32BE(0) / 2 ** 32
}

/** The number of the current slot at `now`, counted from the Unix epoch. */
export function slotNumberAt(turn: Turn, now: number): number {
  return Math.floor((now - turn.phase_ms) / turn.interval_ms)
}

/**
 * The next slot of this monitor: strictly after `now`, and after slot number `last`, which it has run or skipped.
 * Missed slots are not made up for.
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

/** How far it is from slot `number` to the next one of this monitor, at least 1. */
function distance({ count, rank }: Turn, number: number): number {
  const place = ((number % count) + count) % count
  return ((rank - place - 1 + 2 * count) % count) + 1
}

function startOf({ phase_ms, interval_ms }: Turn, number: number): number {
  return phase_ms + number * interval_ms
}
