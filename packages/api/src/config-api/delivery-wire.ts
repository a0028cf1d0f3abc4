// Converts deliveries to their shape in the configuration API.
import type { components } from '@dogwatch/contract/config'
import { allows } from '@dogwatch/domain/configuration/scopes'
import type { LoggedDelivery } from '@dogwatch/domain/events/delivery-log'

/**
 * Converts a delivery for a token with the given scopes. Includes names and the incident only if the scopes allow reading them.
 */
export function toDelivery(delivery: LoggedDelivery, scopes: readonly string[]): components['schemas']['Delivery'] {
  const { delivery_id, event, names, incident_id, channel, state, attempts, created_at } = delivery
  const { next_attempt_at, last_attempt_at, last_status, last_latency_ms, last_error } = delivery
  return {
    id: String(delivery_id),
    event,
    ...(names.length > 0 && mayName(event, scopes) && { names }),
    ...(incident_id !== null && allows(scopes, 'incidents:read') && { incident: incident_id }),
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

/** Whether a token may see the names in a delivery of an event. A summary has only a count as its name. */
function mayName(event: string, scopes: readonly string[]): boolean {
  if (event === 'alerts.summary') return true
  const [subject = ''] = event.split('.')
  return allows(scopes, subject === 'heartbeat' || subject === 'monitor' ? `${subject}s:read` : 'checks:read')
}
