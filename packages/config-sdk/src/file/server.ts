// Reads the server's items in the form of a file.

import type { Call } from '../call.ts'
import {
  ApiError,
  type ConfigClient,
  each,
  getStatusPage,
  listChannels,
  listChecks,
  listHeartbeats,
  listMaintenanceWindows,
  listRoutes,
} from '../index.ts'
import type { PagedOperation } from '../inputs.ts'
import type { FileStatusPage, Section } from './format.ts'

/** An item of the server that has a key, so that a file can name it. */
export interface KeyedItem {
  section: Section
  key: string
}

/** An item as in a list of the server. */
export interface ListedItem {
  section: Section
  id: string
  key: string | undefined
  fields: Readonly<Record<string, unknown>>
}

const LISTS: readonly (readonly [Section, Call<PagedOperation>])[] = [
  ['channels', listChannels],
  ['checks', listChecks],
  ['heartbeats', listHeartbeats],
  ['maintenance', listMaintenanceWindows],
  ['routes', listRoutes],
]

const PAGE = 500

/** Reads all items of the sections, each in the order of the server. */
export async function readThings(
  client: ConfigClient,
  sections: readonly Section[],
  options: { signal?: AbortSignal } = {},
): Promise<ListedItem[]> {
  const lists = LISTS.filter(([section]) => sections.includes(section)).map(async ([section, list]) => {
    const things: ListedItem[] = []
    for await (const thing of each(list, client, { limit: PAGE }, options)) {
      const { guid, id, key, ...fields } = thing as Record<string, unknown>
      things.push({ section, id: String(guid ?? id), key: key as string | undefined, fields })
    }
    return things
  })
  return (await Promise.all(lists)).flat()
}

/** Reads the status page, or returns undefined if none was ever saved. */
export async function readStatusPage(
  client: ConfigClient,
  options: { signal?: AbortSignal } = {},
): Promise<FileStatusPage | undefined> {
  return getStatusPage(client, {}, options).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  })
}

/**
 * Whether a maintenance window is over. Plans keep such a window, because the server could not create it again, and would lose
 * the record of the times without alerts.
 */
export function isOver({ section, fields }: ListedItem): boolean {
  return section === 'maintenance' && fields.state === 'over'
}

/** Returns the items that a file can name. */
export function keyed(things: readonly ListedItem[]): (ListedItem & KeyedItem)[] {
  return things.filter((thing): thing is ListedItem & KeyedItem => thing.key !== undefined)
}
