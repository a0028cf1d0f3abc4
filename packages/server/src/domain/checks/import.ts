// Putting a file of checks into an org: all or nothing.
import type { Transaction } from 'kysely'
import { newGuid } from '../../runtime/ids.ts'
import { assign, unassignShared } from '../../store/assignments.ts'
import { type CheckPlace, countChecks, insertCheck, listCheckPlaces, tick, updateCheck } from '../../store/checks.ts'
import { lockOrganisation } from '../../store/organisations.ts'
import { updateResultsWiped } from '../../store/results.ts'
import type { Tables } from '../../store/tables.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { PLANS, type PlanName } from '../organisations/plans.ts'
import { type MonitorChoice, requireMonitors, setMonitors } from './assign.ts'
import { type CheckContent, readCheck, requirePlanAllows } from './check.ts'

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

interface Entry {
  /** As given; undefined when the file leaves it to us. */
  guid: string | undefined
  content: CheckContent
}

/**
 * Imports checks in the account API's shape and returns their guids in the file's order. A guid that the org has is
 * replaced, a free one kept, one that another org holds (or none) gets a new one. Without `monitors` a new check has
 * none and a replaced one keeps its own. A fault names the entry and the field, and nothing is changed.
 */
export async function importChecks(
  deps: Deps,
  org_id: number,
  file: unknown,
  monitors?: MonitorChoice,
): Promise<{ guids: string[] }> {
  const entries = readEntries(file)
  return deps.database.db.transaction().execute(async (trx) => {
    await tick(trx)
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    const plan = organisation.plan as PlanName
    for (const [index, { content }] of entries.entries()) requirePlanAllows(`[${index}]`, content, plan, PLANS[plan])
    if (Array.isArray(monitors)) await requireMonitors(trx, org_id, monitors)
    const before = await countChecks(trx, org_id)
    const places = await storeEntries(deps, trx, org_id, entries)
    requireRoom(plan, before, await countChecks(trx, org_id))
    if (monitors !== undefined) await setMonitors(trx, places, monitors)
    return { guids: places.map((place) => place.guid) }
  })
}

function readEntries(file: unknown): Entry[] {
  if (!Array.isArray(file)) throw new DomainError('invalid', 'the file must hold an array of checks')
  const entries = file.map((entry: unknown, index): Entry => {
    const content = readCheck(`[${index}]`, entry)
    const guid = (entry as { guid?: unknown }).guid ?? ''
    if (guid !== '' && !(typeof guid === 'string' && GUID.test(guid))) {
      throw new DomainError('invalid', `[${index}].guid must be a lower-case uuid`)
    }
    return { guid: guid === '' ? undefined : guid, content }
  })
  const seen = new Set<string>()
  for (const [index, { guid }] of entries.entries()) {
    if (guid !== undefined && seen.has(guid)) throw new DomainError('invalid', `[${index}].guid must not come twice`)
    if (guid !== undefined) seen.add(guid)
  }
  return entries
}

async function storeEntries(
  deps: Deps,
  trx: Transaction<Tables>,
  org_id: number,
  entries: readonly Entry[],
): Promise<CheckPlace[]> {
  const given = entries.flatMap(({ guid }) => (guid === undefined ? [] : [guid]))
  const held = new Map((await listCheckPlaces(trx, given)).map((place) => [place.guid, place]))
  const places: CheckPlace[] = []
  for (const { guid, content } of entries) {
    const place = guid === undefined ? undefined : held.get(guid)
    if (place?.org_id === org_id) places.push(await replace(trx, place, content))
    else places.push(await insertCheck(trx, org_id, place || guid === undefined ? newGuid(deps.random) : guid, content))
  }
  return places
}

/** Puts new content in place of a check's own; one that was deleted comes back under its guid. */
async function replace(trx: Transaction<Tables>, place: CheckPlace, content: CheckContent): Promise<CheckPlace> {
  await updateCheck(trx, place, { ...content, deleted: false })
  const { restricted, result_detail_max_chars } = content
  const after = { ...place, deleted: false, restricted, result_detail_max_chars }
  if (restricted) await unassignShared(trx, after)
  // What is meant for all monitors comes back to the shared fleet once nothing restricts it.
  else if (place.restricted && place.all_monitors) await assign(trx, [after], 'all')
  if (content.url === '') await updateResultsWiped(trx, after)
  return after
}

/** Binds what is added: after a downgrade what exists may be replaced, but not grow. */
function requireRoom(plan: PlanName, before: number, after: number): void {
  const { max_checks } = PLANS[plan]
  if (max_checks === 0 || after <= max_checks || after <= before) return
  throw new DomainError('invalid', `the ${plan} plan allows ${max_checks} checks, and this would make ${after}`)
}
