// Time, as everything outside this folder sees it.

/** Tells the time. Tests pass one that they move themselves. */
export interface Clock {
  now(): Date
  /** Milliseconds from some fixed point; never goes back. For durations, not for dates. */
  monotonicMs(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
}
