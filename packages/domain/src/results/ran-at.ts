// Estimates when results ran, from the time of their arrival and from what their sender's clock shows.

/** Facts about a request and its sender's clock. */
export interface RequestFacts {
  /** Time of arrival by the server's clock, before the body was read, because a slow upload must not make a clock look wrong. */
  received_at: Date
  /** Maximum time that the request may have waited before `received_at`, in milliseconds. Default: 0. */
  held_ms?: number
  /** Time of sending by the sender's clock. Absent if the sender does not report it. */
  sent_at?: string | undefined
  /** Number of results that still wait at the sender. Absent if the sender does not report it. */
  remaining?: number | undefined
}

/** Clock of a sender, as the server knows it when a request arrives. */
export interface SenderClock {
  /** Offset that the clock is believed to be ahead, in milliseconds. 0 if the sender does not report its time. */
  offset_ms: number
  /** Whether the request shows a clock that can date results, even if the server does not believe the offset yet. */
  canDate: boolean
  /** Last offset at which the clock could not date results, in milliseconds. Null if there was none. */
  far_ms: number | null
}

/** Difference below which the network is the reason and not a clock, in milliseconds. */
const NOISE_MS = 2000
/** Minimum offset at which people see that a monitor's clock is off, in milliseconds. */
const SHOWN_MS = 5000
const AHEAD_MS = 600_000
const BEHIND_MS = 400 * 86_400_000
/**
 * Maximum difference between two measurements of a clock that cannot date results. Within it, the recorded offset stays valid, so
 * that a batch gets the same times when it is sent again.
 */
const STEADY_MS = 30_000
/**
 * Maximum age of a result that the agent uploaded without delay, in milliseconds: one minute until a run times out, and one for
 * the upload.
 */
const LATE_MS = 120_000

/**
 * Minimum age of a delayed result, in milliseconds. A success of a minute ago can show that an incident ended before anyone
 * noticed it.
 */
const DELAYED_MS = 45_000

/**
 * Whether some results of a batch were on their way longer than uploads take. `times`: times of the runs, by the server's clock.
 */
export function isDelayed(times: readonly number[], { received_at }: RequestFacts): boolean {
  const delayed = received_at.getTime() - DELAYED_MS
  return times.some((at) => at < delayed)
}

/**
 * Returns how far the sender's clock is ahead, in milliseconds, or undefined if unknown. A request that may have waited shows a
 * clock too far behind, so the last known offset (`before`) counts if it agrees with the request.
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
 * Whether a request shows the sender's clock further behind than known, and neither a wait of ours nor the possible age of a
 * request explains that.
 */
export function isFurtherBehind({ sent_at, received_at, held_ms = 0 }: RequestFacts, before: number | null): boolean {
  if (sent_at === undefined || before === null) return false
  const behind = before - NOISE_MS - (Date.parse(sent_at) - received_at.getTime() + held_ms)
  return behind > 0 && behind <= BEHIND_MS
}

/** Whether a clock is off by so much that people see it. */
export function isClockOff(offset_ms: number | null): offset_ms is number {
  return offset_ms !== null && Math.abs(offset_ms) >= SHOWN_MS
}

/** Whether a clock is so far off that the times of its fresh results are not plausible. */
export function cannotDate(offset_ms: number): boolean {
  return offset_ms > AHEAD_MS || offset_ms < -BEHIND_MS
}

/** Whether two measurements show the same clock, if it cannot date results. */
export function isSteady(offset_ms: number, far_ms: number | null): far_ms is number {
  return far_ms !== null && cannotDate(offset_ms) && Math.abs(offset_ms - far_ms) <= STEADY_MS
}

/**
 * Returns how many milliseconds to move a result's time, or undefined if no plausible time exists. Moves only times from a clock
 * that could not date, by its offset then, because its results can still wait after the clock was corrected.
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
 * Returns when a run began by the server's clock, in milliseconds: its own time, corrected by the clock's offset, and no later
 * than its receipt. Keeps its own time if the network can explain the difference.
 */
export function ranAt(told_ms: number, offset_ms: number, { received_at }: RequestFacts): number {
  const effective = Math.min(told_ms - offset_ms, received_at.getTime())
  return Math.abs(effective - told_ms) < NOISE_MS ? told_ms : effective
}

/**
 * Whether the sender uploads results that it could not send earlier, with more to come. If it does not report how many still
 * wait, it has caught up when the newest result of a batch is fresh. `times`: times of the runs, by the server's clock.
 */
export function isCatchingUp(times: readonly number[], { remaining, received_at }: RequestFacts): boolean {
  if (times.length === 0 || remaining === 0) return false
  const late = received_at.getTime() - LATE_MS
  return remaining === undefined ? times.every((at) => at < late) : times.some((at) => at < late)
}
