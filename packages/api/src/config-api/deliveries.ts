// Handles the operations on the log of deliveries.
import { readDeliveries, readOneDelivery } from '@dogwatch/domain/configuration/deliveries'
import { cursorOf } from '@dogwatch/domain/events/delivery-log'
import type { SomeHandlers } from './contract.ts'
import { toDelivery } from './delivery-wire.ts'

export const DELIVERIES = {
  async listDeliveries(deps, { caller, query, reply }) {
    const { limit = 100, after, channel, check, incident, state } = query
    const wanted = { limit, after, channel, check, incident, state }
    const { deliveries, before } = await readDeliveries(deps, caller.org_id, wanted)
    return reply(200, {
      deliveries: deliveries.map((delivery) => toDelivery(delivery, caller.scopes)),
      ...(before && { next: cursorOf(before) }),
    })
  },
  async getDelivery(deps, { caller, path, reply }) {
    return reply(200, toDelivery(await readOneDelivery(deps, caller.org_id, path.delivery), caller.scopes))
  },
} satisfies SomeHandlers
