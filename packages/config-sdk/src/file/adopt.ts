// Gives keys to what has none, so that a file can name it.

import {
  changeChannel,
  changeCheck,
  changeHeartbeat,
  changeMaintenanceWindow,
  changeRoute,
  type ConfigClient,
} from '../index.ts'
import type { Section } from './format.ts'
import { keyFrom } from './pull.ts'
import type { Listed } from './server.ts'

type Options = { signal?: AbortSignal }
type GiveKey = (client: ConfigClient, id: string, key: string, options: Options) => Promise<unknown>

const GIVE: Readonly<Partial<Record<Section, GiveKey>>> = {
  channels: (client, id, key, options) => changeChannel(client, { id, body: { key } }, options),
  checks: (client, guid, key, options) => changeCheck(client, { guid, body: { key } }, options),
  heartbeats: (client, guid, key, options) => changeHeartbeat(client, { guid, body: { key } }, options),
  maintenance: (client, guid, key, options) => changeMaintenanceWindow(client, { guid, body: { key } }, options),
  routes: (client, guid, key, options) => changeRoute(client, { guid, body: { key } }, options),
}

/** The same things, each with a key. */
export async function adopt(client: ConfigClient, things: readonly Listed[], options: Options): Promise<Listed[]> {
  const taken = new Map<Section, Set<string>>()
  for (const { section, key } of things) {
    const keys = taken.get(section) ?? new Set()
    taken.set(section, key === undefined ? keys : keys.add(key))
  }
  const adopted: Listed[] = []
  for (const thing of things) {
    const { section, id, fields } = thing
    const keys = taken.get(section) ?? new Set()
    const give = GIVE[section]
    if (thing.key !== undefined || !give) adopted.push(thing)
    else {
      const key = keyFrom(String(fields.name), keys)
      keys.add(key)
      await give(client, id, key, options)
      adopted.push({ ...thing, key })
    }
  }
  return adopted
}
