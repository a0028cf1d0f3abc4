// Represents times during which something applied, such as the maintenance of a check. Queries about a part of them do not visit
// all of them.
import type { Pace } from '@dogwatch/runtime/pace'

/** A span of time, in milliseconds since the Unix epoch. */
export interface Interval {
  from: number
  until: number
}

/** Disjoint intervals in their order. Immutable, so that many checks share one. */
export class Cover {
  static readonly NONE = new Cover(new Float64Array(0), new Float64Array(0))
  readonly #from: Float64Array
  readonly #until: Float64Array
  /** Total length of the intervals before each interval. */
  readonly #before: Float64Array

  private constructor(from: Float64Array, until: Float64Array) {
    this.#from = from
    this.#until = until
    this.#before = new Float64Array(from.length + 1)
    for (let n = 0; n < from.length; n++) {
      this.#before[n + 1] = (this.#before[n] as number) + (until[n] as number) - (from[n] as number)
    }
  }

  /** Joins intervals that touch or overlap. */
  static of(intervals: readonly Interval[]): Cover {
    const sorted = intervals.filter((one) => one.until > one.from).toSorted((a, b) => a.from - b.from)
    return Cover.#joined(
      sorted.map(({ from }) => from),
      sorted.map(({ until }) => until),
    )
  }

  static #joined(from: ArrayLike<number>, until: ArrayLike<number>): Cover {
    const [begins, ends] = [new Float64Array(from.length), new Float64Array(from.length)]
    let size = 0
    for (let n = 0; n < from.length; n++) {
      const [begin, end] = [from[n] as number, until[n] as number]
      if (size > 0 && begin <= (ends[size - 1] as number)) ends[size - 1] = Math.max(ends[size - 1] as number, end)
      else {
        begins[size] = begin
        ends[size++] = end
      }
    }
    return new Cover(begins.slice(0, size), ends.slice(0, size))
  }

  get size(): number {
    return this.#from.length
  }

  /** Returns the times that this cover or the other contains. Takes as many steps as both have intervals. */
  with(other: Cover): Cover {
    if (other.size === 0) return this
    if (this.size === 0) return other
    const [from, until] = [new Float64Array(this.size + other.size), new Float64Array(this.size + other.size)]
    let [a, b] = [0, 0]
    for (let n = 0; n < from.length; n++) {
      const isOwn = b >= other.size || (a < this.size && (this.#from[a] as number) <= (other.#from[b] as number))
      const [source, at] = isOwn ? [this, a++] : [other, b++]
      from[n] = source.#from[at] as number
      until[n] = source.#until[at] as number
    }
    return Cover.#joined(from, until)
  }

  /** Yields the parts of the intervals between two instants. */
  *between(from: number, until: number): Generator<Interval> {
    for (let n = firstAfter(this.#until, from); n < this.size && (this.#from[n] as number) < until; n++) {
      yield { from: Math.max(this.#from[n] as number, from), until: Math.min(this.#until[n] as number, until) }
    }
  }

  /** Returns the covered time between two instants, in milliseconds. */
  lengthWithin(from: number, until: number): number {
    return until > from ? this.#lengthUntil(until) - this.#lengthUntil(from) : 0
  }

  #lengthUntil(at: number): number {
    const n = firstAfter(this.#until, at)
    const begun = n < this.size ? Math.max(0, at - (this.#from[n] as number)) : 0
    return (this.#before[n] as number) + begun
  }
}

/** Returns the position of the first of some ascending instants that is after another one. */
export function firstAfter(instants: Float64Array, at: number): number {
  let [low, high] = [0, instants.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((instants[middle] as number) > at) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Returns the times that any of the covers contains. Each round merges pairs, which halves the number of covers, and visits each
 * interval once.
 */
export async function unionOf(covers: readonly Cover[], pace: Pace): Promise<Cover> {
  let rest = covers
  while (rest.length > 1) {
    const round: Cover[] = []
    for (let n = 0; n < rest.length; n += 2) {
      const [one = Cover.NONE, other = Cover.NONE] = [rest[n], rest[n + 1]]
      round.push(one.with(other))
      await pace.spend(1 + one.size + other.size)
    }
    rest = round
  }
  return rest[0] ?? Cover.NONE
}
