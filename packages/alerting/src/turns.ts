// Decides whose deliveries are sent next: organisations take turns, with limits for each organisation, each host, and retries.
import { hostOf } from '@dogwatch/channels/destination'
import type { Turn } from '@dogwatch/store/alerting/delivery-turns'

/** The slot of a delivery that is being sent. */
export interface UnderWay {
  org_id: number
  channel_id: number
  kind: string
  host: string
  is_retry: boolean
}

/** Maximum number of deliveries in progress in one process. */
export const AT_ONCE = {
  all: 100,
  organisation: 25,
  /** Slots of an organisation that are reserved for its channels with nothing in progress. */
  keptForChannels: 5,
  channel: 8,
  /** Limit for one host, over all organisations. */
  host: 50,
  /** Limit for retries, because a receiver that hangs occupies a slot for the full time of an attempt. */
  retries: 50,
  retriesOfHost: 16,
  /** Slots that are reserved for first attempts of organisations with nothing in progress. */
  kept: 25,
} as const

export interface Room {
  /** Maximum number of deliveries to start. */
  limit: number
  underWay: readonly UnderWay[]
  /** Maximum number of deliveries at once for each kind of channel that has such a limit. */
  ofKind: Readonly<Record<string, number>>
}

/**
 * Chooses among the due deliveries. The next slot goes to the organisation with the fewest deliveries in progress, or to the
 * first of equals. No organisation gets the last slot of a kind that sends only a few at once.
 */
export function chooseTurns(turns: readonly Turn[], { limit, underWay, ofKind }: Room): Turn[] {
  const counts = new TurnCounts(underWay, ofKind)
  const queues = [...Map.groupBy(turns, ({ org_id }) => org_id)].map(([org_id, waiting]) => ({ org_id, waiting }))
  const chosen: Turn[] = []
  while (chosen.length < limit && queues.length > 0) {
    const fewest = queues.reduce((a, b) => (counts.ofOrg(b.org_id) < counts.ofOrg(a.org_id) ? b : a))
    const next = fewest.waiting.findIndex((turn) => counts.hasRoom(turn))
    if (next === -1) {
      // The limits leave no slot for any delivery of this organisation that waits.
      queues.splice(queues.indexOf(fewest), 1)
      continue
    }
    const [turn] = fewest.waiting.splice(next, 1)
    if (!turn) break
    counts.add(placeOf(turn))
    chosen.push(turn)
  }
  return chosen
}

/** Returns the slot that a delivery occupies while it is being sent. */
export function placeOf(turn: Pick<Turn, 'org_id' | 'channel_id' | 'kind' | 'destination' | 'attempts'>): UnderWay {
  const { org_id, channel_id, kind, attempts } = turn
  return { org_id, channel_id, kind, host: hostOf(turn), is_retry: attempts > 0 }
}

class TurnCounts {
  readonly #counts = new Map<string, number>()
  readonly #ofKind: Readonly<Record<string, number>>

  constructor(underWay: readonly UnderWay[], ofKind: Readonly<Record<string, number>>) {
    this.#ofKind = ofKind
    for (const place of underWay) this.add(place)
  }

  ofOrg(org_id: number): number {
    return this.#of(`org ${org_id}`)
  }

  add(place: UnderWay): void {
    for (const key of keysOf(place)) this.#counts.set(key, this.#of(key) + 1)
  }

  hasRoom(turn: Turn): boolean {
    const { org_id, channel_id, kind, host, is_retry } = placeOf(turn)
    const ofChannel = this.#of(`channel ${channel_id}`)
    const isFirst = !is_retry && this.ofOrg(org_id) === 0
    return (
      this.#of('all') < AT_ONCE.all - (isFirst ? 0 : AT_ONCE.kept) &&
      this.ofOrg(org_id) < AT_ONCE.organisation - (ofChannel === 0 ? 0 : AT_ONCE.keptForChannels) &&
      ofChannel < AT_ONCE.channel &&
      this.#of(`host ${host}`) < AT_ONCE.host &&
      (!is_retry || (this.#of('retries') < AT_ONCE.retries && this.#of(`retries ${host}`) < AT_ONCE.retriesOfHost)) &&
      this.#hasRoomOfKind(kind, org_id)
    )
  }

  #hasRoomOfKind(kind: string, org_id: number): boolean {
    const most = this.#ofKind[kind]
    if (most === undefined) return true
    const own = this.#of(`kind ${kind} of ${org_id}`)
    return this.#of(`kind ${kind}`) < most && (own === 0 || own < most - 1)
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0
  }
}

function keysOf({ org_id, channel_id, kind, host, is_retry }: UnderWay): string[] {
  return [
    'all',
    `org ${org_id}`,
    `channel ${channel_id}`,
    `host ${host}`,
    `kind ${kind}`,
    `kind ${kind} of ${org_id}`,
    ...(is_retry ? ['retries', `retries ${host}`] : []),
  ]
}
