// Pauses, resumes, deletes or wipes one check, for operators and members.
import { DEFINITION_FIELDS } from '@dogwatch/check-rules/fields'
import { isTargetOfServer } from '@dogwatch/check-rules/schemes'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { updateAnswersWiped } from '@dogwatch/store/accounts/repeatable-answers'
import { updateEventsWiped } from '@dogwatch/store/alerting/events'
import { deleteRunsOfChecks } from '@dogwatch/store/checks/asked-runs'
import { unassign } from '@dogwatch/store/checks/assignments'
import { updateEnabled } from '@dogwatch/store/checks/bulk'
import { lockChecksToJudge, updateJudgedFrom, updateWipeUntil } from '@dogwatch/store/checks/check-health'
import { type CheckPlace, findCheck, listCheckPlaces, tick, updateChecksAlike } from '@dogwatch/store/checks/checks'
import { updateDegradationsWiped } from '@dogwatch/store/checks/degradations'
import { clearDependents } from '@dogwatch/store/checks/dependencies'
import { stopChecks } from '@dogwatch/store/checks/stop'
import type { Trx } from '@dogwatch/store/database'
import { deleteMutes } from '@dogwatch/store/routing/mutes'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { AuditAction } from '../audit/sentences.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { closingKept } from '../events/close-kept.ts'
import { wipeSoon } from '../results/wipe.ts'
import { toStorable } from '../text.ts'
import { BLANK_DEFINITION } from './check.ts'
import { subjectOf } from './event-data.ts'

/** A member who changes checks of their organisation. Operators may change anything and have no Editor. */
export interface Editor {
  org_id: number
  actor: Actor
  /**
   * Whether to hide from the editor if a sent secret of a channel or check equals the stored one. `is_change`: a dry run shows
   * each sent secret of a check as a change, because the secret might differ.
   */
  hides_secrets?: { channels: boolean; checks: boolean; is_change: boolean }
}

// Time for which a wipe is repeated. No statement that stores a batch of results takes longer.
export const WIPE_MS = 30_000

/** Pauses or resumes a check. A pause ends an open incident without an alert; earlier results no longer count. */
export async function switchCheck(deps: Deps, guid: string, enabled: boolean, by?: Editor): Promise<void> {
  await change(deps, guid, enabled ? 'check.resume' : 'check.pause', by, async (trx, check) => {
    await switchChecks(trx, deps, check.org_id, [check.check_id], enabled)
  })
}

/**
 * Pauses or resumes several checks of an organisation. The caller must hold their locks. Resolves with the checks whose state
 * changed.
 */
export async function switchChecks(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random'>,
  org_id: number,
  check_ids: readonly number[],
  enabled: boolean,
): Promise<number[]> {
  const now = fromDate(deps.clock.now())
  const switched = await updateEnabled(trx, org_id, check_ids, enabled)
  if (enabled) await updateJudgedFrom(trx, org_id, switched, now)
  else {
    await closingKept(trx, deps, { org_id, check_ids, reason: 'paused' }, () =>
      stopChecks(trx, org_id, check_ids, { ended_at: now, end_reason: 'disabled' }),
    )
  }
  return switched
}

/**
 * Deletes a check and its definition at once, for operators. Its monitors learn that they must stop. Deletions by members can be
 * undone for a while: see deletions.ts.
 */
export async function deleteCheck(deps: Deps, guid: string): Promise<void> {
  const { org_id } = await change(deps, guid, 'check.delete', undefined, async (trx, check) => {
    const { org_id, check_id } = check
    await detachChecks(trx, org_id, [check])
    const ended_at = fromDate(deps.clock.now())
    await closingKept(trx, deps, { org_id, check_ids: [check_id], reason: 'deleted' }, () =>
      stopChecks(trx, org_id, [check_id], { ended_at, end_reason: 'deleted' }),
    )
    await eraseDeleted(trx, org_id, [check])
  })
  await updateAnswersWiped(deps.database.people, { org_id, guids: [guid] }, DEFINITION_FIELDS)
}

