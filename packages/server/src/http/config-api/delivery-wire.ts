// The shape of deliveries in the configuration API.
import type { components } from '@dogwatch/contract/config'
import type { LoggedDelivery } from '../../domain/events/delivery-log.ts'

export function toDelivery(delivery: LoggedDelivery): components['schemas']['Delivery'] {
  const { delivery_id, event, names, incident_id, channel, state, attempts, created_at } = delivery
  const { next_attempt_at, last_attempt_at, last_status, last_latency_ms, last_error } = delivery
  return {
    id: String(delivery_id),
    event,
    ...(names.length > 0 && { names }),
    ...(incident_id !== null && { incident: incident_id }),
    channel: { id: String(channel.id), name: channel.name },
    state,
    attempts,
    created_at,
    ...(state === 'pending' && next_attempt_at !== null && { next_attempt_at }),
    ...(last_attempt_at !== null && { last_attempt_at }),
    ...(last_status !== null && { last_status }),
    ...(last_latency_ms !== null && { last_latency_ms }),
    ...(last_error !== null && { last_error }),
  }
}
