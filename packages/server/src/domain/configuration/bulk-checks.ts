// Many checks put at once, by the rules that apply to one. What is the same for all of them is asked and stored by one statement: one check
// after the other would hold the sync clock for seconds.
import { setImmediate as pause } from 'node:timers/promises'
import { newContradictionsIn } from '@dogwatch/check-rules/contradictions'
import type { Transaction } from 'kysely'
import { newGuid } from '../../runtime/ids.ts'
import { findOrganisation } from '../../store/accounts/organisations.ts'
import { lockChecksToJudge } from '../../store/checks/check-health.ts'
import { type CheckPlace, countChecks, listCheckPlaces } from '../../store/checks/checks.ts'
import { listChecksWithMonitors } from '../../store/checks/configured-checks.ts'
import { isDependable, listDependencies } from '../../store/checks/dependencies.ts'
import { insertChecks } from '../../store/checks/many-checks.ts'
import { listByKeys } from '../../store/configuration/keys.ts'
import type { Tables } from '../../store/tables.ts'
import { recordDeeds } from '../audit/record.ts'
import {
  choiceOf,
  isSameChoice,
  type MonitorChoice,
  nameOfChoice,
  requireMonitors,
  setMonitors,
} from '../checks/assign.ts'
import { type CheckFields, faultsOfPlan, readWithoutPattern, requirePattern, requireRoom } from '../checks/check.ts'
import { withinDefinitionSize } from '../checks/definition-size.ts'
import { requireFewMade } from '../checks/made.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import { PatternBudget, slicesOf } from '../checks/patterns.ts'
import { changedFields } from '../checks/preview.ts'
import { replaceChecks } from '../checks/replace-many.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { type OrgPlanName, planOf } from '../organisations/plans.ts'
import { isStorable } from '../text.ts'
import type { Outcome, Put } from './bulk-changes.ts'
import { type ConfiguredCheck, contentFields, readMonitors } from './checks.ts'
import type { Faults } from './faults.ts'
import { changedKey, keyIn, type KeyOfMany, readKey, requireKeysFree, setKeys } from './keys.ts'

/** A check that was read, before anything is looked up. */
export interface ReadPut {
  put: Put
  /** Without what it depends on where that is told by a key. */
  content: CheckFields
  on_key: string | undefined
  monitors: MonitorChoice | undefined
}

/** A check that is known to be there, or to be new. */
interface Placed extends ReadPut {
  guid: string
  before: ConfiguredCheck | undefined
  choice: MonitorChoice
}

/** Reads what is sent, before anything is locked. Other requests are answered meanwhile. */
export async function readPuts(puts: readonly Put[], faults: Faults): Promise<ReadPut[]> {
  const budget = new PatternBudget()
  const read: ReadPut[] = []
  for (const [count, put] of puts.entries()) {
    if (count % 50 === 49) await pause()
    const made = await faults.during(put.index, () => readPut(put, budget))
    if (made) read.push(made)
  }
  for (const slice of slicesOf(read.map(({ content }) => content))) {
    for (const [at, content] of slice) {
      await faults.during(read[at]?.put.index ?? 0, () => requirePattern('check', content))
    }
    await pause()
  }
  return read
}

function readPut(put: Put, budget: PatternBudget): ReadPut {
  const entry = contentFields(put.input)
  const on_key = typeof entry.depends_on === 'string' ? keyIn(entry.depends_on) : undefined
  const content = readWithoutPattern('check', on_key === undefined ? entry : { ...entry, depends_on: '' })
  budget.spend(content)
  readKey(put.input)
  return { put, content, on_key, monitors: readMonitors(put.input) }
}

/**
 * Puts checks. The caller has ticked the sync clock and holds the organisation's lock. `before`: how many checks there were before the
 * request. Nothing is stored when there are faults.
 */
