// The server's time, carried by what its answers tell. All monitors of a check count slots by it, whatever their own clocks say.
//
// An answer bounds the time: its clock was read after the request was sent and before the answer came. Bounds of several
// answers are intersected, so that even the whole seconds of a Date header come to tell the time to a fraction of one.

/** What an answer said the time was. */
export interface Told {
  /** Milliseconds of a clock that only goes forth. */
  sent: number
  received: number
  /** Milliseconds since the Unix epoch, cut to whole units of `unit_ms`. */
  server_ms: number
  unit_ms: number
}

/** What came of an answer. */
export type Learnt =
  /** It agrees with what was known, or differs by little: the time is eased to it. */
  | { kind: 'eased' }
  /** It differs by much, and it is the first to say so: nothing is changed, and another should be asked for soon. */
  | { kind: 'doubted'; by_ms: number }
  /** A second one agrees with the one that was doubted: the time was set. */
  | { kind: 'set'; by_ms: number }

/** Between these lies what is to be added to the clock that only goes forth. */
interface Bounds {
  low: number
  high: number
  /** When they were told, on that clock. */
  at: number
}

/** A difference beyond this is not eased. */
export const STEP_MS = 1000
/** So much of each elapsed millisecond is corrected: the time never goes back, and slots neither repeat nor vanish. */
export const SLEW_RATE = 0.05
/** Clocks drift apart by so much at most; NTP, too, slews by no more. */
const DRIFT = 0.0005
/** Bounds are never loosened by more, however old they are: else one answer could move the time by much after a long silence. */
const LOOSEN_MAX_MS = 500
/** Two answers that differ by no more agree. */
const AGREE_MS = 500

export class ServerClock {
  readonly #mono: () => number
  /** What the answers so far agree on; undefined before the first. */
  #known: Bounds | undefined
  /** What the last answer told, if that was too far off to be believed at once. */
  #doubted: Bounds | undefined
  /** `from` at the moment `since`, easing towards `to`. */
  #offset: { from: number; to: number; since: number }

  /** @param mono milliseconds of a clock that only goes forth. @param offset what to add to it until a server tells. */
  constructor(mono: () => number, offset: number) {
    this.#mono = mono
    this.#offset = { from: offset, to: offset, since: mono() }
  }

  /** Milliseconds since the Unix epoch, by the server. */
  now(): number {
    const mono = this.#mono()
    return mono + this.#offsetAt(mono)
  }

  /** What the server's time is ahead of the clock given to the constructor, as of the last answer. */
  get offset(): number {
    return this.#offset.to
  }

  /** Goes by this offset until answers come. */
  assume(offset: number): void {
    this.#offset = { from: offset, to: offset, since: this.#mono() }
  }

  /** What was told so far came from a lesser source: from now on it proves nothing. The time goes on as it was. */
  forget(): void {
    this.#known = undefined
    this.#doubted = undefined
  }

  /** Takes in an answer. One alone never moves the time by more than a second. */
  learn(told: Told): Learnt {
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
    // Of bounds that are far apart the middle is no better than any other point.
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

function boundsOf({ sent, received, server_ms, unit_ms }: Told): Bounds {
  return { low: server_ms - received, high: server_ms + unit_ms - Math.min(sent, received), at: received }
}

/** What is left of bounds at a later moment: the clocks may have drifted apart since. */
function loosened(bounds: Bounds, at: number): Bounds {
  return widened(bounds, Math.min(LOOSEN_MAX_MS, Math.max(0, at - bounds.at) * DRIFT))
}

function widened({ low, high, at }: Bounds, by_ms: number): Bounds {
  return { low: low - by_ms, high: high + by_ms, at }
}

/** As of the later one, `b`; undefined when they have nothing in common. */
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
