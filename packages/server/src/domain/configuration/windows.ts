// Reads and changes maintenance windows for the configuration API.
import { lockOrganisation } from '../../store/accounts/organisations.ts'
import type { Db } from '../../store/database.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import {
  createWindow,
  editWindow,
  endWindow,
  readWindow,
  readWindows,
  removeWindow,
  type ShownWindow,
} from '../maintenance/edit.ts'
import { type EditedWindow, type MaintenanceWindow } from '../maintenance/window.ts'
import { changedKey, listKeysOf, readKey, requireKeyFree, resolveReference, setKey } from './keys.ts'
import {
  type Input,
  type Kind,
  type Page,
  requireVersion,
  unknownCursor,
  versionFrom,
  type VersionedInput,
} from './kind.ts'
import {
  type ResolvedReferences,
  lookUp,
  type ReferencesByKind,
  namedInScope,
  scopeIn,
  scopeToWire,
} from './references.ts'
import { together } from './together.ts'

export interface ConfiguredWindow {
  /** `state` and `span` are absent after a change. */
  window: MaintenanceWindow & Partial<Pick<ShownWindow, 'state' | 'span'>>
  key: string | null
}

/**
 * Returns a page of windows: current ones, then future ones, then past ones. `after`: guid of the last window on the previous
 * page.
 */
async function listConfiguredWindows(
  deps: Deps,
  org_id: number,
  { limit, after }: Page,
): Promise<{ things: ConfiguredWindow[]; next: string | undefined }> {
  const windows = await readWindows(deps, org_id)
  const at = after === undefined ? 0 : windows.findIndex(({ guid }) => guid === after) + 1
  if (after !== undefined && at === 0) throw unknownCursor()
  const page = windows.slice(at, at + limit)
  const things = await withKeys(deps.database.people, org_id, page)
  return { things, next: at + limit < windows.length ? page.at(-1)?.guid : undefined }
}

async function readConfiguredWindow(deps: Deps, org_id: number, reference: string): Promise<ConfiguredWindow> {
  const { people } = deps.database
  const guid = await resolveReference(people, org_id, 'window', reference)
  const window = (await readWindows(deps, org_id)).find((one) => one.guid === guid)
  const [found] = await withKeys(people, org_id, [window ?? (await readWindow(deps, org_id, guid))])
  return found as ConfiguredWindow
}

async function readContent(deps: Deps, org_id: number, reference: string): Promise<ConfiguredWindow> {
  const { people } = deps.database
  const window = await readWindow(deps, org_id, await resolveReference(people, org_id, 'window', reference))
  const [found] = await withKeys(people, org_id, [window])
  return found as ConfiguredWindow
}

export async function withKeys(
  db: Db,
  org_id: number,
  windows: readonly ConfiguredWindow['window'][],
): Promise<ConfiguredWindow[]> {
  const guids = windows.map(({ guid }) => guid)
  const keys = await listKeysOf(db, org_id, 'window', guids)
  return windows.map((window) => ({ window, key: keys.get(window.guid) ?? null }))
}

async function createConfiguredWindow(deps: Deps, by: Editor, input: Input): Promise<ConfiguredWindow> {
  const { org_id, actor } = by
  const key = readKey(input) ?? null
  return together(deps, async (inner, trx) => {
    await lockOrganisation(trx, org_id)
    await requireKeyFree(trx, org_id, 'window', { key })
    const { guid } = await createWindow(inner, org_id, await readInput(trx, org_id, input), actor)
    await setKey(trx, org_id, 'window', { id: guid, key })
    return readContent(inner, org_id, guid)
  })
}

function replaceConfiguredWindow(
  deps: Deps,
  by: Editor,
  reference: string,
  { input, expected }: VersionedInput,
): Promise<ConfiguredWindow> {
  return change(deps, by, reference, expected, (inner, before) => edit(inner, by, before, input, input))
}

function changeConfiguredWindow(
  deps: Deps,
  by: Editor,
  reference: string,
  { input, expected }: VersionedInput,
): Promise<ConfiguredWindow> {
  return change(deps, by, reference, expected, (inner, before) =>
    edit(inner, by, before, input, { ...toWire(before), ...input }),
  )
}