export async function putChecks(
  trx: Transaction<Tables>,
  deps: Deps,
  by: Editor,
  read: readonly ReadPut[],
  { faults, before }: { faults: Faults; before: number },
): Promise<Outcome[]> {
  const organisation = await findOrganisation(trx, by.org_id)
  if (!organisation) throw new DomainError('missing', 'no organisation with that id')
  const [name, plan] = [organisation.plan as OrgPlanName, planOf(organisation)]
  const placed = await place(trx, deps, by.org_id, read, faults)
  for (const { put, content, before: held } of placed) {
    const found = [...faultsOfPlan(content, name, plan), ...newContradictionsIn(content, held?.check)]
    for (const { field, must } of found) faults.add(put.index, `body.${field}`, must)
  }
  await requireAllMonitors(trx, by.org_id, placed, faults)
  const differing = placed.filter(isDifferent)
  await requireDependencies(trx, by.org_id, placed, faults)
  await requireKeysFree(trx, by.org_id, 'check', placed.map(keyOfMany), faults)
  if (!faults.isEmpty) return []
  if (differing.length > 0) {
    const of = { org_id: by.org_id, name, plan }
    const places = await withinDefinitionSize(trx, of, () => storeAll(trx, deps, by, differing))
    requireRoom(name, plan, before, await countChecks(trx, by.org_id))
    await requireFewMade(trx, by.org_id, plan)
    await refuseCircles(trx, by.org_id, differing, faults)
    await setAllMonitors(trx, differing, places)
    await recordAll(trx, deps, by, differing, places)
  }
  return placed.map((one) => outcomeOf(one))
}

async function place(
  trx: Transaction<Tables>,
  deps: Deps,
  org_id: number,
  read: readonly ReadPut[],
  faults: Faults,
): Promise<Placed[]> {
  const keys = read.flatMap(({ put: { key, id }, on_key }) => [key, on_key, id && keyIn(id)].filter((one) => !!one))
  const byKey = await listByKeys(trx, org_id, 'check', [...new Set(keys as string[])].filter(isStorable))
  const guidOf = ({ key, id = '' }: Put) => byKey.get(key ?? keyIn(id) ?? '') ?? (key === undefined ? id : undefined)
  const guids = read.flatMap(({ put }) => guidOf(put) ?? []).filter(isStorable)
  const rows = await listChecksWithMonitors(trx, org_id, { limit: guids.length, guids })
  const held = new Map(rows.map((row) => [row.check.guid, row]))
  const seen = new Set<string>()
  const placed: Placed[] = []
  for (const one of read) {
    const { put, monitors } = one
    const before = held.get(guidOf(put) ?? '')
    if (!before && put.key === undefined) faults.add(put.index, 'id', 'must name a check that exists')
    else if (before && seen.has(before.check.guid))
      faults.add(put.index, 'id', 'names a check that another change names')
    else {
      const guid = before?.check.guid ?? newGuid(deps.random)
      seen.add(guid)
      if (put.key !== undefined) byKey.set(put.key, guid)
      placed.push({ ...one, guid, before, choice: monitors ?? (before ? choiceOf(before) : 'all') })
    }
  }
  // What they depend on may be new as well.
  return placed.map((one) => {
    if (one.on_key === undefined) return one
    const depends_on = byKey.get(one.on_key)
    if (depends_on !== undefined) return { ...one, content: { ...one.content, depends_on } }
    faults.add(one.put.index, 'body.depends_on', 'must name a check that exists: none has that key')
    return one
  })
}

function isDifferent({ put, before, content, choice }: Placed): boolean {
  if (!before || changedFields(before.check, content).length > 0) return true
  const key = put.key === undefined ? readKey(put.input) : undefined
  return (key !== undefined && key !== before.key) || !isSameChoice(choiceOf(before), choice)
}

/** Checks with one choice of monitors together. */
function byChoice(placed: readonly Placed[]): Map<string, Placed[]> {
  return Map.groupBy(placed, ({ choice }) => nameOfChoice(choice))
}

async function requireAllMonitors(
  trx: Transaction<Tables>,
  org_id: number,
  placed: readonly Placed[],
  faults: Faults,
): Promise<void> {
  for (const same of byChoice(placed).values()) {
    const [first] = same
    if (!first || typeof first.choice === 'string') continue
    const { choice } = first
    if (!choice.every(isStorable))
      faults.add(first.put.index, 'body.monitors', 'must name monitors of the organisation')
    else {
      const restricted = same.find(({ content }) => content.restricted) ?? first
      const checks = [{ guid: restricted.guid, restricted: restricted.content.restricted } as CheckPlace]
      await faults.during(restricted.put.index, () => requireMonitors(trx, org_id, choice, checks))
    }
  }
}

