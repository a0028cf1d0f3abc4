// Decides how long an organisation's data is kept: as long as its plan promises, one day more, and a week's grace if it promises
// less than before.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { planOf } from '../organisations/plans.ts'

const DAY_MS = 86_400_000
/** Days to keep data beyond the promise, because clocks differ, and people count days in other time zones than we do. */
const MARGIN_DAYS = 1
/** Time before a shorter promise applies, because a plan can be changed by mistake, and deleted rows do not come back. */
const GRACE_MS = 7 * DAY_MS

/** Retention that applies to an organisation now. */
export interface RetentionTerms {
  /** Number of days to keep data. Null before the first pass. */
  days: number | null
  /** Time since which the organisation's plan promises less than `days`. Null if it does not. */
  shorter_since: string | null
}

/** Returns the time of the oldest data to keep. It is the beginning of a day in UTC, so that hours and days are kept whole. */
export function edgeOf(days: number, now: Date): string {
  const today = Math.floor(now.getTime() / DAY_MS)
  return fromDate(new Date((today - days - MARGIN_DAYS) * DAY_MS))
}

/** Returns the time at which the next day begins. */
export function nextDay(now: Date): string {
  return fromDate(new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS))
}

/** Returns what applies from now on: a longer promise at once, a shorter one after the grace time. */
export function apply(
  { days, shorter_since }: RetentionTerms,
  promised: number,
  now: Date,
): RetentionTerms & { days: number } {
  if (days === null || promised >= days) return { days: promised, shorter_since: null }
  if (shorter_since === null) return { days, shorter_since: fromDate(now) }
  return now.getTime() - Date.parse(shorter_since) < GRACE_MS
    ? { days, shorter_since }
    : { days: promised, shorter_since: null }
}

/** Returns the longest retention of any of the organisations, in days. */
export function longestOf(orgs: readonly (RetentionTerms & Parameters<typeof planOf>[0])[], now: Date): number {
  return orgs.reduce((most, org) => Math.max(most, apply(org, planOf(org).retention_days, now).days), 0)
}

/** Maximum share of an organisation's history that a pass may delete beyond an ordinary day's, unless an operator allows more. */
export const MOST_UNEXPECTED = 0.1

/**
 * Returns how far an ordinary day deletes: one day further than the last. Returns null if there was none, so that nothing is
 * expected.
 */
export function ordinaryEdge(last: string | null, wanted: string): string | null {
  if (last === null) return null
  const next = fromDate(new Date(Date.parse(last) + DAY_MS))
  return wanted < next ? wanted : next
}

export interface Passage {
  edge: string
  /** Share of the organisation's results whose deletion waits for an operator. Null if none does. */
  held_share: number | null
}

/**
 * Decides how far to delete in this pass: up to the wanted edge if that is little more than an ordinary day, or confirmed,
 * otherwise one ordinary day. `share`: the part of the runs in between. `oldest`: the first day of the history.
 */
export function edgeToApply(
  last: string | null,
  wanted: string,
  { isConfirmed, share, oldest }: { isConfirmed: boolean; share: number; oldest: string },
): Passage {
  if (isConfirmed || share <= MOST_UNEXPECTED) return { edge: wanted, held_share: null }
  // An ordinary day deletes what it brings, however much that is: with a week of retention, a seventh. The rest waits for an
  // operator, whatever the reason: a clock that is wrong, a plan that promises less, a first pass, workers that were off for
  // days.
  return { edge: ordinaryEdge(last, wanted) ?? oldest, held_share: share }
}
