// Reads the checks of a bulk request and looks up the stored ones, without any lock. One statement reads what all of them share.

import { setImmediate as pause } from 'node:timers/promises'
import { newContradictionsIn } from '@dogwatch/check-rules/contradictions'
import { withStoredSecrets } from '@dogwatch/check-rules/secrets'
import { newGuid } from '@dogwatch/runtime/ids'
import { findOrganisation, type OrganisationRow } from '@dogwatch/store/accounts/organisations'
import { type CheckPlace, countChecks, listCheckPlaces, sumDefinitionBytes } from '@dogwatch/store/checks/checks'
import { listChecksWithMonitors } from '@dogwatch/store/checks/configured-checks'
import { isDependable } from '@dogwatch/store/checks/dependencies'
import { reserveCheckIds } from '@dogwatch/store/checks/many-checks'
import { listByKeys } from '@dogwatch/store/configuration/keys'
import type { Trx } from '@dogwatch/store/database'
import {
  choiceOf,
  isSameChoice,
  type MonitorChoice,
  nameOfChoice,
  requireMonitors,
  requireNoneSelected,
  storedChoice,
} from '../checks/assign.ts'
import { type CheckFields, faultsOfPlan, readWithoutPattern, requirePattern } from '../checks/check.ts'
import { restoreContent } from '../checks/hidden-secrets.ts'
import { requireFewMade } from '../checks/made.ts'
import { PatternBudget, slicesOf } from '../checks/patterns.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import { changedFields } from '../checks/preview.ts'
import type { Deps } from '../deps.ts'
import { listNested, NESTED } from '../judged/require-members.ts'
import { existing } from '../organisations/existing.ts'
import { planOf } from '../organisations/plans.ts'
import { isStorable } from '../text.ts'
import type { IndexedChange } from './bulk-changes.ts'
import { type ConfiguredCheck, contentFields, readMonitors } from './checks.ts'
import type { Faults } from './faults.ts'
import { changedKey, type KeyOfMany, keyIn, readKey, requireKeysFree } from './keys.ts'

/** A check as its change describes it, before any lookup. */
export interface ReadPut {
  put: IndexedChange
  /** Content of the check. `depends_on` is empty if `on_key` names the dependency. */
  content: CheckFields
  on_key: string | undefined
  monitors: MonitorChoice | undefined
}

/** A check of the request, compared with the stored one if it exists. */
export interface ComparedCheck extends ReadPut {
  guid: string
  before: ConfiguredCheck | undefined
  choice: MonitorChoice
  /** Names of the fields that change, as in the audit log. Empty for a new check. */
  changed: readonly string[]
  isDifferent: boolean
  /** Fields with secrets that the request contains and that were not compared with the stored ones. */
  uncompared: readonly string[]
  /** Whether the secrets that were not compared count as changes. */
  mayChange: boolean
}

/** Checks to store, as planned without a lock. */
export interface PlannedChecks {
  organisation: OrganisationRow
  /** All checks, in the order of the request. */
  placed: readonly ComparedCheck[]
  differing: readonly ComparedCheck[]
  /** Ids and names of the existing checks that differ. */
  places: readonly CheckPlace[]
  /** Reserved ids of the new checks, by guid. */
  ids: ReadonlyMap<string, number>
  /**
   * Number of all checks of the organisation before any check of the request is stored. `bytes` is the size of all their
   * definitions.
   */
  count: number
  bytes: number
}

