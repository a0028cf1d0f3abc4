// Deletes checks so that the deletion can be undone for a while, and restores them.

import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import { assign } from '@dogwatch/store/checks/assignments'
import { lockChecksToJudge } from '@dogwatch/store/checks/check-health'
import { type CheckPlace, countChecks, tick, updateChecksAlike } from '@dogwatch/store/checks/checks'
import {
  type DeletionRow,
  insertDeletions,
  listDeletions,
  lockDeletedChecks,
  restoreDeletedChecks,
} from '@dogwatch/store/checks/deletions'
import { stopChecks } from '@dogwatch/store/checks/stop'
import type { Trx } from '@dogwatch/store/database'
import { listEnrolledSince } from '@dogwatch/store/monitors/monitors'
import { recordAuditEntry } from '../audit/record.ts'
import { refuseCircles } from '../dependencies/validate.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { requireRoom } from './check.ts'
import { withinDefinitionSize } from './definition-size.ts'
import { detachChecks, type Editor } from './pause-delete-wipe.ts'

/** Time during which a deletion can be undone, in milliseconds. */
export const UNDO_MS = 600_000
const NAMED = 3

/**
 * Deletes checks of an organisation, so that only `restoreChecks` still finds them and their monitors stop. The caller must have
 * ticked the sync clock and hold the checks' locks. Returns the name of this deletion.
 */
export async function hideChecks(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random'>,
  { org_id, actor }: Editor,
  checks: readonly CheckPlace[],
): Promise<string> {
  const check_ids = checks.map(({ check_id }) => check_id)
  const deleted_at = fromDate(deps.clock.now())
  const batch_id = newGuid(deps.random)
  const deleted_by = actor.impersonator_email ?? actor.email
  await insertDeletions(trx, org_id, check_ids, { batch_id, deleted_at, deleted_by })
  await detachChecks(trx, org_id, checks)
  // Definitions stay until the deletion is final.
  await updateChecksAlike(trx, org_id, check_ids, { deleted: true })
  // Receivers that open and close incidents are notified once the deletion is final, because it can be undone until then.
  await stopChecks(trx, org_id, check_ids, { ended_at: deleted_at, end_reason: 'deleted' })
  return batch_id
}

/** Undoes a deletion: all of its checks come back with their history, or none. */
export async function restoreChecks(deps: Deps, by: Editor, batch_id: string): Promise<{ count: number }> {
  const { org_id, actor } = by
  return deps.database.people.transaction().execute(async (trx) => {
    await tick(trx)
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    const checks = (await lockDeletedChecks(trx, org_id, batch_id)).filter(({ deleted }) => deleted)
    const [first] = checks
    const now = deps.clock.now()
    if (!first || Date.parse(first.deleted_at) <= now.getTime() - UNDO_MS) {
      throw new DomainError('conflict', 'this deletion can no longer be undone')
    }
    const before = await countChecks(trx, org_id)
    requireRoom(organisation, before, before + checks.length)
    await lockChecksToJudge(trx, checks)
    await withinDefinitionSize(trx, organisation, () => restore(trx, org_id, checks, first.deleted_at, now))
    await refuseCircles(trx, org_id, 'check')
    await recordAuditEntry(trx, deps, actor, { org_id, action: 'check.restore', ...deedOf(checks) })
    return { count: checks.length }
  })
}

async function restore(
  trx: Trx,
  org_id: number,
  checks: readonly CheckPlace[],
  deleted_at: string,
  now: Date,
): Promise<void> {
  const check_ids = checks.map(({ check_id }) => check_id)
  await restoreDeletedChecks(trx, org_id, check_ids, fromDate(now))
  const forAll = checks.filter(({ all_monitors }) => all_monitors)
  if (forAll.length === 0) return
  // A check for all monitors also gets the monitors that were enrolled after its deletion.
  const added = await listEnrolledSince(trx, org_id, deleted_at)
  if (added.length > 0) await assign(trx, forAll, added)
}

/** Returns what the audit log says about a change of several checks. */
export function deedOf(checks: readonly CheckPlace[]): {
  subject: string
  check_id?: number
  detail: Record<string, unknown>
} {
  const [first] = checks
  if (checks.length === 1 && first) return { subject: first.name, check_id: first.check_id, detail: {} }
  return { subject: `${checks.length} checks`, detail: { guids: checks.map(({ guid }) => guid) } }
}

export interface UndoableDeletion extends DeletionRow {
  undo_until: string
}

/** Reads an organisation's deletions that can still be undone, newest first. */
export async function readDeletions({ database, clock }: Deps, org_id: number): Promise<UndoableDeletion[]> {
  const since = new Date(clock.now().getTime() - UNDO_MS)
  const rows = await listDeletions(database.people, org_id, fromDate(since), NAMED)
  return rows.map((row) => ({ ...row, undo_until: fromDate(new Date(Date.parse(row.deleted_at) + UNDO_MS)) }))
}
