// Orders jobs by cost: the owner that used little lately goes first, and a cheap job goes before an expensive one.
import type { Clock } from './clock.ts'

export interface CostQueueBounds {
  /** Maximum number of waiting jobs of one owner. */
  of_owner: number
  /** Maximum number of waiting jobs of all owners. */
  in_all: number
}

export interface CostedJob {
  /** Owner of the job, such as an organisation. */
  owner: number
  /** Maximum processor time of the job, in milliseconds. */
  most_ms: number
}

interface OwnerCost {
  ms: number
  at_ms: number
}

/** Time after which half of a cost is forgotten, in milliseconds. */
const HALF_LIFE_MS = 300_000
/** Minimum cost to remember, in milliseconds. */
const FORGOTTEN_MS = 1

/**
 * A bounded queue. The next job has the smallest sum of the recent cost of its owner and its own maximum cost. Of equals, it is
 * the first. So a cheap job of a modest owner never waits for expensive ones.
 */
export class CostQueue<T extends CostedJob> {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #bounds: CostQueueBounds
  readonly #waiting = new Set<T>()
  /** Recent costs of owners, in the order of their last charge. */
  readonly #costs = new Map<number, OwnerCost>()

  constructor(bounds: CostQueueBounds, clock: Pick<Clock, 'monotonicMs'>) {
    this.#bounds = bounds
    this.#clock = clock
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Number of owners whose cost is remembered. */
  get remembered(): number {
    return this.#costs.size
  }

  /** Adds a job. Returns the job that lost its place for it, which can be the same job, or undefined if there was room. */
  add(job: T): T | undefined {
    const own = [...this.#waiting].filter(({ owner }) => owner === job.owner).length
    if (own >= this.#bounds.of_owner) return job
    this.#waiting.add(job)
    if (this.#waiting.size <= this.#bounds.in_all) return undefined
    const last = this.#choose((rank, worst) => rank >= worst)
    if (last) this.#waiting.delete(last)
    return last
  }

  /** Removes the next job and returns it. */
  take(): T | undefined {
    const next = this.#choose((rank, best) => rank < best)
    if (next) this.#waiting.delete(next)
    return next
  }

  /** Returns false if the job does not wait here. */
  remove(job: T): boolean {
    return this.#waiting.delete(job)
  }

  /** Records the cost of a job for its owner. */
  charge(owner: number, cost_ms: number): void {
    const at_ms = this.#clock.monotonicMs()
    const ms = this.#costOf(owner, at_ms) + cost_ms
    this.#costs.delete(owner)
    this.#costs.set(owner, { ms, at_ms })
    for (const oldest of this.#costs.keys()) {
      if (this.#costOf(oldest, at_ms) >= FORGOTTEN_MS) break
      this.#costs.delete(oldest)
    }
  }

  #choose(isBetter: (rank: number, than: number) => boolean): T | undefined {
    const now_ms = this.#clock.monotonicMs()
    let chosen: { job: T; rank: number } | undefined
    for (const job of this.#waiting) {
      const rank = this.#costOf(job.owner, now_ms) + job.most_ms
      if (!chosen || isBetter(rank, chosen.rank)) chosen = { job, rank }
    }
    return chosen?.job
  }

  #costOf(owner: number, now_ms: number): number {
    const cost = this.#costs.get(owner)
    return cost ? cost.ms * 2 ** ((cost.at_ms - now_ms) / HALF_LIFE_MS) : 0
  }
}
