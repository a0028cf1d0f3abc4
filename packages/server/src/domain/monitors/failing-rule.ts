// When many checks that fail from one monitor, and from nowhere else, say more about the monitor than about what they watch. Pure.
import { FEW_DOWN } from '../../store/routing/marks.ts'
import type { Sight } from '../../store/checks/failing-monitors.ts'

/** So many checks at once, and at least half of what the monitor runs, are told in one message about the monitor. */
const GROUP_CHECKS = 12
const GROUP_SHARE = 2
/**
 * An alert waits when so many checks, and at least an eighth of what the monitor runs, have gone down there within a minute: it may become a
 * group. Those before were told at once, because nobody waits for a minute to hear of a single check.
 */
const SUSPICIOUS_SHARE = 8
/**
 * However many checks an organisation has, no more are counted for that: an eighth of these is enough. So one alert costs the same in a
 * small trouble and in one of 50,000 checks.
 */
export const MOST_COUNTED = 2_000
/**
 * Of a monitor that runs more checks, each look reads a part of them, another one every time: what is true of a part counts as true of the
 * whole, but that it is over is true only when it is of each. So one look costs the same for 2,000 checks and for 50,000, and the checks of each part wait no longer than a turn of all parts.
 */
export const LOOKED_AT = 2_000
/** With fewer than these it is over: those that are left are told one by one. */
const GROUP_ENDS = 6
/** So long an alert waits until there is a group, or none. */
export const SUSPECTED_MS = 60_000
/** So long a check that no other monitor sees well is told by the message about its monitor alone. */
export const TOLD_BY_MONITOR_MS = 15 * 60_000

/** A check that fails from one monitor alone. */
export interface Alone {
  check_id: number
  /** The monitor saw it well a short while ago. */
  was_well: boolean
  /** Another monitor has a fresh result, and it is a success. */
  isUpElsewhere: boolean
}

/** For each monitor the checks that it alone sees failing. */
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

/** Whether checks that went down within the last minute, from one monitor alone, may become a group. Of both `MOST_COUNTED` at most. */
export function isSuspicious(alone: number, checks: number): boolean {
  return checks >= GROUP_CHECKS && alone >= Math.max(FEW_DOWN, Math.ceil(checks / SUSPICIOUS_SHARE))
}

/** Whether people are told of the monitor. What has failed there for long is no news, and does not count. */
export function isGroup(alone: readonly Alone[], ran: number): boolean {
  const news = alone.filter(({ was_well }) => was_well).length
  return news >= GROUP_CHECKS && news * GROUP_SHARE >= ran
}

export function isOver(alone: readonly Alone[]): boolean {
  return alone.length < GROUP_ENDS
}

/** Why it is over, by what the monitor sees now. */
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
