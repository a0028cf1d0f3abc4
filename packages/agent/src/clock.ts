// The server's time, carried by what its answers tell. All monitors of a check count slots by it, whatever their own clocks say.

/** A pair of a request and what its answer said the time was. */
export interface Sample {
  /** Milliseconds of a clock that only goes forth. */
  sent: number
  received: number
  server_ms: number
}

interface Estimate {
  offset: number
  rtt: number
}

const SAMPLES_MAX = 8
/** Farther off than this (and than the round trip), the time is set and not eased. */
const STEP_MS = 1000
/** So much of each elapsed millisecond is corrected: slots neither repeat nor vanish. */
const SLEW_RATE = 0.05
/** Round trips beyond twice the shortest and this say little about the offset. */
const RTT_SLACK_MS = 20

export class ServerClock {
  readonly #mono: () => number
  #samples: Estimate[] = []
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

  /** Goes by this offset until an answer comes, against which it counts for nothing. */
  assume(offset: number): void {
    this.#offset = { from: offset, to: offset, since: this.#mono() }
  }

  /** Takes in an answer. Returns by how many milliseconds the time was set, 0 when it is eased. */
  learn({ sent, received, server_ms }: Sample): number {
    const rtt = Math.max(0, received - sent)
    const told = { offset: server_ms - (sent + received) / 2, rtt }
    // After a suspend or a step of the server's own clock, what was learnt before is worth nothing.
    if (Math.abs(told.offset - this.#offset.to) > Math.max(2 * STEP_MS, rtt)) this.#samples = []
    this.#samples = [...this.#samples.slice(1 - SAMPLES_MAX), told]
    const mono = this.#mono()
    const from = this.#offsetAt(mono)
    const to = bestOf(this.#samples)
    const isStep = Math.abs(to - from) > Math.max(STEP_MS, rtt)
    this.#offset = { from: isStep ? to : from, to, since: mono }
    return isStep ? to - from : 0
  }

  #offsetAt(mono: number): number {
    const { from, to, since } = this.#offset
    const reach = (mono - since) * SLEW_RATE
    return Math.abs(to - from) <= reach ? to : from + Math.sign(to - from) * reach
  }
}

/**
 * The offset that the short round trips speak for. An idle server's `server_time` may be up to a second old and is never
 * ahead, so among them the one that tells the latest time is the closest.
 */
function bestOf(samples: readonly Estimate[]): number {
  const shortest = Math.min(...samples.map(({ rtt }) => rtt))
  const short = samples.filter(({ rtt }) => rtt <= 2 * shortest + RTT_SLACK_MS)
  return Math.max(...short.map(({ offset }) => offset))
}
