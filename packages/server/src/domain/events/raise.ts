// Raises events: writes what people are to be told, in the transaction that caused it.
import type { Transaction } from 'kysely'
import { newGuid } from '../../runtime/ids.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import {
  type Audience,
  findListAudience,
  insertDeliveries,
  insertEvents,
  listAudiences,
  type Listing,
  lockChannels,
  type NewEvent,
  supersedeDeliveries,
} from '../../store/alerting/events.ts'
import type { Tables } from '../../store/tables.ts'
import type { Deps } from '../deps.ts'
import type { EventType } from './event.ts'

export type EventToRaise = Omit<NewEvent, 'event_id' | 'created_at' | 'type'> & { type: EventType }

/** The messages that report a recovery, with the messages that reported the trouble. */
const LISTS: Partial<Record<EventType, Listing>> = {
  'monitor.online': { type: 'monitor.offline', news: 'monitors', rest: 'still_offline', key: 'id' },
  'check.monitored': { type: 'check.unmonitored', news: 'checks', rest: 'still_unmonitored', key: 'guid' },
}

/**
 * Stores events and, for each, a delivery to every enabled channel of its org. Deliveries that still wait about the
 * same subject get one last attempt first. A reminder goes only to channels on which nothing about its subject waits. A
 * recovery goes only to channels that were told of the trouble, or still will be.
 */
export async function raise(
  trx: Transaction<Tables>,
  deps: Pick<Deps, 'clock' | 'random'>,
  toRaise: readonly EventToRaise[],
): Promise<void> {
  const created_at = fromDate(deps.clock.now())
  const events = toRaise.map((event) => ({ ...event, event_id: newGuid(deps.random), created_at }))
  if (events.length === 0) return
  await insertEvents(trx, events)
  for (const org_id of new Set(events.map((event) => event.org_id))) {
    const channel_ids = await lockChannels(trx, org_id)
    const own = events.filter((event) => event.org_id === org_id)
    const [reminders, others] = [own.filter(isReminder), own.filter((event) => !isReminder(event))]
    if (others.length > 0) {
      const subjects = others.map(({ subject }) => subject)
      await supersedeDeliveries(trx, org_id, subjects, created_at)
    }
    const hears = await findListeners(trx, org_id, others)
    for (const [some, quietOnly] of [
      [others, false],
      [reminders, true],
    ] as const) {
      const sent = some.flatMap((event) =>
        channel_ids.filter((id) => hears(event, id)).map((channel_id) => ({ event_id: event.event_id, channel_id })),
      )
      if (sent.length > 0) await insertDeliveries(trx, { org_id, sent, quietOnly })
    }
  }
}

/**
 * Decides which channel gets what. A channel that was enabled meanwhile gets no recovery from trouble that it was never
 * told of.
 */
async function findListeners(
  trx: Transaction<Tables>,
  org_id: number,
  events: readonly EventToRaise[],
): Promise<(event: EventToRaise, channel_id: number) => boolean> {
  const audiences = new Map<EventToRaise, Audience | undefined>()
  const ups = events.flatMap((event) =>
    event.type.endsWith('.up') && event.incident_id !== undefined ? [{ event, incident_id: event.incident_id }] : [],
  )
  const ofIncidents = await listAudiences(
    trx,
    org_id,
    ups.map(({ event, incident_id }) => ({ incident_id, check_id: event.check_id })),
  )
  for (const { event, incident_id } of ups) audiences.set(event, ofIncidents.get(incident_id))
  for (const event of events) {
    const listing = LISTS[event.type]
    if (listing) audiences.set(event, await findListAudience(trx, org_id, listing, listed(event, listing)))
  }
  return (event, channel_id) => {
    const audience = audiences.get(event)
    return !audience?.isKnown || audience.channel_ids.includes(channel_id)
  }
}

/** What a message lists as new, and since when the first of it was so. */
function listed({ data }: EventToRaise, { news, key }: Listing): { ids: string[]; since: string } {
  const list = (data[news] ?? []) as { [field: string]: string; since: string }[]
  return {
    ids: list.flatMap((one) => one[key] ?? []),
    since: list.reduce((oldest, { since }) => (since < oldest ? since : oldest), 'infinity'),
  }
}

function isReminder({ type }: { type: EventType }): boolean {
  return type.endsWith('.reminder')
}
