// Stores many checks that were already compared, by the rules that apply to a single check. One statement stores what all of them
// share, because storing one check after the other would lock the sync clock for seconds.

import { assign } from '@dogwatch/store/checks/assignments'
import { lockChecksToJudge } from '@dogwatch/store/checks/check-health'
import type { CheckPlace } from '@dogwatch/store/checks/checks'
import { listDependencies } from '@dogwatch/store/checks/dependencies'
import { insertChecks } from '@dogwatch/store/checks/many-checks'
import type { Trx } from '@dogwatch/store/database'
import { plainValues } from '../audit/changed-fields.ts'
import { recordAuditEntries } from '../audit/record.ts'
import { choiceOf, isSameChoice, requireMonitors, setMonitors } from '../checks/assign.ts'
import { requireRoom } from '../checks/check.ts'
import { mostBytesOf, requireDefinitionSize } from '../checks/definition-size.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import { replaceChecks } from '../checks/replace-many.ts'
import type { Deps } from '../deps.ts'
import type { Outcome } from './bulk-changes.ts'
import { byChoice, type ComparedCheck, keyGiven, keyOfMany, type PlannedChecks } from './bulk-checks.ts'
import type { Faults } from './faults.ts'
import { setKeys } from './keys.ts'

/**
 * Stores the planned checks. `before`: number of checks before the request. The caller must have ticked the sync clock, must hold
 * the lock of the organisation, and must know that nothing has changed since planning.
 */
export async function putChecks(
  trx: Trx,
  deps: Deps,
  by: Editor,
  planned: PlannedChecks,
  { faults, before }: { faults: Faults; before: number },
): Promise<Outcome[]> {
  const { org_id } = by
  const { organisation, placed, differing, count, bytes } = planned
  if (differing.length > 0) {
    const created = differing.filter((one) => !one.before)
    requireRoom(organisation, before, count + created.length)
    const places = await storeAll(trx, deps, org_id, planned)
    const added = differing.reduce((sum, { content }) => sum + mostBytesOf(content), 0)
    await requireDefinitionSize(trx, organisation, bytes, added)
    await refuseCircles(trx, org_id, differing, faults)
    await setAllMonitors(trx, org_id, differing, places)
  }
  return placed.map((one) => outcomeOf(one))
}

/** Records the planned changes in the audit log. */
export async function recordPlanned(
  trx: Trx,
  deps: Pick<Deps, 'clock'>,
  { org_id, actor }: Editor,
  { differing, places, ids }: PlannedChecks,
): Promise<void> {
  const held = new Map(places.map(({ guid, check_id }) => [guid, check_id]))
  const deeds = differing.map(({ guid, before, content, changed }) => {
    const check_id = held.get(guid) ?? ids.get(guid)
    const about = { org_id, subject: content.name, ...(check_id !== undefined && { check_id }) }
    if (!before) return { ...about, action: 'check.create' as const }
    const detail = { changed, ...plainValues(changed, before.check, content) }
    return { ...about, action: 'check.edit' as const, detail }
  })
  await recordAuditEntries(trx, deps, actor, deeds)
}

/** Stores the checks that differ. Returns their ids and names, by guid. */
async function storeAll(
  trx: Trx,
  deps: Deps,
  org_id: number,
  { differing, places, ids }: PlannedChecks,
): Promise<ReadonlyMap<string, CheckPlace>> {
  if (places.length > 0) await lockChecksToJudge(trx, places)
  const stored = new Map(places.map((one) => [one.guid, one]))
  const held = differing.filter(({ before }) => before)
  await setKeys(trx, org_id, 'check', held.map(keyOfMany))
  const replaced = held.flatMap(({ before, guid, content }) => {
    const place = stored.get(guid)
    return before && place ? [{ place, content, before: before.check }] : []
  })
  for (const one of await replaceChecks(trx, deps, org_id, replaced)) stored.set(one.guid, one)
  const rows = differing.flatMap(({ before, guid, content, put, choice }) => {
    const check_id = ids.get(guid)
    if (before || check_id === undefined) return []
    return [{ check_id, guid, content, key: put.key ?? null, all_monitors: choice === 'all' }]
  })
  for (const one of await insertChecks(trx, org_id, rows)) stored.set(one.guid, one)
  return stored
}

/**
 * Sets the monitors of the checks whose choice changed. Skips the others, because setting the same monitors again would examine
 * each check.
 */
async function setAllMonitors(
  trx: Trx,
  org_id: number,
  differing: readonly ComparedCheck[],
  stored: ReadonlyMap<string, CheckPlace>,
): Promise<void> {
  const placesOf = (some: readonly ComparedCheck[]) => some.flatMap(({ guid }) => stored.get(guid) ?? [])
  const moved = differing.filter(({ before, choice }) => !before || !isSameChoice(choiceOf(before), choice))
  for (const [choice, same] of byChoice(moved)) {
    const [created, held] = [same.filter(({ before }) => !before), same.filter(({ before }) => before)]
    if (held.length > 0) await setMonitors(trx, placesOf(held), choice)
    // New checks have no monitors to remove.
    if (created.length === 0 || choice === 'none' || choice.length === 0) continue
    const places = placesOf(created)
    if (choice !== 'all') await requireMonitors(trx, org_id, choice, places)
    await assign(trx, places, choice)
  }
}

/** Refuses the first check of the request that depends on itself, directly or through others. */
async function refuseCircles(
  trx: Trx,
  org_id: number,
  differing: readonly ComparedCheck[],
  faults: Faults,
): Promise<void> {
  if (differing.every(({ content }) => content.depends_on === '')) return
  const on = new Map((await listDependencies(trx, org_id)).map(({ guid, depends_on }) => [guid, depends_on]))
  for (const { guid, put } of differing) {
    const passed = new Set<string>()
    let at = on.get(guid)
    while (at !== undefined && at !== guid && !passed.has(at)) {
      passed.add(at)
      at = on.get(at)
    }
    if (at === guid) {
      faults.add(put.index, 'body.depends_on', 'must not create a circular dependency')
      return faults.refuse()
    }
  }
}

function outcomeOf(placed: ComparedCheck): Outcome {
  const { put, guid, before, content, choice, isDifferent, uncompared } = placed
  const given = keyGiven(put)
  const key = given === undefined ? (before?.key ?? null) : given
  const monitors = typeof choice === 'string' ? [] : choice.toSorted()
  const check = { ...content, guid, check_id: 0 }
  const after = { check, all_monitors: choice === 'all', monitors, unable: [], key, mark: '', uncompared }
  const done = before ? 'replaced' : 'created'
  return { index: put.index, action: isDifferent ? done : 'unchanged', id: guid, key, before, after }
}
