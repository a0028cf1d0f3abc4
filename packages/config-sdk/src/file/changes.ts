// Turns a file into the changes that it requests: one change for each item, which the server makes all together.

import type { Schemas } from '../index.ts'
import type { ConfigFile, FileStatusPage, Section } from './format.ts'
import type { Path } from './place.ts'
import { mapReferences, toWire } from './references.ts'
import type { KeyedItem } from './server.ts'

type Change = Schemas['BulkChange']

/** A change, and the place of its item in the file. The place is absent for a deletion, because the file omits the item. */
export interface RequestedChange {
  change: Change
  path: Path | undefined
}

/** Kinds of the items of each section in the API. */
export const KIND_OF = {
  channels: 'channel',
  checks: 'check',
  heartbeats: 'heartbeat',
  routes: 'route',
  maintenance: 'window',
} as const satisfies Record<Section, string>

/** Maximum number of changes in a request. */
export const MAX_CHANGES = 1000

/**
 * Returns a change for each item of the file, and a deletion for each item of `held` that its section of the file omits. Items of
 * sections that the file lacks stay unchanged.
 */
export function changesOf(config: ConfigFile, held: readonly KeyedItem[] = []): RequestedChange[] {
  const wired = mapReferences(config, ({ reference }) => toWire(reference))
  const puts = Object.entries(KIND_OF).flatMap(([section, kind]) =>
    Object.entries<object>(wired[section as Section] ?? {}).map(([key, thing]) => ({
      change: { action: 'put', kind, key, body: bodyOf(section as Section, thing) } as Change,
      path: [section, key],
    })),
  )
  const page = wired.status_page
  const gone = held.filter(({ section, key }) => config[section] && !Object.hasOwn(config[section], key))
  return [
    ...puts,
    ...(page ? [{ change: pageChange(page), path: ['status_page'] }] : []),
    ...gone.map(({ section, key }) => ({
      change: { action: 'delete', kind: KIND_OF[section], key } as Change,
      path: undefined,
    })),
  ]
}

/** Returns the change of the status page. It has no key, because there is only one. */
function pageChange(page: FileStatusPage): Change {
  return { action: 'put', kind: 'status_page', body: { entries: [], ...page } }
}

function bodyOf(section: Section, thing: object): object {
  if (section !== 'checks' || 'monitors' in thing || 'all_monitors' in thing) return thing
  // If the request omitted `all_monitors`, the server would keep the monitors of an existing check.
  return { ...thing, all_monitors: true }
}
