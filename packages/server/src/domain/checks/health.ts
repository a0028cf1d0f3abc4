// Whether a check is down: a function of its results as they are stored, whatever the order they arrived in.
import { fromDate } from '../../runtime/timestamps.ts'

export interface Finding {
  /** Six digits, UTC: the order of the text is the order of time. */
  ran_at: string
  monitor_id: string
  success: boolean
}

/** What is held of a check now. */
export interface Health {
  /** When the first failure of the open incident ran; null while the check is not down. */
  down_since: string | null
}

export type HealthChange =
  | { kind: 'none' }
  | { kind: 'down'; since: string; failures: number }
  /** `threshold`: no success came, but more failures are needed now than there are. */
  | { kind: 'up'; ended_at: string; reason: 'recovered' | 'threshold' }

export interface Judgement {
  health: Health
  change: HealthChange
  /** Older findings could move the instants and counts of the change, never its kind. */
  wantsOlder: boolean
}

/** A result further ahead of the clock is not looked at before its time. */
export const AHEAD_MS = 600_000

/**
 * Judges a check by its findings, newest first in the order of (ran_at, monitor_id): it is down exactly when `threshold`
 * or more failures follow its latest success. At least the `threshold` newest must be given, or all there are.
 */
export function judge(health: Health, findings: readonly Finding[], threshold: number, now: Date): Judgement {
  const horizon = horizonOf(now)
  const seen = findings.filter(({ ran_at }) => ran_at <= horizon)
  // Results may be gone when their time is over. Nothing is known then, and nothing changes.
  if (seen.length === 0) return { health, change: { kind: 'none' }, wantsOlder: false }
  const latestSuccess = seen.findIndex(({ success }) => success)
  const failures = latestSuccess === -1 ? seen.length : latestSuccess
  const isDown = failures >= Math.max(threshold, 1)
  if (isDown === (health.down_since !== null) || (latestSuccess === -1 && hasLost(health, seen))) {
    return { health, change: { kind: 'none' }, wantsOlder: false }
  }
  if (isDown) {
    const since = seen[failures - 1]?.ran_at ?? horizon
    return {
      health: { down_since: since },
      change: { kind: 'down', since, failures },
      wantsOlder: latestSuccess === -1,
    }
  }
  return { health: { down_since: null }, ...endOf(seen, latestSuccess, now) }
}

/** Whether the failures that the open incident began with are gone, since their time is over: what is left counts for less. */
function hasLost({ down_since }: Health, seen: readonly Finding[]): boolean {
  const oldest = seen.at(-1)
  return down_since !== null && oldest !== undefined && oldest.ran_at > down_since
}

/** Results up to then count. */
export function horizonOf(now: Date): string {
  return fromDate(new Date(now.getTime() + AHEAD_MS))
}

/** It ended with the first of the latest successes. */
function endOf(seen: readonly Finding[], latestSuccess: number, now: Date): Pick<Judgement, 'change' | 'wantsOlder'> {
  if (latestSuccess === -1) {
    return { change: { kind: 'up', ended_at: fromDate(now), reason: 'threshold' }, wantsOlder: true }
  }
  const before = seen.findIndex(({ success }, index) => index > latestSuccess && !success)
  const first = seen[(before === -1 ? seen.length : before) - 1]
  return {
    change: { kind: 'up', ended_at: first?.ran_at ?? horizonOf(now), reason: 'recovered' },
    wantsOlder: before === -1,
  }
}
