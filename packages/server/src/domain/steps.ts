// Long work of a chore in steps that are as short as each other, with rests in between: what agents upload meanwhile hardly waits.
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../runtime/clock.ts'

export interface StepBounds {
  /** Of how many things the first step is. */
  first: number
  least: number
  most: number
  /** How long a step should take. */
  step_ms: number
}

/** How much larger than the step before a step is at most. */
const GROWTH = 4

/** Remembers from step to step how many things one should be of. */
export class Steps {
  readonly #bounds: StepBounds
  #size: number

  constructor(bounds: StepBounds) {
    this.#bounds = bounds
    this.#size = bounds.first
  }

  /** `restAfter`: how long it rests afterwards, as a multiple of what the step took. */
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