async function requireDependencies(
  trx: Transaction<Tables>,
  org_id: number,
  placed: readonly Placed[],
  faults: Faults,
): Promise<void> {
  const known = new Set(['', ...placed.map(({ guid }) => guid)])
  for (const { put, content, before } of placed) {
    const { depends_on } = content
    if (known.has(depends_on) || before?.check.depends_on === depends_on) continue
    if (await isDependable(trx, org_id, depends_on)) known.add(depends_on)
    else faults.add(put.index, 'body.depends_on', 'must be the guid of a check or the id of a monitor that exists')
  }
}

/** Returns the checks' places in the order of what was sent. */
async function storeAll(
  trx: Transaction<Tables>,
  deps: Deps,
  { org_id }: Editor,
  differing: readonly Placed[],
): Promise<CheckPlace[]> {
  const held = await listCheckPlaces(
    trx,
    differing.flatMap(({ before, guid }) => (before ? [guid] : [])),
  )
  if (held.length > 0) await lockChecksToJudge(trx, held)
  const places = new Map(held.map((one) => [one.guid, one]))
  await setKeys(
    trx,
    org_id,
    'check',
    differing.flatMap((one) => (one.before ? [keyOfMany(one)] : [])),
  )
  const replaced = differing.flatMap(({ before, guid, content }) => {
    const place = places.get(guid)
    return before && place ? [{ place, content, before: before.check }] : []
  })
  for (const one of await replaceChecks(trx, deps, org_id, replaced)) places.set(one.guid, one)
  const created = differing.filter(({ before }) => !before)
  const rows = created.map(({ guid, content, put }) => ({ guid, content, key: put.key ?? null }))
  for (const one of await insertChecks(trx, org_id, rows)) places.set(one.guid, one)
  return differing.flatMap(({ guid }) => places.get(guid) ?? [])
}

function keyOfMany({ put, guid, before }: Placed): KeyOfMany {
  const held = before?.key ?? null
  return { index: put.index, id: guid, held, key: put.key === undefined ? readKey(put.input) : put.key }
}

/** Of those that have other monitors than before: assigning the same ones would look at each of them. */
async function setAllMonitors(
  trx: Transaction<Tables>,
  differing: readonly Placed[],
  places: readonly CheckPlace[],
): Promise<void> {
  const byGuid = new Map(places.map((one) => [one.guid, one]))
  const moved = differing.filter(({ before, choice }) => !before || !isSameChoice(choiceOf(before), choice))
  for (const same of byChoice(moved).values()) {
    const [first] = same
    if (first)
      await setMonitors(
        trx,
        same.flatMap(({ guid }) => byGuid.get(guid) ?? []),
        first.choice,
      )
  }
}

/** Refuses the first check of the request that depends on itself, directly or by others. */
async function refuseCircles(
  trx: Transaction<Tables>,
  org_id: number,
  differing: readonly Placed[],
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
      faults.add(put.index, 'body.depends_on', 'must not lead back to the check itself')
      return faults.refuse()
    }
  }
}

async function recordAll(
  trx: Transaction<Tables>,
  deps: Deps,
  { org_id, actor }: Editor,
  differing: readonly Placed[],
  places: readonly CheckPlace[],
): Promise<void> {
  const ids = new Map(places.map(({ guid, check_id }) => [guid, check_id]))
  const deeds = differing.map(({ put, guid, before, content, choice }) => {
    const check_id = ids.get(guid)
    const about = { org_id, subject: content.name, ...(check_id !== undefined && { check_id }) }
    if (!before) return { ...about, action: 'check.create' }
    const changed = changedFields(before.check, content).map(({ field }) => field)
    const also = [
      ...(isSameChoice(choiceOf(before), choice) ? [] : ['monitors']),
      ...changedKey(before.key, keyGiven(put)),
    ]
    return { ...about, action: 'check.edit', detail: { changed: [...changed, ...also] } }
  })
  await recordDeeds(trx, deps, actor, deeds)
}

/** Undefined: it stays. */
function keyGiven({ key, input }: Put): string | null | undefined {
  return key === undefined ? readKey(input) : key
}

function outcomeOf(placed: Placed): Outcome {
  const { put, guid, before, content, choice } = placed
  const given = keyGiven(put)
  const key = given === undefined ? (before?.key ?? null) : given
  const monitors = typeof choice === 'string' ? [] : choice.toSorted()
  const after = { check: { ...content, guid, check_id: 0 }, all_monitors: choice === 'all', monitors, key }
  const done = before ? 'replaced' : 'created'
  return { index: put.index, action: isDifferent(placed) ? done : 'unchanged', id: guid, key, before, after }
}
