// Putting a file of checks into an org: all or nothing.
import { rowOf } from '@dogwatch/check-rules/fields'
import type { Transaction } from 'kysely'
import { newGuid } from '../../runtime/ids.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import { assign, unassignShared } from '../../store/checks/assignments.ts'
import { lockChecksToJudge, updateJudgedFrom } from '../../store/checks/check-health.ts'
import {
  type CheckPlace,
  countChecks,
  insertCheck,
  listCheckPlaces,
  listChecks,
  tick,
  updateCheck,
} from '../../store/checks/checks.ts'
import { clearTakenKeys } from '../../store/checks/deletions.ts'
import { forgetUnmonitored } from '../../store/checks/unmonitored.ts'
import { endCheckIncident } from '../../store/checks/incidents.ts'
import { findOrganisation, lockOrganisation } from '../../store/accounts/organisations.ts'
import type { Tables } from '../../store/tables.ts'
import { type Actor, recordDeed } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { refuseCircles } from '../dependencies/validate.ts'
import { DomainError } from '../errors.ts'
import { type OrgPlanName, planOf } from '../organisations/plans.ts'
import { wipeSoon } from '../results/wipe.ts'
import { type MonitorChoice, requireMonitors, setMonitors } from './assign.ts'
import { type CheckFields, requirePlanAllows, requireRoom } from './check.ts'
import { withinDefinitionSize } from './definition-size.ts'
import { requireRestored } from './hidden-secrets.ts'
import { forgetQuotes } from './pause-delete-wipe.ts'
import { type Entry, readEntries } from './file.ts'
import { requireFewMade } from './made.ts'
import { requirePatterns } from './patterns.ts'
import { closingKept } from '../events/close-kept.ts'
import { endUnfounded, unfoundedKinds } from './update-degraded.ts'
import { changedFields, foresee, previewToken, requireFewEntries } from './preview.ts'

/** What a member has seen in a preview and agreed to. */
export interface Confirmed {
  actor: Actor
  /** The preview's token. */
  preview: string
}

/**
 * Imports checks in the account API's shape and returns their guids in the file's order. A guid that the org has is
 * replaced, an unused one is kept, and one that another org has (or none) gets a new one. Without `monitors` a new
 * check has none and a replaced one keeps its own. A fault names the entry and the field, and nothing is changed. With
 * `confirmed`, the import is refused unless it does exactly what the preview said.
 */
export async function importChecks(
  deps: Deps,
  org_id: number,
  file: unknown,
  monitors?: MonitorChoice,
  confirmed?: Confirmed,
): Promise<{ guids: string[] }> {
  await requireFewEntries(deps.database.people, org_id, file)
  const entries = readEntries(file)
  await requireRoomBefore(deps, org_id, entries)
  await requirePatterns(entries.map(({ content }) => content))
  const imported = await deps.database.people.transaction().execute(async (trx) => {
    await tick(trx)
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    const [name, plan] = [organisation.plan as OrgPlanName, planOf(organisation)]
    for (const [index, { content }] of entries.entries()) requirePlanAllows(`[${index}]`, content, name, plan)
    if (Array.isArray(monitors)) await requireMonitors(trx, org_id, monitors)
    if (confirmed) await requireAsPreviewed(trx, org_id, entries, confirmed.preview)
    const before = await countChecks(trx, org_id)
    const store = () => storeEntries(deps, trx, org_id, entries)
    const places = await withinDefinitionSize(trx, { org_id, name, plan }, store)
    requireRoom(name, plan, before, await countChecks(trx, org_id))
    if (entries.some(({ content }) => content.depends_on !== '')) await refuseCircles(trx, org_id, 'checks')
    // An operator may move whole organisations.
    if (confirmed) await requireFewMade(trx, org_id, plan)
    if (monitors !== undefined) await setMonitors(trx, places, monitors)
    const deed = {
      org_id,
      action: 'check.import',
      subject: places.length === 1 ? '1 check' : `${places.length} checks`,
    }
    await recordDeed(trx, deps, confirmed?.actor, deed)
    return { guids: places.map((place) => place.guid) }
  })
  const guids = imported.guids.filter((_, at) => entries[at]?.content.url === '')
  if (guids.length > 0) await wipeSoon(deps, { org_id, guids })
  return imported
}

