// When results ran, as far as a server can know that from when they came and from what their sender's clock shows.
/** What a sender says of itself and its upload, and when the request came. */
export interface Sending {
  /** By the server's clock, before the body was read: a slow upload makes no clock wrong. */
  received_at: Date
  /** How much earlier it may have come, in milliseconds; left out: not at all. */
  held_ms?: number
  /** By the sender's clock. */
  sent_at?: string | undefined
  /** How many results still wait at the sender; undefined: it does not say. */
  remaining?: number | undefined
}

/** Below that it is the network and not a clock. */
const NOISE_MS = 2000
/** From there on people are shown that a monitor's clock is off. */
const SHOWN_MS = 5000
const AHEAD_MS = 600_000
const BEHIND_MS = 400 * 86_400_000
/** A run may take a minute until it times out, and its upload another. What is older was kept back. */
const LATE_MS = 120_000

/** A success of a minute ago may show that an incident ended before it was seen to end. */
const DELAYED_MS = 45_000

/** Whether some of a batch was on its way for longer than uploads take. `times`: when they ran, by the server's clock. */
export function isDelayed(times: readonly number[], { received_at }: Sending): boolean {
  const delayed = received_at.getTime() - DELAYED_MS
  return times.some((at) => at < delayed)
}

/**
 * How far the sender's clock is ahead of the server's, in milliseconds; negative: behind; undefined: it does not say. A request
 * that may have waited for this process, or for the network, shows a clock further behind than it is: then `before` counts, how far it
 * was off when it was last known, as far as that agrees with what the request shows.
 */
export function clockOffset(
  { sent_at, received_at, held_ms = 0 }: Sending,
  before: number | null = null,
): number | undefined {
  if (sent_at === undefined) return undefined
  const least = Date.parse(sent_at) - received_at.getTime()
  const offset = Math.min(Math.max(before ?? 0, least), least + held_ms)
  return Math.abs(offset) < NOISE_MS ? 0 : offset
}

/** Whether a request shows the sender's clock further behind than it was known to be, and no wait of ours explains that. */
export function isFurtherBehind({ sent_at, received_at, held_ms = 0 }: Sending, before: number | null): boolean {
  if (sent_at === undefined || before === null) return false
  return Date.parse(sent_at) - received_at.getTime() + held_ms < before - NOISE_MS
}

/** Whether people are to be shown that a clock is off. */
export function isClockOff(offset_ms: number | null): offset_ms is number {
  return offset_ms !== null && Math.abs(offset_ms) >= SHOWN_MS
}

/** Whether a result may have run when it says. What no clock that anybody looks after shows is dropped. */
export function isPlausible(told_ms: number, { received_at }: Sending): boolean {
  const age = received_at.getTime() - told_ms
  return age <= BEHIND_MS && age >= -AHEAD_MS
}

/**
 * When a run began by the server's clock, in milliseconds: when it says, corrected by how far the sender's clock is off, and
 * no later than it was received. A difference that the network may have made is none: then it is exactly when it says.
 */
export function ranAt(told_ms: number, offset_ms: number, { received_at }: Sending): number {
  const effective = Math.min(told_ms - offset_ms, received_at.getTime())
  return Math.abs(effective - told_ms) < NOISE_MS ? told_ms : effective
}

/**
 * Whether the sender uploads what it kept back, with more of it to come. One that does not say how much still waits is taken
 * to be through with it when the newest of a batch is fresh. `times`: when they ran, by the server's clock.
 */
export function isCatchingUp(times: readonly number[], { remaining, received_at }: Sending): boolean {
  if (times.length === 0 || remaining === 0) return false
  const late = received_at.getTime() - LATE_MS
  return remaining === undefined ? times.every((at) => at < late) : times.some((at) => at < late)
}
