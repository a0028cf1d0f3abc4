// Reads and changes maintenance windows for the configuration API.
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
import { type Input, versionFrom } from './kind.ts'
import { type KeyedItem, listedKind } from './listed-kind.ts'
import { namedInScope, type ReferencesByKind, type ResolvedReferences, scopeIn, scopeToWire } from './references.ts'

/** A window with its key. `state` and `span` are absent after a change. */
export type ConfiguredWindow = KeyedItem<MaintenanceWindow & Partial<Pick<ShownWindow, 'state' | 'span'>>>

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

function toWire({ item, key }: ConfiguredWindow) {
  const { guid, name, scope, starts_at, duration_sec, zone, rule, is_public, state, span } = item
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

function versionOf({ item, key }: ConfiguredWindow): string {
  const { state: _, span: __, ...content } = item
  return versionFrom(toWire({ item: content, key }))
}

export const WINDOW = listedKind({
  name: 'window',
  derived: ['guid', 'state', 'begins_at', 'ends_at'],
  // Current windows come first, then future ones, then past ones.
  readAll: (deps, org_id): Promise<ConfiguredWindow['item'][]> => readWindows(deps, org_id),
  readOne: readWindow,
  createOne: createWindow,
  editOne: editWindow,
  removeOne: removeWindow,
  namedIn,
  contentOf: inputOf,
  toWire,
  versionOf,
})

/** Ends a current window. A repeating window will start again. */
export function endConfiguredWindow(deps: Deps, by: Editor, reference: string): Promise<ConfiguredWindow> {
  return WINDOW.changeBy(deps, by, { reference }, (inner, { item: { guid } }) =>
    endWindow(inner, { org_id: by.org_id, guid }, by.actor),
  )
}
