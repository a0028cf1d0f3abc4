// Splits long work of a chore into steps of equal duration, with rests in between, so that uploads of agents hardly wait.
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '@dogwatch/runtime/clock'

export interface StepBounds {
  /** Number of items in the first step. */
  first: number
  least: number
  most: number
  /** Time that a step should take. */
  step_ms: number
}

/** Maximum size of a step, as a multiple of the previous step's. */
const GROWTH = 4

/** Size of the next step, adapted from step to step. */
export class StepSize {
  readonly #bounds: StepBounds
  #size: number

  constructor(bounds: StepBounds) {
    this.#bounds = bounds
    this.#size = bounds.first
  }

  /** Runs the next step and rests. `restAfter`: function for the duration of the rest, as a multiple of the step's. */
  async take<T>(
    clock: Pick<Clock, 'monotonicMs'>,
    work: (size: number) => Promise<T>,
    restAfter: (done: T) => number,
  ): Promise<T> {
    const from = clock.monotonicMs()
    const done = await work(this.#size)
    const took_ms = Math.max(clock.monotonicMs() - from, 1)
    const { step_ms, least, most } = this.#bounds
    this.#size = Math.min(Math.max(Math.floor(this.#size * Math.min(step_ms / took_ms, GROWTH)), least), most)
    const rest = restAfter(done)
    if (rest > 0) await pause(rest * took_ms)
    return done
  }
}

/** Outcome of a step that others can delay. */
export type StepState = 'moved' | 'waits' | 'done'

/**
 * Repeats a step until nothing is left to do, and pauses while it waits for others. Each step must commit, because a process can
 * find the transactions that may have missed a change only after the change is visible.
 */
export async function untilDone(step: () => Promise<StepState>, pauses_ms: readonly number[]): Promise<void> {
  for (const ms of pauses_ms) {
    let state: StepState
    do state = await step()
    while (state === 'moved')
    if (state === 'done') return
    await pause(ms)
  }
}
