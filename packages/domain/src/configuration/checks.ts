// Reads and changes checks for the configuration API, with the monitors that run them and a version.
import { needsOf } from '@dogwatch/check-rules/abilities'
import { faultOfRetries } from '@dogwatch/check-rules/retries'
import { hideSecrets, secretsIn } from '@dogwatch/check-rules/secrets'
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import { type CheckRow, listCheckPlaces, tick } from '@dogwatch/store/checks/checks'
import { listChecksWithMonitors, type MonitorsOfCheck } from '@dogwatch/store/checks/configured-checks'
import type { Db } from '@dogwatch/store/database'
import { ableWords } from '../checks/able.ts'
import { choiceOf, type MonitorChoice } from '../checks/assign.ts'
import { changeChecks } from '../checks/change-many.ts'
import { createCheck, editCheck } from '../checks/create-or-edit.ts'
import { toFileCheck } from '../checks/file.ts'
import { type Editor, switchCheck } from '../checks/pause-delete-wipe.ts'
import { readCheckWithState } from '../checks/read.ts'
import type { StateSince } from '../checks/state.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { isStorable } from '../text.ts'
import { changedKey, readKey, requireKeyFree, resolveReference, resolveReferences, setKey } from './keys.ts'
import { type Input, type Kind, type Page, pageOf, unknownCursor, versionFrom } from './kind.ts'
import { type ChangedItem, editsBy, lockedChanges } from './locked-change.ts'
import { together } from './together.ts'

/** A check with its monitors and its secrets. */
export interface ConfiguredCheck extends MonitorsOfCheck {
  check: CheckRow
  /** State of the check. Absent in lists and after a change. */
  state?: StateSince | undefined
  /** Fields with secrets in the request that were not compared with the stored ones. Absent except after a change. */
  uncompared?: readonly string[]
}

/** Returns a page of an organisation's checks, oldest first. `next` is undefined on the last page. */
async function listConfiguredChecks(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  { limit, after, tag }: Page,
): Promise<{ things: ConfiguredCheck[]; next: string | undefined }> {
  if (after !== undefined && !isStorable(after)) throw unknownCursor()
  // No check has a tag that the database cannot store.
  if (tag !== undefined && !isStorable(tag)) return { things: [], next: undefined }
  const rows = await listChecksWithMonitors(database.people, org_id, { limit: limit + 1, after, tag })
  if (after !== undefined && rows.length === 0 && !(await hasBeen(database.people, org_id, after)))
    throw unknownCursor()
  return pageOf(rows, limit, ({ check }) => check.guid)
}

/** Whether the organisation has or had a check with that guid. A deleted check keeps its position in the list. */
async function hasBeen(db: Db, org_id: number, guid: string): Promise<boolean> {
  return (await listCheckPlaces(db, [guid])).some((place) => place.org_id === org_id)
}

/** Reads a check without its state, because another connection reads states and would miss the changes of this transaction. */
async function readContent(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  reference: string,
): Promise<ConfiguredCheck> {
  const guid = await resolveReference(database.people, org_id, 'check', reference)
  const [found] = isStorable(guid) ? await listChecksWithMonitors(database.people, org_id, { limit: 1, guid }) : []
  if (!found) throw noSuchCheck()
  return found
}

async function readConfiguredCheck(
  deps: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  reference: string,
): Promise<ConfiguredCheck> {
  const guid = await resolveReference(deps.database.people, org_id, 'check', reference)
  const { check, state } = await readCheckWithState(deps, org_id, guid)
  const [found] = await listChecksWithMonitors(deps.database.people, org_id, { limit: 1, guid })
  if (!found) throw noSuchCheck()
  return { ...found, check, state }
}

function versionOf({ check, all_monitors, monitors, key, mark }: ConfiguredCheck): string {
  const told = [hideSecrets(toFileCheck(check)), all_monitors ? 'all' : monitors, key, mark]
  return versionFrom(told)
}

async function createConfiguredCheck(deps: Deps, by: Editor, input: Input): Promise<ConfiguredCheck> {
  const monitors = readMonitors(input) ?? 'all'
  const key = readKey(input) ?? null
  return together(deps, async (inner, trx) => {
    await tick(trx)
    await lockOrganisation(trx, by.org_id)
    await requireKeyFree(trx, by.org_id, 'check', { key })
    const { guid } = await createCheck(inner, by, await contentOf(trx, by.org_id, input), monitors, { key })
    return readContent(inner, by.org_id, guid)
  })
}

