// Decides what happens to a planned alert that lists several problems when some of them are over. Pure.

import type { Listing } from '@dogwatch/store/alerting/events'
import type { EventType } from '../events/event.ts'

type Data = Readonly<Record<string, unknown>>

/** Types of events that report recoveries, with the types that reported the problems. */
export const LISTS: Partial<Record<EventType, Listing>> = {
  'monitor.online': { type: 'monitor.offline', news: 'monitors', rest: 'still_offline', key: 'id' },
  'monitor.settled': { type: 'monitor.failing', news: 'monitors', rest: 'still_failing', key: 'id' },
  'check.monitored': { type: 'check.unmonitored', news: 'checks', rest: 'still_unmonitored', key: 'guid' },
}

/** Returns the ids of the items that an event lists as new, and the earliest `since` among them. */
export function newItems(data: Data, { news, key }: Listing): { ids: string[]; since: string } {
  const list = (data[news] ?? []) as { [field: string]: string; since: string }[]
  return {
    ids: list.flatMap((one) => one[key] ?? []),
    since: list.reduce((oldest, { since }) => (since < oldest ? since : oldest), 'infinity'),
  }
}

/**
 * Decides about a planned alert that lists problems when an event that lists recoveries is raised. `keep`: they have nothing in
 * common. `drop`: all its new problems are over. `replace`: some are not, and the event lists them as well.
 */
export function fateOf(waiting: Data, recovered: Data, listing: Listing): 'keep' | 'drop' | 'replace' {
  const over = new Set(newItems(recovered, listing).ids)
  const news = newItems(waiting, listing).ids
  const rest = newItems(waiting, { ...listing, news: listing.rest }).ids
  if (![...news, ...rest].some((id) => over.has(id))) return 'keep'
  return news.every((id) => over.has(id)) ? 'drop' : 'replace'
}
