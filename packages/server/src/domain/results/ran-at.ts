// When results ran, as far as a server can tell from when they arrived and from what their sender's clock shows.

/** What a request shows of its sender: what the sender says of itself, and when the request came. */
export interface RequestFacts {
  /** By the server's clock, before the body was read: a slow upload must not make a clock look wrong. */
  received_at: Date
  /** How much earlier it may have arrived, in milliseconds; left out: not at all. */
  held_ms?: number
  /** By the sender's clock. */
  sent_at?: string | undefined
  /** How many results still wait at the sender; undefined when it does not say. */
  remaining?: number | undefined
}

/** The clock of a sender, as far as the server knows it when a request arrives. */
export interface SenderClock {
  /** How far it is believed to be ahead, in milliseconds; 0 when it does not say. */
  offset_ms: number
  /** Whether the request shows a clock that can date results, believed or not. */
  canDate: boolean
  /** The last offset with which it could not; null when there was none. */
  far_ms: number | null
}

/** Below this, the difference is the network's and not a clock's. */
const NOISE_MS = 2000
/** From here on, people are shown that a monitor's clock is off. */
const SHOWN_MS = 5000
const AHEAD_MS = 600_000
const BEHIND_MS = 400 * 86_400_000
/**
 * Largest difference between two measurements of a clock that cannot date results. The offset that was recorded holds
 * within it, so that a batch that is sent again is stored at the same times.
 */
const STEADY_MS = 30_000
/** A run may take a minute until it times out, and its upload another. Older results were held back. */
const LATE_MS = 120_000

/** A success of a minute ago may show that an incident ended before that was noticed. */
const DELAYED_MS = 45_000

/**
 * Whether some results of a batch were on their way longer than uploads take. `times`: when they ran, by the server's
 * clock.
 */
export function isDelayed(times: readonly number[], { received_at }: RequestFacts): boolean {
  const delayed = received_at.getTime() - DELAYED_MS
  return times.some((at) => at < delayed)
}

/**
 * How far the sender's clock is ahead of the server's, in milliseconds; negative: behind; undefined when it does not
 * say. A request that may have waited for this process, or for the network, shows a clock further behind than it is:
 * then the last known offset (`before`) counts, as far as it agrees with what the request shows.
 */
export function clockOffset(
  { sent_at, received_at, held_ms = 0 }: RequestFacts,
  before: number | null = null,
): number | undefined {
  if (sent_at === undefined) return undefined
  const least = Date.parse(sent_at) - received_at.getTime()
  const offset = Math.min(Math.max(before ?? 0, least), least + held_ms)
  return Math.abs(offset) < NOISE_MS ? 0 : offset
}

/**
 * Tests whether a request shows the sender's clock further behind than was known, and neither a wait of ours nor the age
 * that a request can have explains that.
 */
export function isFurtherBehind({ sent_at, received_at, held_ms = 0 }: RequestFacts, before: number | null): boolean {
  if (sent_at === undefined || before === null) return false
  const behind = before - NOISE_MS - (Date.parse(sent_at) - received_at.getTime() + held_ms)
  return behind > 0 && behind <= BEHIND_MS
}

/** Whether people are shown that a clock is off. */
export function isClockOff(offset_ms: number | null): offset_ms is number {
  return offset_ms !== null && Math.abs(offset_ms) >= SHOWN_MS
}

/** Tests whether a clock is so far off that the times of its fresh results are not plausible. */
export function cannotDate(offset_ms: number): boolean {
  return offset_ms > AHEAD_MS || offset_ms < -BEHIND_MS
}

/** Tests whether two measurements show the same clock, of those that cannot date results. */
export function isSteady(offset_ms: number, far_ms: number | null): far_ms is number {
  return far_ms !== null && cannotDate(offset_ms) && Math.abs(offset_ms - far_ms) <= STEADY_MS
}

/**
 * Returns by how many milliseconds to move a result's time before it is stored, or undefined if it cannot have run at
 * any plausible time. Only times that a clock showed while it could not date are moved, by its offset then: a clock that
 * was set right has sent none of its waiting results yet.
 */
export function shiftOf(told_ms: number, { canDate, far_ms }: SenderClock, facts: RequestFacts): number | undefined {
  const isPlausibleAsTold = isPlausible(told_ms, facts)
  if (isPlausibleAsTold && canDate) return 0
  if (far_ms !== null && isPlausible(told_ms - far_ms, facts)) return -far_ms
  return isPlausibleAsTold ? 0 : undefined
}

/** Whether a result can have run at that time. Times that no maintained clock shows are dropped. */
export function isPlausible(told_ms: number, { received_at }: RequestFacts): boolean {
  const age = received_at.getTime() - told_ms
  return age <= BEHIND_MS && age >= -AHEAD_MS
}

/**
 * When a run began by the server's clock, in milliseconds: its own time, corrected by the offset of the sender's clock,
 * and no later than it was received. A difference that the network may have caused does not count: then its own time is
 * used unchanged.
 */
export function ranAt(told_ms: number, offset_ms: number, { received_at }: RequestFacts): number {
  const effective = Math.min(told_ms - offset_ms, received_at.getTime())
  return Math.abs(effective - told_ms) < NOISE_MS ? told_ms : effective
}

/**
 * Whether the sender uploads results that it held back, with more to come. If it does not say how many still wait, it
 * counts as done when the newest result of a batch is fresh. `times`: when they ran, by the server's clock.
 */
export function isCatchingUp(times: readonly number[], { remaining, received_at }: RequestFacts): boolean {
  if (times.length === 0 || remaining === 0) return false
  const late = received_at.getTime() - LATE_MS
  return remaining === undefined ? times.every((at) => at < late) : times.some((at) => at < late)
}
