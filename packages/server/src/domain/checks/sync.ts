// The delta of checks for one monitor.
import { readDelta, type SyncRow, tickIdleClock } from '../../store/checks/sync.ts'
import type { Deps } from '../deps.ts'

export type { SyncRow } from '../../store/checks/sync.ts'

export interface Answer {
  rows: SyncRow[]
  /** The cursor to ask from next. */
  server_time: string
  /** The time agents set their clocks by; undefined while this server doubts it. */
  now: string | undefined
}

const EPOCH = '1970-01-01T00:00:00Z'

/**
 * What changed for a monitor strictly after `since` (a server_time of before, RFC 3339), the cursor to ask from next,
 * and the time. No change is ever missed by a caller that goes on from that cursor.
 */
export async function syncChecks(deps: Deps, monitor: { id: string }, since: string = EPOCH): Promise<Answer> {
  const { rows, server_time, now } = await readFresh(deps, monitor, since)
  return { rows, server_time, now: isTimeTrusted(deps) ? now : undefined }
}

async function readFresh({ database }: Deps, { id }: { id: string }, since: string) {
  const delta = await readDelta(database, id, since)
  if (!delta.is_late) return delta
  // Agents that do not know `now` set their clocks by the cursor, so it must go on in an idle system, too.
  await tickIdleClock(database)
  return readDelta(database, id, since)
}

/** Whether agents may set their clocks by this server's database. */
function isTimeTrusted({ clock }: Deps): boolean {
  return clock.isTrusted()
}
