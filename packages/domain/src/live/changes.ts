// Reads what open pages must know: in which organisations something changed, and which sessions are still open.
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  CHANGES_CHANNEL,
  type Change,
  deleteOldChanges,
  listChanges,
  listOpenSessions,
  readNewestChange,
} from '@dogwatch/store/accounts/changes'
import type { Deps } from '../deps.ts'
import { openGate } from '../retention/gate.ts'

export { CHANGES_CHANNEL, type Change }

/** Age at which changes are deleted. A page never stays open for longer without a request. */
const KEPT_MS = 3_600_000

/** Returns the changes of the last seconds, including changes that an earlier call has returned. */
export async function readChanges(deps: Pick<Deps, 'database'>, within_sec: number): Promise<Change[]> {
  return listChanges(deps.database, within_sec)
}

/** Returns the newest change of one organisation, as `newest_change` of a signed-in person. */
export async function readNewest(deps: Pick<Deps, 'database'>, org_id: number): Promise<string> {
  return readNewestChange(deps.database, org_id)
}

/** Returns, for each of these sessions that is still open, its organisation by the hash of the session in hexadecimal. */
export async function readOpenSessions(
  deps: Pick<Deps, 'database' | 'clock'>,
  hashes: readonly Buffer[],
): Promise<Map<string, number>> {
  const rows = await listOpenSessions(deps.database, hashes, fromDate(deps.clock.now()))
  return new Map(rows.map(({ session_hash, org_id }) => [session_hash.toString('hex'), org_id]))
}

/** Deletes old changes, as a chore. */
export async function forgetChanges(deps: Deps): Promise<void> {
  const gate = await openGate(deps)
  if (!gate.held) await deleteOldChanges(deps.database.machines, gate.ago(KEPT_MS))
}

/**
 * Parses the text of a notification, such as `7 4711` for change 4711 of organisation 7. Returns undefined for any other text.
 */
export function readChange(payload: string): Change | undefined {
  const found = /^(\d{1,15}) (\d{1,15})$/.exec(payload)
  return found ? { org_id: Number(found[1]), change_id: Number(found[2]) } : undefined
}
