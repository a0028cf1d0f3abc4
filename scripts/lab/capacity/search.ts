// Finds the greatest load that a server handles: increases the load in large steps until the server fails, then tries loads in
// between.
import { UNIT } from '../traffic/units.ts'
import { type Ground, isHeld } from './steps.ts'

export interface Pace {
  /** Number of units in the first step. */
  first: number
  factor: number
  coarse_ms: number
  fine_ms: number
  /** Time before a step is measured, in milliseconds, because agents first open their connections. */
  settle_ms: number
  /** Ratio between the load that fails and the load that is handled at which the search stops. */
  until: number
}

/** Pace for callers that need only a rough number, such as half or five times the capacity. */
const ROUGH: Pace = { first: 8, factor: 2, coarse_ms: 8000, fine_ms: 12_000, settle_ms: 15_000, until: 1.3 }

/** Returns the largest number of units that the server handled. Throws if it handles none. */
export async function calibrate(ground: Ground, pace = ROUGH): Promise<number> {
  const { settle_ms, coarse_ms, fine_ms } = pace
  let [held, missed] = [0, pace.first]
  while (await isHeld(ground, missed, settle_ms, coarse_ms)) {
    held = missed
    missed = Math.ceil(missed * pace.factor)
  }
  // If the first load fails, reduces the load until the machine handles it.
  for (let less = Math.floor(missed / 2); held === 0 && less > 0; less = Math.floor(less / 2)) {
    if (await isHeld(ground, less, settle_ms, coarse_ms)) held = less
    else missed = less
  }
  if (held === 0) throw new Error(`not even ${UNIT.checks} checks are held`)
  while (missed / held > pace.until && missed - held > 1) {
    const middle = Math.round(Math.sqrt(held * missed))
    if (await isHeld(ground, middle, settle_ms, fine_ms)) held = middle
    else missed = middle
  }
  return held
}
