// Decides when checks run, by the turns that their monitors take.
import { nextSlot, turnOf } from '@dogwatch/check-rules/turns'
import { newGuid } from '@dogwatch/runtime/ids'
import type { Random } from '@dogwatch/runtime/random'

interface ScheduledCheck {
  guid: string
  interval_sec: number
}

/** Minimum time to the first run, in milliseconds. It suffices for an agent that is notified at once to receive the check. */
const SOONEST_MS = 2_000
const WINDOW_MS = 2_000
/** Maximum number of guids to try. It suffices for an interval of an hour; a longer search would delay other requests. */
const MOST_TRIES = 8_000

/** Returns when the monitors of a check run it next: one of them starts a run in each slot. */
export function nextRunAt(check: ScheduledCheck, now: Date): Date {
  return new Date(Math.ceil(nextSlotAt(check, now)))
}

/**
 * Returns a guid whose first turn comes in two to four seconds, so that a person who creates a check need not wait for an
 * interval. For intervals of hours, the search may end without such a guid.
 */
export function guidDueSoon(random: Random, now: Date, interval_sec: number): string {
  for (let tries = 1; ; tries++) {
    const guid = newGuid(random)
    const wait_ms = nextSlotAt({ guid, interval_sec }, now) - now.getTime()
    const isSoon = wait_ms >= SOONEST_MS && wait_ms < SOONEST_MS + WINDOW_MS
    if (isSoon || tries === MOST_TRIES || interval_sec * 1000 <= SOONEST_MS + WINDOW_MS) return guid
  }
}

function nextSlotAt({ guid, interval_sec }: ScheduledCheck, now: Date): number {
  return nextSlot(turnOf({ guid, interval_sec }), now.getTime()).at
}
