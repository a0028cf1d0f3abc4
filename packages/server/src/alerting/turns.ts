// Decides who sends next: organisations take turns, with limits for each, for each host, and for retries.
import { hostOf } from '../channels/destination.ts'
import type { Turn } from '../store/alerting/delivery-turns.ts'

/** What is being sent. */
export interface UnderWay {
  org_id: number
  channel_id: number
  kind: string
  host: string
  is_retry: boolean
}

/** How many deliveries may be in progress at once, in one process. */
export const AT_ONCE = {
  all: 100,
  organisation: 25,
  /** Of these, places that are reserved for its channels with nothing in progress. */
  keptForChannels: 5,
  channel: 8,
  /** To one host, from all organisations. */
  host: 50,
  /** Retries: a receiver that hangs occupies a place for as long as an attempt may take. */
  retries: 50,
  retriesOfHost: 16,
  /** Places that are reserved for first attempts of organisations with nothing in progress. */
  kept: 25,
} as const

export interface Room {
  /** At most this many more. */
  limit: number
  underWay: readonly UnderWay[]
  /** For the kinds that send only a few at once: how many in all. */
  ofKind: Readonly<Record<string, number>>
}

/**
 * Chooses among what is due. The next place goes to the organisation with the fewest deliveries in progress; of equals,
 * to the first. No organisation takes the last place of a kind that sends only a few at once.
 */
export function chooseTurns(turns: readonly Turn[], { limit, underWay, ofKind }: Room): Turn[] {
  const counts = new Counts(underWay, ofKind)
  const queues = [...Map.groupBy(turns, ({ org_id }) => org_id)].map(([org_id, waiting]) => ({ org_id, waiting }))
  const chosen: Turn[] = []
  while (chosen.length < limit && queues.length > 0) {
    const fewest = queues.reduce((a, b) => (counts.ofOrg(b.org_id) < counts.ofOrg(a.org_id) ? b : a))
    const next = fewest.waiting.findIndex((turn) => counts.hasRoom(turn))
    if (next === -1) {
      // Places that others occupy are not free for it either.
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

/** What a delivery occupies while it is being sent. */
export function placeOf(turn: Pick<Turn, 'org_id' | 'channel_id' | 'kind' | 'destination' | 'attempts'>): UnderWay {
  const { org_id, channel_id, kind, attempts } = turn
  return { org_id, channel_id, kind, host: hostOf(turn), is_retry: attempts > 0 }
}

class Counts {
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
