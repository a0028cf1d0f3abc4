// Decides which monitors count for a check that must fail in several places: those that are active and online now.
import { gapMs, rulesOf } from './health.ts'
import type { Rules } from './places.ts'

/** The fields of a check from which its quorum follows. */
interface QuorumFields {
  threshold: number
  interval_sec: number
  /** Active monitors, at least one. They take turns, also while some of them are offline. */
  monitors: number
  down_places: number
  down_majority: boolean
  up_successes: number
  down_since: string | null
  /** Active monitors that are online, sorted. */
  online: readonly string[]
  /** The monitors that counted when it was last judged; null if it was not. */
  quorum: readonly string[] | null
  quorum_since: string | null
  quorum_turns: number | null
  /** When monitors last stopped counting, by id. */
  quorum_left: Readonly<Record<string, string>>
}

/** For so many gaps after a change, results from before it are read, and lie as far apart as the turns of that time. */
const GAPS_AFTER = 3

/** Whether the check must fail in several places, so that it matters who watches it. */
export function hasQuorum({
  down_places,
  down_majority,
}: Pick<QuorumFields, 'down_places' | 'down_majority'>): boolean {
  return down_majority || down_places > 0
}

/** Returns since when its present quorum counts; null if it never had another. A change that is not recorded happens now. */
export function quorumSince(check: QuorumFields, now: string): string | null {
  if (!hasQuorum(check)) return null
  // An open incident of which this is not recorded may be due to monitors that have left.
  if (check.quorum === null) return check.down_since === null ? null : now
  return isSameQuorum(check) ? check.quorum_since : now
}

/** Whether it was last judged by the monitors that count now. */
export function isSameQuorum({ quorum, online }: Pick<QuorumFields, 'quorum' | 'online'>): boolean {
  return quorum !== null && quorum.length === online.length && quorum.every((id, n) => id === online[n])
}

/** Returns how many monitors took turns before the quorum last changed. */
export function turnsBefore(check: QuorumFields): number | null {
  return isSameQuorum(check) ? check.quorum_turns : Math.max(check.monitors, check.quorum?.length ?? 0)
}

/** Returns the rules by which a check is judged now. */
export function rulesNow(check: QuorumFields, now: Date): Rules {
  if (!hasQuorum(check)) return rulesOf(check)
  const monitors = Math.max(check.monitors, turnsBefore(check) ?? 0)
  const since = quorumSince(check, now.toISOString())
  const until_ms = Date.parse(since ?? '') + GAPS_AFTER * gapMs({ ...check, monitors })
  const turns = now.getTime() < until_ms ? monitors : check.monitors
  return rulesOf({ ...check, monitors: turns, counted: check.online.length })
}

/** Maximum number of monitors for which it is kept when they stopped counting. */
const LEFT_AT_MOST = 100

/** Returns when monitors last stopped counting, with those that do so now. */
export function leftBy(
  { quorum, online, quorum_left }: Pick<QuorumFields, 'quorum' | 'online' | 'quorum_left'>,
  now: string,
) {
  const gone = (quorum ?? []).filter((id) => !online.includes(id))
  const all = Object.entries({ ...quorum_left, ...Object.fromEntries(gone.map((id) => [id, now])) })
  return Object.fromEntries(all.toSorted(([, a], [, b]) => (a < b ? 1 : -1)).slice(0, LEFT_AT_MOST))
}

/** Returns the results that count. Those of a monitor that was away only count from when it had left. */
export function withinQuorum<One extends { monitor_id: string; at: string }>(
  check: Pick<QuorumFields, 'down_places' | 'down_majority' | 'online' | 'quorum_left'>,
  results: readonly One[],
): readonly One[] {
  if (!hasQuorum(check)) return results
  const online = new Set(check.online)
  return results.filter(({ monitor_id, at }) => online.has(monitor_id) && at >= (check.quorum_left[monitor_id] ?? ''))
}
