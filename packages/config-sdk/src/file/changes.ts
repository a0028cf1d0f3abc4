// What a file asks of the server: one change for each of its things, to be made together.

import type { Schemas } from '../index.ts'
import type { ConfigFile, FileStatusPage, Section } from './format.ts'
import type { Path } from './place.ts'
import { mapReferences, toWire } from './references.ts'
import type { Held } from './server.ts'

type Change = Schemas['BulkChange']

/** A change, and where the file asks for it; nowhere for what the file leaves out. */
export interface Asked {
  change: Change
  path: Path | undefined
}

/** What the API calls the things of a section. */
export const KIND_OF = {
  channels: 'channel',
  checks: 'check',
  heartbeats: 'heartbeat',
  routes: 'route',
  maintenance: 'window',
} as const satisfies Record<Section, string>

/** How many changes a request has at most. */
export const MAX_CHANGES = 1000

/** Puts everything of the file. Of `held`, deletes what a section of the file does not name; a section that the file lacks is not its. */
export function changesOf(config: ConfigFile, held: readonly Held[] = []): Asked[] {
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

/** It has no key: there is one of its kind. */
function pageChange(page: FileStatusPage): Change {
  return { action: 'put', kind: 'status_page', body: { entries: [], ...page } }
}

function bodyOf(section: Section, thing: object): object {
  if (section !== 'checks' || 'monitors' in thing || 'all_monitors' in thing) return thing
  // The server would leave the monitors of a check that exists as they are.
  return { ...thing, all_monitors: true }
}
