// Gives keys to items without one, so that a file can name them.

import {
  type ConfigClient,
  changeChannel,
  changeCheck,
  changeHeartbeat,
  changeMaintenanceWindow,
  changeRoute,
} from '../index.ts'
import type { Section } from './format.ts'
import { Keys } from './keys.ts'
import type { ListedItem } from './server.ts'

type Options = { signal?: AbortSignal }
type GiveKey = (client: ConfigClient, id: string, key: string, options: Options) => Promise<unknown>

const GIVE: Readonly<Partial<Record<Section, GiveKey>>> = {
  channels: (client, id, key, options) => changeChannel(client, { id, body: { key } }, options),
  checks: (client, guid, key, options) => changeCheck(client, { guid, body: { key } }, options),
  heartbeats: (client, guid, key, options) => changeHeartbeat(client, { guid, body: { key } }, options),
  maintenance: (client, guid, key, options) => changeMaintenanceWindow(client, { guid, body: { key } }, options),
  routes: (client, guid, key, options) => changeRoute(client, { guid, body: { key } }, options),
}

/** Gives a key to each item without one, and returns all items with their keys. */
export async function adopt(
  client: ConfigClient,
  things: readonly ListedItem[],
  options: Options,
): Promise<ListedItem[]> {
  const taken = new Map<Section, Keys>()
  const adopted: ListedItem[] = []
  for (const thing of things) {
    const { section, id, fields } = thing
    const give = GIVE[section]
    if (thing.key !== undefined || !give) adopted.push(thing)
    else {
      const keys = taken.get(section) ?? new Keys(keysOf(things, section))
      taken.set(section, keys)
      const key = keys.take(String(fields.name), 'unnamed')
      await give(client, id, key, options)
      adopted.push({ ...thing, key })
    }
  }
  return adopted
}

function keysOf(things: readonly ListedItem[], wanted: Section): string[] {
  return things.flatMap(({ section, key }) => (section === wanted && key !== undefined ? [key] : []))
}