/** Refuses what cannot fit before anything is locked: others wait while checks are stored. */
async function requireRoomBefore(deps: Deps, org_id: number, entries: readonly Entry[]): Promise<void> {
  const { people } = deps.database
  const organisation = await findOrganisation(people, org_id)
  if (!organisation) return
  const given = entries.flatMap(({ guid }) => (guid === undefined ? [] : [guid]))
  const held = (await listCheckPlaces(people, given)).filter((place) => place.org_id === org_id && !place.deleted)
  const [name, plan] = [organisation.plan as OrgPlanName, planOf(organisation)]
  for (const [index, { content }] of entries.entries()) requirePlanAllows(`[${index}]`, content, name, plan)
  const before = await countChecks(people, org_id)
  requireRoom(name, plan, before, before + entries.length - held.length)
}

async function requireAsPreviewed(
  trx: Transaction<Tables>,
  org_id: number,
  entries: readonly Entry[],
  preview: string,
): Promise<void> {
  if (previewToken(await foresee(trx, org_id, entries)) === preview) return
  throw new DomainError('conflict', 'the checks have changed since this preview: review the changes again')
}

async function storeEntries(
  deps: Deps,
  trx: Transaction<Tables>,
  org_id: number,
  entries: readonly Entry[],
): Promise<CheckPlace[]> {
  const given = entries.flatMap(({ guid }) => (guid === undefined ? [] : [guid]))
  const held = new Map((await listCheckPlaces(trx, given)).map((place) => [place.guid, place]))
  const own = [...held.values()].filter((place) => place.org_id === org_id)
  if (own.length > 0) await lockChecksToJudge(trx, own)
  const before = new Map((own.length > 0 ? await listChecks(trx, org_id) : []).map((check) => [check.guid, check]))
  const places: CheckPlace[] = []
  for (const [index, { guid, content: given }] of entries.entries()) {
    const place = guid === undefined ? undefined : held.get(guid)
    const stored = place?.org_id === org_id ? before.get(place.guid) : undefined
    const content = requireRestored(`[${index}]`, given, stored)
    if (place?.org_id === org_id) places.push(await replaceCheck(trx, deps, place, content, stored))
    else places.push(await insertCheck(trx, org_id, place || guid === undefined ? newGuid(deps.random) : guid, content))
  }
  return places
}

/**
 * Replaces a check's content (`before`); a deleted check comes back under its guid. When results now mean something
 * else, or start again, earlier results no longer count; an open incident stays open until new results decide. The
 * caller holds the check's lock.
 */
export async function replaceCheck(
  trx: Transaction<Tables>,
  deps: Deps,
  place: CheckPlace,
  content: CheckFields,
  before: CheckFields | undefined,
): Promise<CheckPlace> {
  if (place.deleted) await clearTakenKeys(trx, place.org_id, [place.check_id])
  await updateCheck(trx, place, { ...content, deleted: false })
  if (!before || isBreak(before, content)) await updateJudgedFrom(trx, place, fromDate(deps.clock.now()))
  const { name, restricted, result_detail_max_chars } = content
  const after = { ...place, name, deleted: false, restricted, result_detail_max_chars }
  if (restricted) await unassignShared(trx, after)
  // A check for all monitors comes back to the shared fleet once nothing restricts it.
  else if (place.restricted && place.all_monitors) await assign(trx, [after], 'all')
  if (content.url === '') await forgetQuotes(trx, deps, after)
  const kinds = unfoundedKinds(content)
  const closing = {
    org_id: place.org_id,
    check_ids: [place.check_id],
    ...(content.enabled ? { reason: 'rules' as const, kinds } : { reason: 'paused' as const }),
  }
  if (!content.enabled || kinds.length > 0) {
    await closingKept(trx, deps, closing, async () => {
      await endUnfounded(trx, deps, after, content)
      if (content.enabled) return
      await forgetUnmonitored(trx, after)
      await endCheckIncident(trx, after, fromDate(deps.clock.now()), 'disabled')
    })
  }
  return after
}

/** Whether results from before an edit say nothing about the check after it. */
export function isBreak(before: CheckFields, after: CheckFields): boolean {
  if (!before.enabled && after.enabled) return true
  return changedFields(before, after).some(({ field }) => rowOf(field).changesResults)
}
