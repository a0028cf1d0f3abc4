// Keeps the server's time from the times in its responses. All monitors of a check count slots by it, whatever their own clocks
// say.
//
// A response bounds the time: its clock was read after the request was sent and before the response came. Bounds of several
// responses are intersected, so that even the whole seconds of a Date header give the time to a fraction of a second.

/** Time sample from a response. */
export interface TimeSample {
  /** Time of the request, in milliseconds of a clock that never goes back. */
  sent: number
  received: number
  /** Server time in milliseconds since the Unix epoch, rounded down to whole units of `unit_ms`. */
  server_ms: number
  unit_ms: number
}

/** Effect of a time sample on the clock. */
export type Learnt =
  /** The sample agrees with earlier ones, or differs by little: the clock adjusts gradually. */
  | { kind: 'eased' }
  /**
   * The sample differs by much, and is the first one to do so: nothing changes, and the caller should request another sample
   * soon.
   */
  | { kind: 'doubted'; by_ms: number }
  /** The sample agrees with a previous one that differed by much: the clock was set to it. */
  | { kind: 'set'; by_ms: number }

/** Bounds of the offset from the monotonic clock to the server's time. */
interface Bounds {
  low: number
  high: number
  /** Time of the sample by the monotonic clock, in milliseconds. */
  at: number
}

/** Maximum difference from the server's time that the clock corrects gradually, in milliseconds. A larger one makes it jump. */
export const STEP_MS = 1000
/**
 * Adjustment of the clock as a fraction of elapsed time. It is small enough that time never goes back, and slots neither repeat
 * nor vanish.
 */
export const SLEW_RATE = 0.05
/** Maximum drift between two clocks, as a fraction of elapsed time. NTP also slews by no more. */
const DRIFT = 0.0005
/**
 * Maximum widening of bounds by age, in milliseconds. Otherwise one response could move the time by much after a long silence.
 */
const LOOSEN_MAX_MS = 500
/** Maximum difference of two responses that agree, in milliseconds. */
const AGREE_MS = 500

export class ServerClock {
  readonly #mono: () => number
  /** Bounds that the responses so far agree on. Absent before the first. */
  #known: Bounds | undefined
  /** Bounds from the last response, if it was too far off to be believed at once. */
  #doubted: Bounds | undefined
  /** Offset from the monotonic clock to the server's time: `from` at the time `since`. It changes gradually towards `to`. */
  #offset: { from: number; to: number; since: number }

  /** @param mono milliseconds of a clock that never goes back. @param offset what to add to it until the first response. */
  constructor(mono: () => number, offset: number) {
    this.#mono = mono
    this.#offset = { from: offset, to: offset, since: mono() }
  }

  /** Returns the server's time, in milliseconds since the Unix epoch. */
  now(): number {
    const mono = this.#mono()
    return mono + this.#offsetAt(mono)
  }

  /** Lead of the server's time over the monotonic clock, as of the last response, in milliseconds. */
  get offset(): number {
    return this.#offset.to
  }

  /** Uses this offset until the first response. */
  assume(offset: number): void {
    this.#offset = { from: offset, to: offset, since: this.#mono() }
  }

  /** Discards earlier samples, because they came from a less accurate source. The time continues unchanged. */
  forget(): void {
    this.#known = undefined
    this.#doubted = undefined
  }

  /** Receives a time sample. A single sample never changes the time by more than a second. */
  learn(told: TimeSample): Learnt {
    const bounds = boundsOf(told)
    const current = this.#offsetAt(this.#mono())
    const agreed = this.#known && intersection(loosened(this.#known, bounds.at), bounds)
    if (agreed || distance(bounds, current) <= STEP_MS) return this.#settle(agreed ?? bounds)
    const doubted = this.#doubted && loosened(this.#doubted, bounds.at)
    if (!doubted || !intersection(widened(doubted, AGREE_MS), bounds)) {
      this.#doubted = bounds
      return { kind: 'doubted', by_ms: middle(bounds) - current }
    }
    return this.#settle(intersection(doubted, bounds) ?? bounds)
  }

  #settle(known: Bounds): Learnt {
    const mono = this.#mono()
    const current = this.#offsetAt(mono)
    // If the bounds are far apart, their middle is no better than any other point.
    const to = known.high - known.low <= STEP_MS ? middle(known) : nearest(known, this.#offset.to)
    const by_ms = to - current
    const isSet = Math.abs(by_ms) > STEP_MS
    this.#known = known
    this.#doubted = undefined
    this.#offset = { from: isSet ? to : current, to, since: mono }
    return isSet ? { kind: 'set', by_ms } : { kind: 'eased' }
  }

  #offsetAt(mono: number): number {
    const { from, to, since } = this.#offset
    const reach = (mono - since) * SLEW_RATE
    return Math.abs(to - from) <= reach ? to : from + Math.sign(to - from) * reach
  }
}

function boundsOf({ sent, received, server_ms, unit_ms }: TimeSample): Bounds {
  return { low: server_ms - received, high: server_ms + unit_ms - Math.min(sent, received), at: received }
}

/** Returns bounds as they are at a later time, because the clocks may have drifted apart since. */
function loosened(bounds: Bounds, at: number): Bounds {
  return widened(bounds, Math.min(LOOSEN_MAX_MS, Math.max(0, at - bounds.at) * DRIFT))
}

function widened({ low, high, at }: Bounds, by_ms: number): Bounds {
  return { low: low - by_ms, high: high + by_ms, at }
}

/** Returns the intersection at the time of the later bounds, `b`, or undefined if there is none. */
function intersection(a: Bounds, b: Bounds): Bounds | undefined {
  const [low, high] = [Math.max(a.low, b.low), Math.min(a.high, b.high)]
  return low <= high ? { low, high, at: b.at } : undefined
}

function middle({ low, high }: Bounds): number {
  return (low + high) / 2
}

function nearest({ low, high }: Bounds, offset: number): number {
  return Math.min(high, Math.max(low, offset))
}

function distance(bounds: Bounds, offset: number): number {
  return Math.abs(nearest(bounds, offset) - offset)
}
