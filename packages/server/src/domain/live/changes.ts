// What pages that are open must know: in which organisations something changed, and whose session is still open.
import { fromDate } from '../../runtime/timestamps.ts'
import {
  type Change,
  CHANGES_CHANNEL,
  deleteOldChanges,
  listChanges,
  listOpenSessions,
  readNewestChange,
} from '../../store/accounts/changes.ts'
import type { Deps } from '../deps.ts'
import { openGate } from '../retention/gate.ts'

export { type Change, CHANGES_CHANNEL }

/** How long changes are kept: longer than a page is open without looking. */
const KEPT_MS = 3_600_000

/** The changes of the last seconds. Some of them were read before. */
export async function readChanges(deps: Pick<Deps, 'database'>, within_sec: number): Promise<Change[]> {
  return listChanges(deps.database, within_sec)
}

/** Of one organisation, as `newest_change` of whoever is signed in. */
export async function readNewest(deps: Pick<Deps, 'database'>, org_id: number): Promise<string> {
  return readNewestChange(deps.database, org_id)
}

/** Those of these sessions that may still see an organisation, and which; by the hexadecimal text of their hash. */
export async function readOpenSessions(
  deps: Pick<Deps, 'database' | 'clock'>,
  hashes: readonly Buffer[],
): Promise<Map<string, number>> {
  const rows = await listOpenSessions(deps.database, hashes, fromDate(deps.clock.now()))
  return new Map(rows.map(({ session_hash, org_id }) => [session_hash.toString('hex'), org_id]))
}

/** A chore. */
export async function forgetChanges(deps: Deps): Promise<void> {
  const gate = await openGate(deps)
  if (!gate.held) await deleteOldChanges(deps.database.machines, gate.ago(KEPT_MS))
}

/** `7 4711`; undefined for anything else. */
export function readChange(payload: string): Change | undefined {
  const found = /^(\d{1,15}) (\d{1,15})$/.exec(payload)
  return found ? { org_id: Number(found[1]), change_id: Number(found[2]) } : undefined
}
