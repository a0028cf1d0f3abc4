// Reads the delta of a sync: what changed in the checks of one monitor.
import { readDelta, type SyncRow, tickIdleClock } from '@dogwatch/store/checks/sync'
import type { Deps } from '../deps.ts'
import { handOut, type PendingRun } from './asked-runs.ts'

export type { SyncRow } from '@dogwatch/store/checks/sync'

export interface SyncAnswer {
  rows: SyncRow[]
  /** Cursor for the next request. */
  server_time: string
  /** Time that agents set their clocks by. Undefined while this server doubts it. */
  now: string | undefined
  /** Requested runs. A monitor receives each of them only once. */
  runs: PendingRun[]
}

const EPOCH = '1970-01-01T00:00:00Z'

/**
 * Reads what changed for a monitor strictly after `since` (an earlier `server_time`, RFC 3339), the next cursor, and the time. A
 * caller that continues from that cursor never misses a change.
 */
export async function syncChecks(deps: Deps, monitor: { id: string }, since: string = EPOCH): Promise<SyncAnswer> {
  const { database, clock } = deps
  let delta = await readDelta(database, monitor.id, since)
  if (delta.is_late) {
    // Agents that do not know `now` set their clocks by the cursor, so it must also advance in an idle system.
    await tickIdleClock(database)
    delta = await readDelta(database, monitor.id, since)
  }
  const { rows, server_time, now, is_asked } = delta
  const runs = is_asked ? await handOut(deps, monitor) : []
  return { rows, server_time, now: clock.isTrusted() ? now : undefined, runs }
}
