// Decides which monitors count for a check that must fail in several places: those that are active and online now.
import type { CheckCase } from '@dogwatch/store/checks/check-health'
import { gapMs, placesOf, type Rules, rulesOf } from './places.ts'

/** Fields of a check that determine its quorum. */
export type QuorumFields = Pick<
  CheckCase,
  | ('threshold' | 'interval_sec' | 'monitors' | 'down_places' | 'down_majority' | 'up_successes' | 'down_since')
  | ('online' | 'quorum' | 'quorum_since' | 'quorum_turns' | 'quorum_left')
>

/**
 * Number of gaps after a change of the quorum during which earlier results are still read. These lie as far apart as the turns of
 * that time.
 */
const GAPS_AFTER = 3

/** Whether the check must fail in several places, so that it matters which monitors watch it. */
export function hasQuorum(check: Pick<QuorumFields, 'down_places' | 'down_majority'>): boolean {
  return placesOf(check) !== undefined
}

/**
 * Returns since when the check's current quorum counts, or null if it never had another. A change that is not recorded happens
 * now.
 */
export function quorumSince(check: QuorumFields, now: string): string | null {
  if (!hasQuorum(check)) return null
  // An open incident without a recorded quorum may be due to monitors that have left.
  if (check.quorum === null) return check.down_since === null ? null : now
  return isSameQuorum(check) ? check.quorum_since : now
}

/** Whether the monitors that count now are those of the last judgement. */
export function isSameQuorum({ quorum, online }: Pick<QuorumFields, 'quorum' | 'online'>): boolean {
  return quorum !== null && quorum.length === online.length && quorum.every((id, n) => id === online[n])
}

/** Returns how many monitors took turns before the quorum last changed. */
export function turnsBefore(check: QuorumFields): number | null {
  return isSameQuorum(check) ? check.quorum_turns : Math.max(check.monitors, check.quorum?.length ?? 0)
}

/** Returns the rules that judge a check now. */
export function rulesNow(check: QuorumFields, now: Date): Rules {
  if (!hasQuorum(check)) return rulesOf(check)
  const monitors = Math.max(check.monitors, turnsBefore(check) ?? 0)
  const since = quorumSince(check, now.toISOString())
  const until_ms = Date.parse(since ?? '') + GAPS_AFTER * gapMs({ ...check, monitors })
  const turns = now.getTime() < until_ms ? monitors : check.monitors
  return rulesOf({ ...check, monitors: turns, counted: check.online.length })
}

/** Maximum number of monitors in `quorum_left`. */
const LEFT_AT_MOST = 100

/** Returns when monitors last stopped counting, including those that stop now. */
export function leftBy(
  { quorum, online, quorum_left }: Pick<QuorumFields, 'quorum' | 'online' | 'quorum_left'>,
  now: string,
) {
  const gone = (quorum ?? []).filter((id) => !online.includes(id))
  const all = Object.entries({ ...quorum_left, ...Object.fromEntries(gone.map((id) => [id, now])) })
  return Object.fromEntries(all.toSorted(([, a], [, b]) => (a < b ? 1 : -1)).slice(0, LEFT_AT_MOST))
}

/** Returns the results that count: those of online monitors, but none from before a monitor last stopped counting. */
export function withinQuorum<One extends { monitor_id: string; at: string }>(
  check: Pick<QuorumFields, 'down_places' | 'down_majority' | 'online' | 'quorum_left'>,
  results: readonly One[],
): readonly One[] {
  if (!hasQuorum(check)) return results
  const online = new Set(check.online)
  return results.filter(({ monitor_id, at }) => online.has(monitor_id) && at >= (check.quorum_left[monitor_id] ?? ''))
}
