// Finds the greatest load that is handled: up in large steps until one fails, then in between.
import { say } from '../stage.ts'
import { UNIT } from '../traffic/units.ts'
import { type Ground, type Step, takeStep } from './steps.ts'

export interface Pace {
  /** Units to begin with. */
  first: number
  factor: number
  coarse_ms: number
  fine_ms: number
  /** Time before a step is measured, because agents open their connections first. */
  settle_ms: number
  /** Stop when what is handled and what is not are this close. */
  until: number
}

/** Returns the largest number of units that the server handled, or 0. */
export async function searchMost(ground: Ground, pace: Pace): Promise<{ held: number; steps: Step[] }> {
  const steps: Step[] = []
  const isHeld = async (units: number, window_ms: number) => {
    const step = await takeStep(ground, units, pace.settle_ms, window_ms)
    steps.push(step)
    sayStep(step)
    return step.faults.length === 0
  }
  let [held, missed] = [0, pace.first]
  while (await isHeld(missed, pace.coarse_ms)) [held, missed] = [missed, Math.ceil(missed * pace.factor)]
  // A slow machine: go down to what it handles.
  for (let less = Math.floor(missed / 2); held === 0 && less > 0; less = Math.floor(less / 2)) {
    if (await isHeld(less, pace.coarse_ms)) held = less
    else missed = less
  }
  while (held > 0 && missed / held > pace.until && missed - held > 1) {
    const middle = Math.round(Math.sqrt(held * missed))
    if (await isHeld(middle, pace.fine_ms)) held = middle
    else missed = middle
  }
  return { held, steps }
}

export function sayStep({ checks, window, cpu, faults }: Step): void {
  const { p50, p99 } = window.tallies.upload
  const used = Object.entries(cpu).map(([name, share]) => `${name} ${share.toFixed(2)}`)
  const verdict = faults.length === 0 ? 'held' : `not held: ${faults.join('; ')}`
  say(`${checks} checks: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; CPU ${used.join(', ')}; ${verdict}`)
}

/** Returns a rough number for callers that need half of it, or five times as much. */
export async function calibrate(ground: Ground): Promise<number> {
  const pace = { first: 8, factor: 2, coarse_ms: 8000, fine_ms: 12_000, settle_ms: 15_000, until: 1.3 }
  const { held } = await searchMost(ground, pace)
  if (held === 0) throw new Error(`not even ${UNIT.checks} checks are held`)
  return held
}
