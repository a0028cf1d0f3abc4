// How long an org's data is kept: what its plan promises, one day more, and a week's grace when it promises less than
// before.
import { fromDate } from '../../runtime/timestamps.ts'
import { planOf } from '../organisations/plans.ts'

const DAY_MS = 86_400_000
/** Clocks differ, and people count days in other time zones than we do. */
const MARGIN_DAYS = 1
/** A plan may be changed by mistake, and deleted rows do not come back. */
const GRACE_MS = 7 * DAY_MS

/** What applies to an org now. */
export interface Applied {
  /** Null before the first time. */
  days: number | null
  /** Since when its plan promises less than that. */
  shorter_since: string | null
}

/** Anything older is not kept. It is the beginning of a day in UTC, so that hours and days are kept whole. */
export function edgeOf(days: number, now: Date): string {
  const today = Math.floor(now.getTime() / DAY_MS)
  return fromDate(new Date((today - days - MARGIN_DAYS) * DAY_MS))
}

/** When the next day begins. */
export function nextDay(now: Date): string {
  return fromDate(new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS))
}

/** What applies from now on: a longer promise at once, a shorter one after the grace time. */
export function apply({ days, shorter_since }: Applied, promised: number, now: Date): Applied & { days: number } {
  if (days === null || promised >= days) return { days: promised, shorter_since: null }
  if (shorter_since === null) return { days, shorter_since: fromDate(now) }
  return now.getTime() - Date.parse(shorter_since) < GRACE_MS
    ? { days, shorter_since }
    : { days: promised, shorter_since: null }
}

/** The most days that any of the orgs keeps. */
export function longestOf(orgs: readonly (Applied & Parameters<typeof planOf>[0])[], now: Date): number {
  return orgs.reduce((most, org) => Math.max(most, apply(org, planOf(org).retention_days, now).days), 0)
}

/**
 * A larger share of an organisation's history than this is not deleted beyond an ordinary day's, unless an operator
 * allows it.
 */
export const MOST_UNEXPECTED = 0.1

/**
 * How far an ordinary day deletes: one day further than the last; null when there was none, so that nothing is
 * expected.
 */
export function ordinaryEdge(last: string | null, wanted: string): string | null {
  if (last === null) return null
  const next = fromDate(new Date(Date.parse(last) + DAY_MS))
  return wanted < next ? wanted : next
}

export interface Passage {
  edge: string
  /** The share of the organisation's results that waits for an operator; null: none. */
  held_share: number | null
}

/**
 * How far to delete in this pass. An edge that is a day further than the last is what every day brings, however much that is:
 * with a week of retention, a seventh. What lies beyond goes as well if it is little. If it is not, it waits for an operator,
 * whatever the reason: a clock that is wrong, a plan that promises less, a first pass, workers that were off for days. Ordinary days
 * go on meanwhile. `share`: which part of the runs lies between the ordinary edge and the wanted one; `oldest`: the first day of
 * the history.
 */
export function edgeToApply(
  last: string | null,
  wanted: string,
  { isConfirmed, share, oldest }: { isConfirmed: boolean; share: number; oldest: string },
): Passage {
  if (isConfirmed || share <= MOST_UNEXPECTED) return { edge: wanted, held_share: null }
  return { edge: ordinaryEdge(last, wanted) ?? oldest, held_share: share }
}
