// Decides the state of a check, as people see it.
import type { EndReason } from '@dogwatch/store/checks/incidents'

/**
 * State of a check. `unmonitored`: no monitor has it, or no result arrives. `unknown`: there is no result to judge by.
 * `degraded`: up, but slow, or its certificate expires soon.
 */
export type CheckState = 'down' | 'unmonitored' | 'degraded' | 'unknown' | 'up' | 'paused'

/**
 * State as the console shows it. `failing`: up so far, but the newest result, or the last two of some monitor, are failures that
 * do not count as down yet.
 */
export type ShownState = CheckState | 'failing'

export interface ShownSince {
  state: ShownState
  since: string | null
}

/** Returns the state that the console shows. `isFailing`: whether the newest result failed, or the last two of some monitor. */
export function shownStateOf(found: StateSince, isFailing: boolean): ShownSince {
  return isFailing && found.state === 'up' ? { state: 'failing', since: null } : found
}

export interface StateFacts {
  enabled: boolean
  /** Number of active monitors of the check. */
  monitors: number
  /** Start of the check's open incident. */
  down_since: string | null
  /** End of the check's last closed incident. */
  ended_at: string | null
  end_reason: EndReason | null
  unmonitored_since: string | null
  /** Start of the check's oldest open degradation. */
  degraded_since: string | null
  /** Time of the check's newest result, by the server's clock as in verdicts. */
  seen_at: string | null
}

export interface StateSince {
  state: CheckState
  /** Time since which the check has its state. Null if that is unknown, and for a check that was never down. */
  since: string | null
}

export function stateOf(check: StateFacts): StateSince {
  if (!check.enabled) return { state: 'paused', since: null }
  if (check.down_since !== null) return { state: 'down', since: check.down_since }
  if (check.unmonitored_since !== null) return { state: 'unmonitored', since: check.unmonitored_since }
  if (check.monitors === 0) return { state: 'unmonitored', since: check.seen_at }
  if (check.seen_at === null || isStale(check.seen_at, check)) return { state: 'unknown', since: null }
  if (check.degraded_since !== null) return { state: 'degraded', since: check.degraded_since }
  return { state: 'up', since: check.ended_at }
}

/** Whether a check has no result since a pause ended its incident, so that it does not count as up. */
function isStale(seen_at: string, { ended_at, end_reason }: StateFacts): boolean {
  return ended_at !== null && end_reason !== 'recovered' && end_reason !== 'threshold' && seen_at <= ended_at
}
