// Orders jobs by cost: jobs of an owner whose jobs cost little lately go first, and cheap jobs go before expensive
// ones.
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

/** Time after which a cost counts half, in milliseconds. */
const HALF_LIFE_MS = 300_000
/** Recent cost of an owner, in milliseconds, below which the queue forgets it. */
const FORGOTTEN_MS = 1

/**
 * Queue of limited length. The next job is the one with the smallest sum of the recent cost of its owner and its own maximum cost,
 * and the oldest among equals. So a cheap job of an owner with little recent cost never waits for expensive ones.
 */
export class CostQueue<T extends CostedJob> {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #bounds: CostQueueBounds
  readonly #waiting = new Set<T>()
  /** Recent costs of owners, those charged longest ago first. */
  readonly #costs = new Map<number, OwnerCost>()

  constructor(bounds: CostQueueBounds, clock: Pick<Clock, 'monotonicMs'>) {
    this.#bounds = bounds
    this.#clock = clock
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Number of owners whose recent cost the queue knows. */
  get remembered(): number {
    return this.#costs.size
  }

  /**
   * Adds a job. If there are then too many jobs, returns the one that the queue drops, which can be the new job. Otherwise,
   * returns undefined.
   */
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

  /** Removes a job. Returns false if it is not in the queue. */
  remove(job: T): boolean {
    return this.#waiting.delete(job)
  }

  /** Adds the cost of a job to the recent cost of its owner. */
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
