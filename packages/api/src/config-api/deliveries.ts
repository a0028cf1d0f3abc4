// Handles the operations on the log of deliveries.
import type { operations } from '@dogwatch/contract/config'
import { readDeliveries, readOneDelivery } from '@dogwatch/domain/configuration/deliveries'
import type { Deps } from '@dogwatch/domain/deps'
import { cursorOf } from '@dogwatch/domain/events/delivery-log'
import type { ConfigAnswer, ConfigInput, Resource } from './contract.ts'
import { toDelivery } from './delivery-wire.ts'

async function listDeliveries(
  deps: Deps,
  { caller, query, reply }: ConfigInput<'listDeliveries'>,
): ConfigAnswer<'listDeliveries'> {
  const { limit = 100, after, channel, check, incident, state } = query
  const wanted = { limit, after, channel, check, incident, state }
  const { deliveries, before } = await readDeliveries(deps, caller.org_id, wanted)
  return reply(200, {
    deliveries: deliveries.map((delivery) => toDelivery(delivery, caller.scopes)),
    ...(before && { next: cursorOf(before) }),
  })
}

async function getDelivery(
  deps: Deps,
  { caller, path, reply }: ConfigInput<'getDelivery'>,
): ConfigAnswer<'getDelivery'> {
  return reply(200, toDelivery(await readOneDelivery(deps, caller.org_id, path.delivery), caller.scopes))
}

export const DELIVERIES = { listDeliveries, getDelivery } satisfies Partial<Resource<keyof operations>>
