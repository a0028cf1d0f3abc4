// What the server has, as a file would say it.

import {
  ApiError,
  type ConfigClient,
  getStatusPage,
  each,
  listChannels,
  listChecks,
  listHeartbeats,
  listMaintenanceWindows,
  listRoutes,
} from '../index.ts'
import type { Call } from '../call.ts'
import type { Paged } from '../inputs.ts'
import type { FileStatusPage, Section } from './format.ts'

/** A thing that a file can name. */
export interface Held {
  section: Section
  key: string
}

/** A thing as a list has it. */
export interface Listed {
  section: Section
  id: string
  key: string | undefined
  fields: Readonly<Record<string, unknown>>
}

const LISTS: readonly (readonly [Section, Call<Paged>])[] = [
  ['channels', listChannels],
  ['checks', listChecks],
  ['heartbeats', listHeartbeats],
  ['maintenance', listMaintenanceWindows],
  ['routes', listRoutes],
]

const PAGE = 500

/** Everything of these sections, each in the order of the server. */
export async function readThings(
  client: ConfigClient,
  sections: readonly Section[],
  options: { signal?: AbortSignal } = {},
): Promise<Listed[]> {
  const lists = LISTS.filter(([section]) => sections.includes(section)).map(async ([section, list]) => {
    const things: Listed[] = []
    for await (const thing of each(list, client, { limit: PAGE }, options)) {
      const { guid, id, key, ...fields } = thing as Record<string, unknown>
      things.push({ section, id: String(guid ?? id), key: key as string | undefined, fields })
    }
    return things
  })
  return (await Promise.all(lists)).flat()
}

/** The status page, if one was ever saved. */
export async function readStatusPage(
  client: ConfigClient,
  options: { signal?: AbortSignal } = {},
): Promise<FileStatusPage | undefined> {
  return getStatusPage(client, {}, options).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  })
}

/** Windows that are over stay where they are: nobody could create them, and deleting them would lose when it was quiet. */
export function isOver({ section, fields }: Listed): boolean {
  return section === 'maintenance' && fields.state === 'over'
}

/** Those that a file can name. */
export function keyed(things: readonly Listed[]): (Listed & Held)[] {
  return things.filter((thing): thing is Listed & Held => thing.key !== undefined)
}
