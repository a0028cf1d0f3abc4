// Creates a check, or replaces all of it at once, as a member does in a form.

import { lockOrganisation, type OrganisationRow } from '@dogwatch/store/accounts/organisations'
import { lockChecksToJudge } from '@dogwatch/store/checks/check-health'
import { countChecks, findCheck, tick } from '@dogwatch/store/checks/checks'
import { listChecksWithMonitors } from '@dogwatch/store/checks/configured-checks'
import { insertChecks, reserveCheckIds } from '@dogwatch/store/checks/many-checks'
import type { Trx } from '@dogwatch/store/database'
import { plainValues } from '../audit/changed-fields.ts'
import { type AuditRecord, recordAuditEntry } from '../audit/record.ts'
import { refuseCircles, requireDependable } from '../dependencies/validate.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { requireMembers } from '../judged/require-members.ts'
import { wipeSoon } from '../results/wipe.ts'
import { toStorable } from '../text.ts'
import { choiceOf, isSameChoice, type MonitorChoice, requireNoneSelected, setMonitors, storedChoice } from './assign.ts'
import { type CheckFields, readCheck, requireNoContradiction, requirePlanAllows, requireRoom } from './check.ts'
import { withinDefinitionSize } from './definition-size.ts'
import { requireRestored } from './hidden-secrets.ts'
import { requireFewMade } from './made.ts'
import { type Editor, findLiveCheck } from './pause-delete-wipe.ts'
import { changedFields } from './preview.ts'
import { replaceChecks } from './replace-many.ts'
import { guidDueSoon } from './turns.ts'

/** Prefix of the fields that a refusal names, as in `check.<field>`. */
const AT = 'check'

/**
 * Creates a check from an entry in the format of import files. `key`: a key that no other check has. `copied_from`: guid of the
 * check whose secrets replace the hidden ones.
 */
export async function createCheck(
  deps: Deps,
  by: Editor,
  entry: unknown,
  monitors: MonitorChoice,
  { key = null, copied_from }: { key?: string | null; copied_from?: string | undefined } = {},
): Promise<{ guid: string }> {
  const given = readCheck(AT, entry)
  requireNoContradiction(AT, given, undefined)
  requireNoneSelected('', given.url, monitors)
  return underPlan(deps, by, given, async (trx, organisation) => {
    const original = copied_from === undefined ? undefined : await findCheck(trx, by.org_id, toStorable(copied_from))
    const content = requireRestored(AT, given, original)
    const before = await countChecks(trx, by.org_id)
    requireRoom(organisation, before, before + 1)
    const guid = guidDueSoon(deps.random, deps.clock.now(), content.interval_sec)
    const [check_id = 0] = await reserveCheckIds(trx, 1)
    const places = await insertChecks(trx, by.org_id, [{ check_id, guid, content, key, all_monitors: false }])
    await requireFewMade(trx, organisation)
    await requireDependency(trx, by.org_id, content)
    await requireMembers(trx, by.org_id, AT, content.url)
    await setMonitors(trx, places, storedChoice(content.url, monitors))
    const deed: AuditRecord = { org_id: by.org_id, action: 'check.create', subject: content.name, check_id }
    await recordAuditEntry(trx, deps, by.actor, deed)
    return { guid }
  })
}

/**
 * Replaces a check with an entry in the format of import files, and assigns it to exactly these monitors. `also` names further
 * changes, for the audit log.
 */
export async function editCheck(
  deps: Deps,
  by: Editor,
  guid: string,
  entry: unknown,
  monitors: MonitorChoice,
  also: readonly string[] = [],
): Promise<void> {
  const given = readCheck(AT, entry)
  await underPlan(deps, by, given, async (trx) => {
    const place = await findLiveCheck(trx, guid, by.org_id)
    await lockChecksToJudge(trx, [place])
    const [held] = await listChecksWithMonitors(trx, by.org_id, { limit: 1, guid })
    const before = held?.check
    const content = requireRestored(AT, given, before)
    requireNoContradiction(AT, content, before)
    const changed: string[] = before ? changedFields(before, content) : []
    const choice = storedChoice(content.url, monitors)
    if (held && !isSameChoice(choiceOf(held), choice)) changed.push('monitors')
    const after = await replaceChecks(trx, deps, by.org_id, [{ place, content, before }])
    if (before?.depends_on !== content.depends_on) await requireDependency(trx, by.org_id, content)
    if (before?.url !== content.url) await requireMembers(trx, by.org_id, AT, content.url)
    await setMonitors(trx, after, choice)
    const { org_id, check_id } = place
    const deed: AuditRecord = {
      org_id,
      action: 'check.edit',
      subject: content.name,
      check_id,
      detail: { changed: [...changed, ...also], ...(before && plainValues(changed, before, content)) },
    }
    await recordAuditEntry(trx, deps, by.actor, deed)
  })
  if (given.url === '') await wipeSoon(deps, { org_id: by.org_id, guids: [guid] })
}

async function requireDependency(trx: Trx, org_id: number, { depends_on }: CheckFields): Promise<void> {
  if (depends_on === '') return
  await requireDependable(trx, org_id, AT, depends_on)
  await refuseCircles(trx, org_id, AT)
}

async function underPlan<Made>(
  deps: Deps,
  { org_id }: Editor,
  content: CheckFields,
  apply: (trx: Trx, organisation: OrganisationRow) => Promise<Made>,
): Promise<Made> {
  return deps.database.people.transaction().execute(async (trx) => {
    await tick(trx)
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    requirePlanAllows(AT, content, organisation)
    return withinDefinitionSize(trx, organisation, () => apply(trx, organisation))
  })
}
