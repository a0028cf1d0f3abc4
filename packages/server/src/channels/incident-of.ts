// For receivers that keep incidents: which of theirs an event is about, and whether it is over.
import type { Dispatch } from './channel.ts'

export interface Kept {
  /** The same for all events of one incident, and for no other. */
  key: string
  is_over: boolean
}

/** What opens something that another event closes, besides the incidents of checks and heartbeats. */
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
 * The incident of a check or heartbeat by its id. Checks without results, and monitors that are away, are told for the
 * whole organisation: one for each channel, which is over when none is left. Everything else is one by itself.
 */
export function incidentOf({
  type,
  data,
  webhook_id,
  message,
}: Pick<Dispatch, 'type' | 'data' | 'webhook_id' | 'message'>): Kept {
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

/** The type of event that opened what an event of the type `check.closed` or `heartbeat.closed` closes; else ''. */
export function closedBy(data: unknown): string {
  const { closes } = data as { closes?: unknown }
  return typeof closes === 'string' ? closes : ''
}

/** Whether an event says that somebody takes care of an incident, which receivers that keep incidents can be told. */
export function isAcknowledgement(type: string): boolean {
  return type === 'check.acknowledged' || type === 'heartbeat.acknowledged'
}

/** `msg_<event>_<channel>` */
function channelOf(webhook_id: string): string {
  return webhook_id.slice(webhook_id.lastIndexOf('_') + 1)
}

/** Of this server: two of them may tell one receiver. */
export function hostOf(link: string): string {
  return URL.canParse(link) ? new URL(link).host : 'dogwatch'
}
