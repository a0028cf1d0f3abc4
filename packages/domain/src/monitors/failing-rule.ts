// Decides when many checks that fail from one monitor, and from nowhere else, say more about the monitor than about their
// targets. Pure.

import type { Sight } from '@dogwatch/store/checks/failing-monitors'
import { FEW_DOWN } from '@dogwatch/store/routing/marks'

/**
 * Minimum number of failing checks for an alert about the monitor. They must also be at least half of the checks that the monitor
 * runs.
 */
const GROUP_CHECKS = 12
const GROUP_SHARE = 2
/**
 * Divisor of a monitor's number of checks. If this part of them (an eighth) goes down within a minute, further alerts wait,
 * because the checks may become a group. Earlier alerts do not wait, so that an alert about a single check is not late.
 */
const SUSPICIOUS_SHARE = 8
/**
 * Maximum number of checks to count for a suspicion. An eighth of this is enough, so that an alert costs the same in a small
 * outage and in one of 50,000 checks.
 */
export const MOST_COUNTED = 2_000
/**
 * Maximum number of checks that one look at a monitor reads, so that it costs the same for 2,000 checks and for 50,000. Each look
 * reads another part. A part decides that a group begins, and all parts that it is over.
 */
export const LOOKED_AT = 2_000
/** Number of failing checks below which a group is over. The remaining ones then get their own alerts. */
const GROUP_ENDS = 6
/** Maximum time that an alert waits for a group to form, in milliseconds. */
export const SUSPECTED_MS = 60_000
/**
 * Time during which the alert about a monitor replaces the alert about a check that no other monitor sees up, in milliseconds.
 */
export const TOLD_BY_MONITOR_MS = 15 * 60_000

/** A check that fails from one monitor alone. */
export interface Alone {
  check_id: number
  /** Whether the monitor saw the check up a short while ago. */
  was_well: boolean
  /** Whether another monitor has a fresh result of the check, which is then a success. */
  isUpElsewhere: boolean
}

/** Returns the checks that fail from one monitor alone, by monitor. */
export function failingAlone(sights: readonly Sight[]): Map<string, Alone[]> {
  const alone = new Map<string, Alone[]>()
  for (const [check_id, own] of Map.groupBy(sights, (sight) => sight.check_id)) {
    const failing = own.filter(({ success }) => !success)
    const [only] = failing
    if (!only || failing.length > 1) continue
    const one = { check_id, was_well: only.was_well, isUpElsewhere: own.length > 1 }
    const others = alone.get(only.monitor_id)
    if (others) others.push(one)
    else alone.set(only.monitor_id, [one])
  }
  return alone
}

/**
 * Whether checks that went down within the last minute, from one monitor alone, may become a group. Both numbers are at most
 * `MOST_COUNTED`.
 */
export function isSuspicious(alone: number, checks: number): boolean {
  return checks >= GROUP_CHECKS && alone >= Math.max(FEW_DOWN, Math.ceil(checks / SUSPICIOUS_SHARE))
}

/** Whether people are notified about the monitor. Ignores checks that have failed from the monitor for long. */
export function isGroup(alone: readonly Alone[], ran: number): boolean {
  const news = alone.filter(({ was_well }) => was_well).length
  return news >= GROUP_CHECKS && news * GROUP_SHARE >= ran
}

export function isOver(alone: readonly Alone[]): boolean {
  return alone.length < GROUP_ENDS
}

/** Returns the reason why a group is over, judged by the monitor's current results. */
export function whyOver(
  sights: readonly Sight[],
  monitor_id: string,
  checks: number,
): 'recovered' | 'confirmed' | 'silent' {
  const own = sights.filter((sight) => sight.monitor_id === monitor_id)
  if (own.length * GROUP_SHARE < checks || checks === 0) return 'silent'
  const failing = new Set(own.flatMap(({ success, check_id }) => (success ? [] : [check_id])))
  const shared = new Set(
    sights.flatMap((sight) =>
      sight.monitor_id !== monitor_id && !sight.success && failing.has(sight.check_id) ? [sight.check_id] : [],
    ),
  )
  return shared.size >= GROUP_ENDS ? 'confirmed' : 'recovered'
}
