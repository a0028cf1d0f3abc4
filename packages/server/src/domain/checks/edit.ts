// What operators do to one check, or to an org's checks as a file.
import type { Transaction } from 'kysely'
import { unassign, unassignShared } from '../../store/assignments.ts'
import { type CheckPlace, type CheckRow, listChecks, listCheckPlaces, tick, updateCheck } from '../../store/checks.ts'
import { findOrganisation } from '../../store/organisations.ts'
import { updateResultsWiped } from '../../store/results.ts'
import type { Tables } from '../../store/tables.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { BLANK_DEFINITION } from './check.ts'

/** An org's checks, oldest first. */
export async function exportChecks(deps: Deps, org_id: number): Promise<CheckRow[]> {
  if (!(await findOrganisation(deps.database.db, org_id)))
    throw new DomainError('missing', 'no organisation with that id')
  return listChecks(deps.database.db, org_id)
}

/** Pauses a check or lets it go on. */
export async function switchCheck(deps: Deps, guid: string, enabled: boolean): Promise<void> {
  await change(deps, guid, (trx, check) => updateCheck(trx, check, { enabled }))
}

/** Deletes a check and forgets its definition. Its monitors are told to stop; nobody else sees it again. */
export async function deleteCheck(deps: Deps, guid: string): Promise<void> {
  await change(deps, guid, async (trx, check) => {
    await unassign(trx, [check], 'all')
    await updateCheck(trx, check, { ...BLANK_DEFINITION, restricted: true, deleted: true, all_monitors: false })
  })
}

/**
 * Forgets what a check looks at: from now on its definition is in its agents alone. What earlier results kept of it goes
 * too, and the shared fleet, which has no private definitions, loses it.
 */
export async function wipeDefinition(deps: Deps, guid: string): Promise<void> {
  await change(deps, guid, async (trx, check) => {
    await updateCheck(trx, check, { ...BLANK_DEFINITION, restricted: true })
    await unassignShared(trx, check)
    await updateResultsWiped(trx, check)
  })
}

/** The check of a guid in whatever org, unless it was deleted. */
export async function findLiveCheck(trx: Transaction<Tables>, guid: string): Promise<CheckPlace> {
  const [check] = await listCheckPlaces(trx, [guid])
  if (!check || check.deleted) throw new DomainError('missing', 'no check with that guid')
  return check
}

async function change(
  deps: Deps,
  guid: string,
  apply: (trx: Transaction<Tables>, check: CheckPlace) => Promise<void>,
): Promise<void> {
  await deps.database.db.transaction().execute(async (trx) => {
    await tick(trx)
    await apply(trx, await findLiveCheck(trx, guid))
  })
}
