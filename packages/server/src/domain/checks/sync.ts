// The delta of checks for one monitor.
import { type Delta, readDelta, tickIdleClock } from '../../store/sync.ts'
import type { Deps } from '../deps.ts'

export type { SyncRow } from '../../store/sync.ts'

const EPOCH = '1970-01-01T00:00:00Z'

/**
 * What changed for a monitor strictly after `since` (a server_time of before, RFC 3339), and the time to ask from next.
 * No change is ever missed by a caller that goes on from there.
 */
export async function syncChecks(deps: Deps, monitor: { id: string }, since: string = EPOCH): Promise<Delta> {
  const delta = await readDelta(deps.database, monitor.id, since)
  if (!delta.is_late) return delta
  // Agents set their clocks by the answer, so an idle system must still tell the time.
  await tickIdleClock(deps.database)
  return readDelta(deps.database, monitor.id, since)
}
