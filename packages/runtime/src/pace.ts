// Divides long work into short stretches, so that the process can handle other requests in between.
import { setImmediate as turn } from 'node:timers/promises'

/** Number of steps between two pauses. A step takes up to a few microseconds. */
const STEPS_AT_ONCE = 5_000

/** Counts the steps of one piece of work and pauses it after each {@link STEPS_AT_ONCE}. */
export class Pace {
  readonly #at_once: number
  #left: number
  #steps = 0

  constructor(at_once: number = STEPS_AT_ONCE) {
    this.#at_once = at_once
    this.#left = at_once
  }

  /** Number of steps so far. */
  get steps(): number {
    return this.#steps
  }

  /** Counts steps that the caller has done or is about to do. Returns a promise to await if a pause is due. */
  spend(steps: number): Promise<void> | undefined {
    this.#steps += steps
    this.#left -= steps
    if (this.#left > 0) return undefined
    this.#left = this.#at_once
    return turn()
  }

  /** Maps a list, with pauses. `weigh` returns the number of steps for an item. Default: 1. */
  async map<In, Out>(
    items: Iterable<In>,
    make: (item: In, index: number) => Out,
    weigh: (item: In) => number = () => 1,
  ): Promise<Out[]> {
    const made: Out[] = []
    for (const item of items) {
      made.push(make(item, made.length))
      await this.spend(weigh(item))
    }
    return made
  }
}

/** Divides a list into batches. */
export function batchesOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))
}
