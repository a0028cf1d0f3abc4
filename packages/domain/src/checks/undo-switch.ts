// Undoes a pause or resumption of several checks. The audit log says which checks were paused or resumed.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { listAuditEntries } from '@dogwatch/store/accounts/audit'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { changeChecks } from './change-many.ts'
import { UNDO_MS } from './deletions.ts'
import type { Editor } from './pause-delete-wipe.ts'

/** Number of recent audit entries to search for the batch. */
const AMONG = 200

export interface PauseBatch {
  kind: 'pause' | 'resume'
  guids: string[]
}

/**
 * Returns the checks that a pause or resumption of the last ten minutes changed. Returns undefined if there is none with this
 * name.
 */
export async function readSwitched(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  batch: string,
): Promise<PauseBatch | undefined> {
  const since = fromDate(new Date(clock.now().getTime() - UNDO_MS))
  const entries = await listAuditEntries(database.people, org_id, { since, limit: AMONG })
  const found = entries.find(({ detail }) => detail.batch === batch)
  if (!found || !Array.isArray(found.detail.switched)) return undefined
  return { kind: found.action === 'check.pause' ? 'pause' : 'resume', guids: found.detail.switched.map(String) }
}

/** Undoes a pause or resumption for exactly the checks that it changed. */
export async function undoSwitch(deps: Deps, by: Editor, batch: string): Promise<PauseBatch & { count: number }> {
  const switched = await readSwitched(deps, by.org_id, batch)
  if (!switched) throw new DomainError('conflict', 'this change can no longer be undone')
  const kind = switched.kind === 'pause' ? 'resume' : 'pause'
  const { count } = await changeChecks(deps, by, switched.guids, { kind })
  return { kind, guids: switched.guids, count }
}
