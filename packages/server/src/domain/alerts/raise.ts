// Something happened that people are to be told: rows in the transaction that caused it.
import type { Transaction } from 'kysely'
import { newGuid } from '../../runtime/ids.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import { insertDeliveries, insertEvents, lockChannels, type NewEvent, supersedeDeliveries } from '../../store/events.ts'
import type { Tables } from '../../store/tables.ts'
import type { Deps } from '../deps.ts'
import type { EventType } from './event.ts'

export type Happening = Omit<NewEvent, 'event_id' | 'created_at' | 'type'> & { type: EventType }

/**
 * Writes events and, for each, a delivery to every channel of its org that is switched on. What still waits about the same
 * subject is tried once more before it and then given up. A reminder goes only where nothing about its subject waits.
 */
export async function raise(
  trx: Transaction<Tables>,
  deps: Pick<Deps, 'clock' | 'random'>,
  happenings: readonly Happening[],
): Promise<void> {
  const created_at = fromDate(deps.clock.now())
  const events = happenings.map((happening) => ({ ...happening, event_id: newGuid(deps.random), created_at }))
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
    for (const [some, quietOnly] of [
      [others, false],
      [reminders, true],
    ] as const) {
      const event_ids = some.map(({ event_id }) => event_id)
      if (event_ids.length > 0) await insertDeliveries(trx, { org_id, event_ids, channel_ids, quietOnly })
    }
  }
}

function isReminder({ type }: { type: EventType }): boolean {
  return type.endsWith('.reminder')
}
