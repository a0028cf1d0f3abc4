// Reads and changes monitors for the configuration API. Monitors of the shared fleet can only be read.
import { tick } from '@dogwatch/store/checks/checks'
import { lockMonitor } from '@dogwatch/store/configuration/monitors'
import { ALL } from '@dogwatch/store/slice'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { renameMonitor, retireOneMonitor, switchOneMonitor } from '../monitors/edit.ts'
import { monitorState, readFleet, readMonitor, type ShownMonitor, type VisibleMonitorRow } from '../monitors/read.ts'
import { switchIn, textIn } from './body-fields.ts'
import { type Kind, type Page, pageOf, type VersionedInput, versionFrom } from './kind.ts'
import { lockedChanges } from './locked-change.ts'

export type ConfiguredMonitor = { own: ShownMonitor } | { shared: VisibleMonitorRow }

function idOf(monitor: ConfiguredMonitor): string {
  return 'own' in monitor ? monitor.own.id : monitor.shared.id
}

/** Returns the cursor of a monitor: its class and id, in the order of the list. */
function cursorOf(monitor: ConfiguredMonitor): string {
  return `${'own' in monitor ? 'private' : 'shared'}.${idOf(monitor)}`
}

async function list(
  deps: Deps,
  org_id: number,
  { limit, after }: Page,
): Promise<{ things: ConfiguredMonitor[]; next: string | undefined }> {
  const { own, shared } = await readFleet(deps, org_id, { own: ALL, shared: ALL })
  const all: ConfiguredMonitor[] = [...own.map((one) => ({ own: one })), ...shared.map((one) => ({ shared: one }))]
  // The monitors are in the order of their cursors.
  const rest = after === undefined ? all : all.filter((monitor) => cursorOf(monitor) > after)
  return pageOf(rest, limit, cursorOf)
}

async function read(deps: Deps, org_id: number, id: string): Promise<ConfiguredMonitor> {
  const { shared } = await readFleet(deps, org_id, { own: { limit: 0, offset: 0 }, shared: ALL })
  const found = shared.find((one) => one.id === id)
  return found ? { shared: found } : readOwn(deps, org_id, id)
}

const CHANGES = lockedChanges<ConfiguredMonitor, { own: ShownMonitor }>({
  idOf,
  versionOf,
  async lock(inner, trx, org_id, id) {
    // Runs before anything else, as in every change that agents must receive.
    await tick(trx)
    if ('shared' in (await read(inner, org_id, id))) {
      throw new DomainError('forbidden', 'only the operator of the server can change shared monitors')
    }
    await lockMonitor(trx, org_id, id)
    return readOwn(inner, org_id, id)
  },
  readChanged: readOwn,
  removeOne: (inner, { org_id, actor }, { own: { id } }) => retireOneMonitor(inner, { org_id, id }, actor),
})

async function readOwn(deps: Deps, org_id: number, id: string): Promise<{ own: ShownMonitor }> {
  return { own: await readMonitor(deps, org_id, id) }
}

function change(deps: Deps, by: Editor, id: string, { input, expected }: VersionedInput): Promise<ConfiguredMonitor> {
  const { org_id, actor } = by
  return CHANGES.changeBy(deps, by, { reference: id, expected }, async (inner, { own }) => {
    const key = { org_id, id }
    const name = (input.name === undefined ? own.name : (textIn(input, 'name') ?? '')).trim()
    const enabled = input.enabled === undefined ? own.enabled : (switchIn(input, 'enabled') ?? true)
    if (name !== own.name) await renameMonitor(inner, key, name, actor)
    if (enabled !== own.enabled) await switchOneMonitor(inner, key, 'enabled', enabled, actor)
  })
}

function versionOf(monitor: ConfiguredMonitor): string {
  const { name, enabled } = 'own' in monitor ? monitor.own : monitor.shared
  return versionFrom([name, enabled])
}

function toWire(monitor: ConfiguredMonitor) {
  if ('shared' in monitor) {
    const { id, name, region, country, city, enabled, online, last_seen_at } = monitor.shared
    return {
      id,
      class: 'shared',
      name,
      region,
      country,
      city,
      enabled,
      state: online ? 'online' : 'offline',
      ...(last_seen_at !== null && { last_seen_at }),
    }
  }
  const { id, name, region, country, city, enabled, platform_enabled, last_seen_at, version } = monitor.own
  return {
    id,
    class: 'private',
    name,
    region,
    country,
    city,
    enabled,
    ...(!platform_enabled && { disabled_by_platform: true }),
    state: monitorState(monitor.own),
    ...(last_seen_at !== null && { last_seen_at }),
    ...(version !== null && { version }),
  }
}

/** Monitors as a kind of item. The API creates none, because new monitors enroll by themselves. */
export const MONITOR = {
  name: 'monitor',
  derived: ['id', 'class', 'region', 'country', 'city', 'disabled_by_platform', 'state', 'last_seen_at', 'version'],
  list,
  read,
  change,
  ...CHANGES,
  toWire,
} satisfies Kind<ConfiguredMonitor>
