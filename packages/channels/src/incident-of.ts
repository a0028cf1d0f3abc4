// Finds the incident of an event for receivers that keep incidents, and whether it has ended.
import type { Dispatch } from './channel.ts'

export interface ReceiverIncident {
  /** Key of the incident, the same for all its events and for no other incident. */
  key: string
  is_over: boolean
}

/** Events that open something that another event closes, in addition to the incidents of checks and heartbeats. */
const PAIRS = new Map(
  Object.entries<{ opening: string; still?: string }>({
    'check.unmonitored': { opening: 'check.unmonitored', still: 'still_unmonitored' },
    'check.monitored': { opening: 'check.unmonitored', still: 'still_unmonitored' },
    'monitor.offline': { opening: 'monitor.offline' },
    'monitor.online': { opening: 'monitor.offline', still: 'still_offline' },
    'monitor.failing': { opening: 'monitor.failing' },
    'monitor.settled': { opening: 'monitor.failing' },
    'check.degraded': { opening: 'check.degraded' },
    'check.undegraded': { opening: 'check.degraded' },
    'check.certificate': { opening: 'check.certificate' },
    'check.renewed': { opening: 'check.certificate' },
    'check.flapping': { opening: 'check.flapping' },
    'check.settled': { opening: 'check.flapping' },
  }),
)

/**
 * Returns the incident that the receiver keeps for an event. All unmonitored checks of a channel share one incident, and so do
 * all offline monitors. An event without an incident, which no other event closes, gets an incident of its own.
 */
export function incidentOf({
  type,
  data,
  webhook_id,
  message,
}: Pick<Dispatch, 'type' | 'data' | 'webhook_id' | 'message'>): ReceiverIncident {
  const { incident_id, check, monitor, ...rest } = data as Record<string, unknown> & {
    check?: { guid?: unknown }
    monitor?: { id?: unknown }
  }
  const isClosed = type.endsWith('.closed')
  const pair = PAIRS.get(isClosed ? closedBy(data) : type)
  if (pair === undefined) {
    return typeof incident_id === 'string'
      ? { key: incident_id, is_over: isClosed || type.endsWith('.up') }
      : { key: webhook_id, is_over: false }
  }
  const left = pair.still === undefined ? [] : rest[pair.still]
  const isWide = pair.opening === 'monitor.offline' || pair.opening === 'check.unmonitored'
  const own = pair.opening === 'monitor.failing' ? monitor?.id : check?.guid
  const whose = !isWide && typeof own === 'string' ? own : channelOf(webhook_id)
  return {
    key: `${pair.opening}:${whose}@${hostOf(message.link)}`,
    is_over: type !== pair.opening && !(Array.isArray(left) && left.length > 0),
  }
}

/** Returns the type of event that a `check.closed` or `heartbeat.closed` event closes, or ''. */
export function closedBy(data: unknown): string {
  const { closes } = data as { closes?: unknown }
  return typeof closes === 'string' ? closes : ''
}

/** Whether an event says that a person acknowledged an incident. */
export function isAcknowledgement(type: string): boolean {
  return type === 'check.acknowledged' || type === 'heartbeat.acknowledged'
}

/** Returns the channel in `msg_<event>_<channel>`. */
function channelOf(webhook_id: string): string {
  return webhook_id.slice(webhook_id.lastIndexOf('_') + 1)
}

/** Returns the host of this server, because two servers can send to one receiver. */
export function hostOf(link: string): string {
  return URL.canParse(link) ? new URL(link).host : 'dogwatch'
}