/** Reads the checks of a request before any lock, and lets other requests run in between. */
export async function readPuts(puts: readonly IndexedChange[], faults: Faults): Promise<ReadPut[]> {
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

function readPut(put: IndexedChange, budget: PatternBudget): ReadPut {
  const entry = contentFields(put.input)
  const on_key = typeof entry.depends_on === 'string' ? keyIn(entry.depends_on) : undefined
  const content = readWithoutPattern('check', on_key === undefined ? entry : { ...entry, depends_on: '' })
  budget.spend(content)
  readKey(put.input)
  const monitors = readMonitors(put.input)
  requireNoneSelected('body.', content.url, monitors)
  return { put, content, on_key, monitors }
}

/**
 * Compares the requested checks with the stored ones. Returns undefined if there are faults. A caller without the locks of the
 * organisation must make sure before storing that no check has changed.
 */
export async function planChecks(
  trx: Trx,
  deps: Pick<Deps, 'random'>,
  by: Editor,
  read: readonly ReadPut[],
  faults: Faults,
): Promise<PlannedChecks | undefined> {
  const { org_id } = by
  const organisation = existing(await findOrganisation(trx, org_id))
  const placed = await place(trx, deps, by, read, faults)
  for (const { put, content, before: held } of placed) {
    const found = [
      ...faultsOfPlan(content, organisation.plan, planOf(organisation)),
      ...newContradictionsIn(content, held?.check),
    ]
    for (const { field, must } of found) faults.add(put.index, `body.${field}`, must)
  }
  await requireAllMonitors(trx, org_id, placed, faults)
  const differing = placed.filter(({ isDifferent }) => isDifferent)
  await requireDependencies(trx, org_id, placed, faults)
  for (const { put } of await listNested(trx, org_id, placed)) faults.add(put.index, 'body.url', NESTED)
  await requireKeysFree(trx, org_id, 'check', placed.map(keyOfMany), faults)
  if (!faults.isEmpty) return undefined
  const created = differing.filter(({ before }) => !before)
  if (created.length > 0) await requireFewMade(trx, organisation, created.length)
  const held = differing.flatMap(({ before, guid }) => (before ? [guid] : []))
  const ids = await reserveCheckIds(trx, created.length)
  return {
    ...{ organisation, placed, differing },
    places: held.length === 0 ? [] : await listCheckPlaces(trx, held),
    ids: new Map(created.map(({ guid }, at) => [guid, ids[at] ?? 0])),
    count: differing.length === 0 ? 0 : await countChecks(trx, org_id),
    bytes: differing.length === 0 ? 0 : await sumDefinitionBytes(trx, org_id),
  }
}

async function place(
  trx: Trx,
  deps: Pick<Deps, 'random'>,
  { org_id, hides_secrets }: Editor,
  read: readonly ReadPut[],
  faults: Faults,
): Promise<ComparedCheck[]> {
  const keys = read.flatMap(({ put: { key, id }, on_key }) => [key, on_key, id && keyIn(id)].filter((one) => !!one))
  const byKey = await listByKeys(trx, org_id, 'check', [...new Set(keys as string[])].filter(isStorable))
  const guidOf = ({ key, id = '' }: IndexedChange) =>
    byKey.get(key ?? keyIn(id) ?? '') ?? (key === undefined ? id : undefined)
  const guids = read.flatMap(({ put }) => guidOf(put) ?? []).filter(isStorable)
  const rows = await listChecksWithMonitors(trx, org_id, { limit: guids.length, guids })
  const held = new Map(rows.map((row) => [row.check.guid, row]))
  const seen = new Set<string>()
  const placed: Omit<ComparedCheck, 'changed' | 'isDifferent'>[] = []
  for (const one of read) {
    const { put, monitors } = one
    const before = held.get(guidOf(put) ?? '')
    if (!before && put.key === undefined) faults.add(put.index, 'id', 'must name an existing check')
    else if (before && seen.has(before.check.guid))
      faults.add(put.index, 'id', 'names a check that another change also names')
    else {
      const guid = before?.check.guid ?? newGuid(deps.random)
      seen.add(guid)
      if (put.key !== undefined) byKey.set(put.key, guid)
      const { content, uncompared } = withSecrets(one, before, hides_secrets?.checks ?? false, faults)
      const mayChange = hides_secrets?.is_change === true && uncompared.length > 0
      const choice = storedChoice(content.url, monitors ?? (before ? choiceOf(before) : 'all'))
      placed.push({ ...one, content, uncompared, mayChange, guid, before, choice })
    }
  }
  // A dependency can be new as well, so it is resolved after all checks have their guids.
  return placed.map((one) => {
    if (one.on_key === undefined) return compared(one)
    const depends_on = byKey.get(one.on_key)
    if (depends_on !== undefined) return compared({ ...one, content: { ...one.content, depends_on } })
    faults.add(one.put.index, 'body.depends_on', 'must name an existing check; no check has that key')
    return compared(one)
  })
}

/**
 * Replaces hidden secrets by the stored ones. With `isBlind`, also replaces each sent secret that is stored already, because the
 * caller must not learn whether a guess is right.
 */
function withSecrets(
  { put, content: given }: ReadPut,
  before: ConfiguredCheck | undefined,
  isBlind: boolean,
  faults: Faults,
): Pick<ComparedCheck, 'content' | 'uncompared'> {
  const { content, faults: lost } = restoreContent(given, before?.check)
  for (const { field, must } of lost) faults.add(put.index, `body.${field}`, must)
  if (!before || !isBlind) return { content, uncompared: [] }
  const { held, fields } = withStoredSecrets(given, before.check)
  return { content: held, uncompared: fields }
}

function compared(one: Omit<ComparedCheck, 'changed' | 'isDifferent'>): ComparedCheck {
  const { put, before, content, choice, mayChange } = one
  if (!before) return { ...one, changed: [], isDifferent: true }
  const changed = [
    ...changedFields(before.check, content),
    ...(isSameChoice(choiceOf(before), choice) ? [] : ['monitors']),
    ...changedKey(before.key, keyGiven(put)),
  ]
  return { ...one, changed, isDifferent: changed.length > 0 || mayChange }
}

/** Groups checks by their choice of monitors. */
export function byChoice(
  placed: readonly ComparedCheck[],
): (readonly [choice: MonitorChoice, same: ComparedCheck[]])[] {
  const groups = Map.groupBy(placed, ({ choice }) => nameOfChoice(choice))
  return [...groups.values()].flatMap((same) => (same[0] ? [[same[0].choice, same] as const] : []))
}

async function requireAllMonitors(
  trx: Trx,
  org_id: number,
  placed: readonly ComparedCheck[],
  faults: Faults,
): Promise<void> {
  for (const [choice, same] of byChoice(placed)) {
    const [first] = same
    if (!first || typeof choice === 'string') continue
    if (!choice.every(isStorable)) faults.add(first.put.index, 'body.monitors', 'must contain only ids of monitors')
    else {
      const restricted = same.find(({ content }) => content.restricted) ?? first
      const checks = [{ guid: restricted.guid, restricted: restricted.content.restricted } as CheckPlace]
      await faults.during(restricted.put.index, () => requireMonitors(trx, org_id, choice, checks))
    }
  }
}

async function requireDependencies(
  trx: Trx,
  org_id: number,
  placed: readonly ComparedCheck[],
  faults: Faults,
): Promise<void> {
  const known = new Set(['', ...placed.map(({ guid }) => guid)])
  for (const { put, content, before } of placed) {
    const { depends_on } = content
    if (known.has(depends_on) || before?.check.depends_on === depends_on) continue
    if (await isDependable(trx, org_id, depends_on)) known.add(depends_on)
    else
      faults.add(put.index, 'body.depends_on', 'must be the guid of an existing check or the id of an existing monitor')
  }
}

export function keyOfMany({ put, guid, before }: ComparedCheck): KeyOfMany {
  const held = before?.key ?? null
  return { index: put.index, id: guid, held, key: put.key === undefined ? readKey(put.input) : put.key }
}

/** Returns the new key of a change, null to remove the key, or undefined to keep it. */
export function keyGiven({ key, input }: IndexedChange): string | null | undefined {
  return key === undefined ? readKey(input) : key
}