/** Stops the monitors of checks that are deleted, and removes the requested runs, mutes and dependencies. */
export async function detachChecks(trx: Trx, org_id: number, checks: readonly CheckPlace[]): Promise<void> {
  await unassign(trx, checks, 'all')
  const ids = checks.map(({ check_id }) => check_id)
  await deleteRunsOfChecks(trx, org_id, ids)
  await deleteMutes(trx, org_id, checks.map(subjectOf))
  const guids = checks.map(({ guid }) => guid)
  await clearDependents(trx, org_id, guids)
}

/**
 * Erases for good what deleted checks of an organisation were. Does not erase stored responses that quote them: the caller does
 * that in another transaction, so that no one waits for it.
 */
export async function eraseDeleted(
  trx: Trx,
  org_id: number,
  checks: readonly { check_id: number; guid: string }[],
): Promise<void> {
  const gone = { ...BLANK_DEFINITION, restricted: true, deleted: true, all_monitors: false, key: null }
  await updateChecksAlike(
    trx,
    org_id,
    checks.map(({ check_id }) => check_id),
    gone,
  )
  await updateEventsWiped(trx, org_id, checks)
}

/**
 * Removes a check's definition from the database, so that only its agents have it. Also removes what earlier results quote of it,
 * and removes the assignments of the shared fleet, which has no private definitions.
 */
export async function wipeDefinition(deps: Deps, guid: string, by?: Editor): Promise<void> {
  const { org_id } = await change(deps, guid, 'check.wipe', by, async (trx, check) => {
    requireOfMonitors((await findCheck(trx, check.org_id, guid))?.url ?? '')
    const { org_id, check_id } = check
    await updateChecksAlike(trx, org_id, [check_id], { ...BLANK_DEFINITION, restricted: true })
    await unassign(trx, [check], 'shared')
    await updateJudgedFrom(trx, org_id, [check_id], fromDate(deps.clock.now()))
    await forgetQuotes(trx, deps, org_id, [check])
  })
  await wipeSoon(deps, { org_id, guids: [guid] })
}

/** Refuses to make a definition private if the server judges its check, because no monitor would have the definition. */
export function requireOfMonitors(url: string): void {
  if (!isTargetOfServer(url)) return
  throw new DomainError('invalid', 'the server judges this check, so its definition cannot be private')
}

/**
 * Plans the wipe of other copies of definitions, in results, messages, the audit log and stored responses. There can be many
 * copies, so `wipeSoon` wipes them after this transaction, until every batch of results under way is stored.
 */
export async function forgetQuotes(trx: Trx, deps: Deps, org_id: number, checks: readonly CheckPlace[]): Promise<void> {
  const check_ids = checks.map(({ check_id }) => check_id)
  await deleteRunsOfChecks(trx, org_id, check_ids)
  await updateDegradationsWiped(trx, org_id, check_ids)
  await updateWipeUntil(trx, org_id, check_ids, fromDate(new Date(deps.clock.now().getTime() + WIPE_MS)))
}

/** Finds a check by its guid, within an organisation if one is given. Refuses a check that is unknown or deleted. */
export async function findLiveCheck(trx: Trx, guid: string, org_id?: number): Promise<CheckPlace> {
  // No check has a guid that the database cannot store.
  const [check] = toStorable(guid) === guid ? await listCheckPlaces(trx, [guid]) : []
  if (!check || check.deleted || (org_id !== undefined && check.org_id !== org_id)) {
    throw new DomainError('missing', 'no check with that guid')
  }
  return check
}

async function change(
  deps: Deps,
  guid: string,
  action: AuditAction,
  by: Editor | undefined,
  apply: (trx: Trx, check: CheckPlace) => Promise<void>,
): Promise<CheckPlace> {
  return deps.database.people.transaction().execute(async (trx) => {
    await tick(trx)
    const check = await findLiveCheck(trx, guid, by?.org_id)
    // With this lock, any process that judges the check has either finished or will see the change.
    await lockChecksToJudge(trx, [check])
    await apply(trx, check)
    const { org_id, check_id, name } = check
    await recordAuditEntry(trx, deps, by?.actor, { org_id, action, subject: name, check_id })
    return check
  })
}
