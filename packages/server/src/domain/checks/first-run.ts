// When a new check is first run. Its guid decides that: agents take the phase of a check's turns from it.
import { createHash } from 'node:crypto'
import { newGuid } from '../../runtime/ids.ts'
import type { Random } from '../../runtime/random.ts'

/** An agent that is told at once has the check by then. */
const SOONEST_MS = 2_000
const WINDOW_MS = 2_000
/** Enough for an interval of an hour. Beyond that a longer search would hold up other requests. */
const MOST_TRIES = 8_000

/**
 * A guid whose first turn comes in two to four seconds, so that whoever made the check need not wait for an interval. By chance
 * alone the wait is half an interval on average. For intervals of hours the search may end without such a guid.
 */
export function guidDueSoon(random: Random, now: Date, interval_sec: number): string {
  const interval_ms = interval_sec * 1000
  const since_turn = now.getTime() % interval_ms
  for (let tries = 1; ; tries++) {
    const guid = newGuid(random)
    const wait_ms = (phaseOf(guid) * interval_ms - since_turn + interval_ms) % interval_ms
    const isSoon = wait_ms >= SOONEST_MS && wait_ms < SOONEST_MS + WINDOW_MS
    if (isSoon || tries === MOST_TRIES || interval_ms <= SOONEST_MS + WINDOW_MS) return guid
  }
}

/** From 0 up to 1, as every agent computes it. */
export function phaseOf(guid: string): number {
  return createHash('sha256').update(guid).digest().readUInt32BE(0) / 2 ** 32
}
