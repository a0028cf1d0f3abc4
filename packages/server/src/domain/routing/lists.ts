// Events that list several things: what becomes of a list that waits when some of what it lists is over. Pure.
import type { EventType } from '../events/event.ts'
import type { Listing } from '../../store/alerting/events.ts'

type Data = Readonly<Record<string, unknown>>

/** The messages that report a recovery, with the messages that reported the trouble. */
export const LISTS: Partial<Record<EventType, Listing>> = {
  'monitor.online': { type: 'monitor.offline', news: 'monitors', rest: 'still_offline', key: 'id' },
  'monitor.settled': { type: 'monitor.failing', news: 'monitors', rest: 'still_failing', key: 'id' },
  'check.monitored': { type: 'check.unmonitored', news: 'checks', rest: 'still_unmonitored', key: 'guid' },
}

/** What a message lists as new, and since when the first of it was so. */
export function listed(data: Data, { news, key }: Listing): { ids: string[]; since: string } {
  const list = (data[news] ?? []) as { [field: string]: string; since: string }[]
  return {
    ids: list.flatMap((one) => one[key] ?? []),
    since: list.reduce((oldest, { since }) => (since < oldest ? since : oldest), 'infinity'),
  }
}

/**
 * What becomes of a list of trouble that waits when a list of recoveries is raised. `keep`: they have nothing in common. `drop`: all
 * of its news is over. `replace`: some of it is not, and the list of recoveries says what.
 */
export function fateOf(waiting: Data, recovered: Data, listing: Listing): 'keep' | 'drop' | 'replace' {
  const over = new Set(listed(recovered, listing).ids)
  const news = listed(waiting, listing).ids
  const rest = listed(waiting, { ...listing, news: listing.rest }).ids
  if (![...news, ...rest].some((id) => over.has(id))) return 'keep'
  return news.every((id) => over.has(id)) ? 'drop' : 'replace'
}
