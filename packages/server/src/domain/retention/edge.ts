// How long an org's data is kept: what its plan promises, a day more, and a week's grace when it promises less than before.
import { fromDate } from '../../runtime/timestamps.ts'
import { planOf } from '../organisations/plans.ts'

const DAY_MS = 86_400_000
/** Clocks differ, and people count days in other zones than we do. */
const MARGIN_DAYS = 1
/** A plan may be changed by mistake, and what is deleted does not come back. */
const GRACE_MS = 7 * DAY_MS

/** What is applied to an org now. */
export interface Applied {
  /** Null before the first time. */
  days: number | null
  /** Since when its plan promises less than that. */
  shorter_since: string | null
}

/** What is older than this is not kept: the beginning of a day in UTC, so that hours and days are kept whole. */
export function edgeOf(days: number, now: Date): string {
  const today = Math.floor(now.getTime() / DAY_MS)
  return fromDate(new Date((today - days - MARGIN_DAYS) * DAY_MS))
}

/** When the next day begins. */
export function nextDay(now: Date): string {
  return fromDate(new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS))
}

/** What is to be applied from now on: a longer promise at once, a shorter one after the grace. */
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

/** More of an org's history than this does not go at once, unless its promise or an operator says so. */
export const MOST_AT_ONCE = 0.1

/**
 * How far to delete in this pass. `last`: the edge of the pass before; null: there was none. An edge that is more than a day
 * further waits: what lies between goes at once if it is little, else a day of it in each pass. `isKnown`: the plan promises
 * less than before, or an operator confirmed it.
 */
export function edgeToApply(
  last: string | null,
  wanted: string,
  { isKnown, share }: { isKnown: boolean; share: number },
): string {
  if (last === null || isKnown || share <= MOST_AT_ONCE) return wanted
  const next = fromDate(new Date(Date.parse(last) + DAY_MS))
  return wanted < next ? wanted : next
}
