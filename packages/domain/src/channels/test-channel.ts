// Sends a test message to a single channel.
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type ChannelKey, findChannel } from '@dogwatch/store/alerting/channels'
import { insertDelivery } from '@dogwatch/store/alerting/deliveries'
import { insertEvents } from '@dogwatch/store/alerting/events'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import type { ChannelTestData } from '../events/event.ts'
import { confirmationStateOf } from './confirmation.ts'
import { findKey, noSuchChannel } from './edit.ts'

/** Stores one channel.test event and its delivery. The delivery log shows the outcome. */
export async function testOneChannel(
  deps: Deps,
  key: ChannelKey,
  by?: Actor,
): Promise<{ delivery_id: number; event_id: string }> {
  const { org_id, id } = key
  return deps.database.people.transaction().execute(async (trx) => {
    const channel = await findChannel(trx, key)
    if (!channel) throw noSuchChannel()
    if (!channel.enabled)
      throw new DomainError('conflict', 'this channel is disabled; enable it to send a test message')
    if (confirmationStateOf(channel, deps.clock.now()) === 'waiting') {
      throw new DomainError('conflict', 'this address is not confirmed yet; confirm it to send a test message')
    }
    const { org_name, name, kind } = channel
    const data: ChannelTestData = { org: { name: org_name }, channel: { id, name, kind } }
    const event_id = newGuid(deps.random)
    const created_at = fromDate(deps.clock.now())
    // The event has a subject of its own, so that it waits for no other event.
    const event = { org_id, event_id, type: 'channel.test', created_at, subject: `test:${event_id}`, data: { ...data } }
    await insertEvents(trx, [event])
    await recordAuditEntry(trx, deps, by, { org_id, action: 'channel.test', subject: name })
    return { delivery_id: await insertDelivery(trx, { org_id, event_id, channel_id: id }), event_id }
  })
}

/** Sends a test message to a channel of any organisation, for operators. */
export async function testChannel(deps: Deps, id: number): Promise<{ delivery_id: number; event_id: string }> {
  return testOneChannel(deps, await findKey(deps, id))
}
