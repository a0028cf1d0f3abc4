// Orders jobs by cost: the owner that used little lately goes first, and a job that may cost little goes before one that may cost much.
import type { Clock } from './clock.ts'

export interface CostQueueBounds {
  /** Jobs of one owner that may wait. */
  of_owner: number
  /** Jobs of all owners that may wait. */
  in_all: number
}

export interface CostedJob {
  /** An organisation, for example. */
  owner: number
  /** Maximum processor time of the job, in milliseconds. */
  most_ms: number
}

interface OwnerCost {
  ms: number
  at_ms: number
}

/** Time in which half of a cost is forgotten. */
const HALF_LIFE_MS = 300_000
/** A smaller remainder of a cost is forgotten at once. */
const FORGOTTEN_MS = 1

/**
 * A bounded queue. The next job is the one with the smallest sum of what its owner used lately and what the job may cost; of equals, the
 * first. So a cheap job of an owner that used little waits for no dear one, whatever their number.
 */
export class CostQueue<T extends CostedJob> {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #bounds: CostQueueBounds
  readonly #waiting = new Set<T>()
  /** In the order of their last charge. */
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

  /** Adds a job. Returns the job that lost its room for it, which may be the same job, or undefined if there was room. */
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

  /** Records what a job has cost its owner. */
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
