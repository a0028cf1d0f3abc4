// Decides the state of a check, as people see it.
import type { OverviewRow } from '@dogwatch/store/checks/check-overview'
import type { NewestRun } from '@dogwatch/store/results/newest-of-checks'

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

/** Fields of a check that determine its state. */
export interface StateFacts
  extends Pick<
    OverviewRow,
    'enabled' | 'monitors' | 'down_since' | 'ended_at' | 'end_reason' | 'unmonitored_since' | 'degraded_since'
  > {
  /** Time of the newest information about the check, by the server's clock as in verdicts. */
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

/** Returns the state of a check by its newest result, or by its last judgement if the server judges it. */
export function stateWithResult(
  row: Omit<StateFacts, 'seen_at'> &
    Pick<OverviewRow, 'judged_by_server' | 'judged_at'> & { latest: Pick<NewestRun, 'at'> | undefined },
): StateSince {
  return stateOf({ ...row, seen_at: row.judged_by_server ? row.judged_at : (row.latest?.at ?? null) })
}

/**
 * Returns the state of a check whose newest result was not read, because the check surely has one that counts. Omits the time
 * since which the check is up.
 */
export function stateWithoutResult(row: Omit<StateFacts, 'ended_at' | 'end_reason' | 'seen_at'>): StateSince {
  return stateOf({ ...row, ended_at: null, end_reason: null, seen_at: '' })
}

/** Whether a check has no result since a pause ended its incident, so that it does not count as up. */
function isStale(seen_at: string, { ended_at, end_reason }: StateFacts): boolean {
  return ended_at !== null && end_reason !== 'recovered' && end_reason !== 'threshold' && seen_at <= ended_at
}