const CHANGES = lockedChanges<ConfiguredCheck>({
  idOf: ({ check }) => check.guid,
  versionOf,
  async lock(inner, trx, org_id, reference) {
    // Locks in the order that all changes of checks use, so that no one changes the check between our read and our change.
    await tick(trx)
    await lockOrganisation(trx, org_id)
    return readContent(inner, org_id, reference)
  },
  readChanged: readContent,
  // The console can undo the deletion for a while.
  async removeOne(inner, by, { check }) {
    await changeChecks(inner, by, [check.guid], { kind: 'delete' })
  },
})

function edit(
  deps: Deps,
  by: Editor,
  changed: ChangedItem,
  wholeOf: (before: ConfiguredCheck) => Input,
): Promise<ConfiguredCheck> {
  return CHANGES.changeBy(deps, by, changed, async (inner, before) => {
    const { guid } = before.check
    const { people } = inner.database
    const input = wholeOf(before)
    const key = readKey(input)
    await setKey(people, by.org_id, 'check', { id: guid, key })
    const entry = await contentOf(people, by.org_id, input)
    await editCheck(inner, by, guid, entry, readMonitors(input) ?? choiceOf(before), changedKey(before.key, key))
  })
}

/** Returns all fields of a check after a change that sets some of them. Omitted secrets stay, because they are hidden. */
function merge({ check }: ConfiguredCheck, input: Input): Input {
  return { ...hideSecrets(toFileCheck(check)), ...input }
}

/** Pauses or resumes a check. */
function switchOne(deps: Deps, by: Editor, reference: string, enabled: boolean): Promise<ConfiguredCheck> {
  return CHANGES.changeBy(deps, by, { reference }, async (inner, { check }) => {
    if (check.enabled !== enabled) await switchCheck(inner, check.guid, enabled, by)
  })
}

/** Returns the choice of monitors, or undefined if the input has none. */
export function readMonitors({ all_monitors, monitors }: Input): MonitorChoice | undefined {
  const ids = monitors as readonly string[] | null | undefined
  if (all_monitors === true) {
    if (ids && ids.length > 0) throw new FieldError('invalid', 'monitors', 'must be omitted if all_monitors is true')
    return 'all'
  }
  if (ids) return ids.length === 0 ? 'none' : [...new Set(ids)]
  return all_monitors === false ? 'none' : undefined
}

const NOT_CONTENT = new Set(['guid', 'state', 'state_since', 'warnings', 'all_monitors', 'monitors', 'key'])

/** Returns the fields of the check itself, without its state, its key and its choice of monitors. */
export function contentFields(input: Input): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !NOT_CONTENT.has(name)))
}

async function contentOf(db: Db, org_id: number, input: Input): Promise<Record<string, unknown>> {
  const content = contentFields(input)
  const { depends_on } = content
  if (typeof depends_on !== 'string') return content
  const [guid] = await resolveReferences(db, org_id, 'check', [depends_on], () => 'depends_on')
  return { ...content, depends_on: guid }
}

function noSuchCheck(): DomainError {
  return new DomainError('missing', 'no check with that guid')
}

function toWire(configured: ConfiguredCheck, reads_secrets = false) {
  const { check, state, all_monitors, monitors, key } = configured
  const content = toFileCheck(check)
  const warnings = warningsOf(configured)
  return {
    ...(reads_secrets ? content : hideSecrets(content)),
    ...(key !== null && { key }),
    ...(state && { state: state.state, ...(state.since !== null && { state_since: state.since }) }),
    ...(all_monitors && { all_monitors }),
    ...(monitors.length > 0 && { monitors }),
    ...(warnings.length > 0 && { warnings }),
  }
}

function warningsOf({ check, monitors, unable }: ConfiguredCheck): string[] {
  const able = Array.from(monitors.slice(unable.length), () => ({ abilities: needsOf(check) }))
  const few = ableWords(check, [...unable, ...able])
  const idle = faultOfRetries({ ...check }, able.length)
  return [...(idle === undefined ? [] : [`retry_count ${idle}`]), ...(few === undefined ? [] : [`monitors: ${few}`])]
}

/** Returns the secrets by field, for comparison. Responses never contain them. */
function secretsOf({ check }: ConfiguredCheck): Readonly<Record<string, string>> {
  const byField = Map.groupBy(secretsIn(check), ({ field }) => field)
  return Object.fromEntries([...byField].map(([field, some]) => [field, JSON.stringify(some)]))
}

export const CHECK = {
  name: 'check',
  derived: ['guid', 'state', 'state_since', 'warnings'],
  list: listConfiguredChecks,
  read: readConfiguredCheck,
  create: createConfiguredCheck,
  ...CHANGES,
  ...editsBy(edit, merge),
  switch: switchOne,
  toWire,
  secretsOf,
  uncomparedOf: ({ uncompared = [] }) => uncompared,
} satisfies Kind<ConfiguredCheck>