/** Edits a window. `content`: all fields that it will have. */
async function edit(
  inner: Deps,
  by: Editor,
  { window, key: held }: ConfiguredWindow,
  input: Input,
  content: Input,
): Promise<void> {
  const { org_id, actor } = by
  const { people } = inner.database
  const key = readKey(input)
  await setKey(people, org_id, 'window', { id: window.guid, key })
  const wanted = await readInput(people, org_id, content, window)
  await editWindow(inner, { org_id, guid: window.guid }, wanted, actor, changedKey(held, key))
}

/** Ends a current window. A repeating one will start again. */
export function endConfiguredWindow(deps: Deps, by: Editor, reference: string): Promise<ConfiguredWindow> {
  return change(deps, by, reference, undefined, async (inner, { window: { guid } }) => {
    await endWindow(inner, { org_id: by.org_id, guid }, by.actor)
  })
}

async function removeConfiguredWindow(
  deps: Deps,
  by: Editor,
  reference: string,
  expected: string | undefined,
): Promise<string> {
  return underLocks(deps, by, reference, expected, async (inner, { window: { guid } }) => {
    await removeWindow(inner, { org_id: by.org_id, guid }, by.actor)
    return guid
  })
}

function change(
  deps: Deps,
  by: Editor,
  reference: string,
  expected: string | undefined,
  apply: (inner: Deps, before: ConfiguredWindow) => Promise<void>,
): Promise<ConfiguredWindow> {
  return underLocks(deps, by, reference, expected, async (inner, before) => {
    await apply(inner, before)
    return readContent(inner, by.org_id, before.window.guid)
  })
}

function underLocks<Result>(
  deps: Deps,
  by: Editor,
  reference: string,
  expected: string | undefined,
  work: (inner: Deps, before: ConfiguredWindow) => Promise<Result>,
): Promise<Result> {
  return together(deps, async (inner, trx) => {
    await lockOrganisation(trx, by.org_id)
    const before = await readContent(inner, by.org_id, reference)
    requireVersion(versionOf(before), expected)
    return work(inner, before)
  })
}

async function readInput(db: Db, org_id: number, input: Input, before?: MaintenanceWindow): Promise<EditedWindow> {
  return inputOf(await lookUp(db, org_id, namedIn(input)), input, before)
}

/** Returns the references in a window. */
export function namedIn({ scope }: Input): ReferencesByKind {
  return { ...namedInScope(scope), channels: [] }
}

/** Returns all fields of the window that a body describes. `known`: items that the body names. */
export function inputOf(known: ResolvedReferences, input: Input, before?: MaintenanceWindow): EditedWindow {
  return { ...restOf(input), scope: scopeIn(known, input.scope, before?.scope) }
}

/** Returns all fields of a window except its scope. */
export function restOf({ name, starts_at, duration_sec, zone, rule, is_public }: Input): Omit<EditedWindow, 'scope'> {
  return {
    name: typeof name === 'string' ? name : '',
    starts_at: typeof starts_at === 'string' ? starts_at : '',
    duration_sec: typeof duration_sec === 'number' ? duration_sec : 0,
    zone: typeof zone === 'string' ? zone : 'UTC',
    rule: typeof rule === 'string' && rule.trim() !== '' ? rule : null,
    is_public: is_public === true,
  }
}

function toWire({ window, key }: ConfiguredWindow) {
  const { guid, name, scope, starts_at, duration_sec, zone, rule, is_public, state, span } = window
  return {
    guid,
    ...(key !== null && { key }),
    name,
    scope: scopeToWire(scope),
    starts_at,
    duration_sec,
    zone,
    ...(rule !== null && { rule }),
    ...(is_public && { is_public }),
    ...(state && { state }),
    ...(span && { begins_at: span.begins_at, ends_at: span.ends_at }),
  }
}

function versionOf({ window, key }: ConfiguredWindow): string {
  const { state: _, span: __, ...content } = window
  return versionFrom(toWire({ window: content, key }))
}

export const WINDOW = {
  name: 'window',
  derived: ['guid', 'state', 'begins_at', 'ends_at'],
  list: listConfiguredWindows,
  read: readConfiguredWindow,
  create: createConfiguredWindow,
  replace: replaceConfiguredWindow,
  change: changeConfiguredWindow,
  remove: removeConfiguredWindow,
  toWire,
  idOf: ({ window }) => window.guid,
  versionOf,
} satisfies Kind<ConfiguredWindow>
