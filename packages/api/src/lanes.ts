// Lists what each lane of the server may use. A lane handles one kind of request, so that no kind starves another. The
// routes of the APIs name their lanes; the lane of any other request is its surface.
import type { IncomingMessage } from 'node:http'
import {
  ACCOUNT_TOKEN,
  CONFIGURATION_CHANGES,
  CONFIGURATION_TOKEN,
  EXPORTS_OF_ORG,
  EXPORTS_OF_TOKEN,
} from '@dogwatch/domain/limits/rates'
import type { Limit } from '@dogwatch/domain/limits/spend'
import type { QueueBounds } from '@dogwatch/runtime/fair-queue'
import { type Surface, surfaceOf } from './surface.ts'

/** Limits of the requests that are in progress before their credential is known. */
export interface SlotBounds {
  /** Maximum number of slots of requests that wait for us. A small request occupies a quarter of a slot. */
  at_once: number
  /** Maximum sum of the slots of requests that wait for us and the number of those that wait for their client. */
  most: number
  /** Time in milliseconds after which a client that keeps us waiting loses its slot if another request needs it. */
  patience_ms: number
  /** Whether the slots become fewer when the event loop is late. */
  givesWay: boolean
  /** Whether refusals are delayed, because these clients are likely to retry at once. */
  holdsBack?: boolean
  /** Maximum number of slots of one address. A lane with this field has fair shares, and only `most` and this field apply. */
  of_address?: number
  /** Maximum body size of a small request. Until the body is read, its declared size counts. */
  small_bytes?: number
}

/** Limits of the requests that are in progress after the credential is verified. Organisations get fair shares. */
export interface ShareBounds {
  most: number
  /** Share of the free slots that one organisation can have. Default: a quarter. */
  free_share?: number
  /** Maximum number of requests of one caller. Default: no limit of its own. */
  of_caller?: number
  /** Name of the limit in metrics. */
  limit: string
}

export interface CallerRate {
  limit: Limit
  of: 'caller' | 'owner'
}

export interface Lane {
  /** Slots of the lane, or the lane whose slots, shares and turns it uses. */
  slots: SlotBounds | LaneName
  /** Rates of the caller, such as a token, and of the organisation that owns it. */
  rates?: readonly CallerRate[]
  share?: ShareBounds
  /** Number of requests that are handled at once, in all and for one organisation. Organisations take turns. */
  turns?: QueueBounds
}

const LANES = [
  'uploads',
  'monitor-api',
  'sync',
  'export',
  'account-api',
  'config-api',
  'config-change',
  'console',
  'sign-in',
  'status-page',
  'ping',
] as const
export type LaneName = (typeof LANES)[number]
export type Lanes = Readonly<Record<LaneName, Lane>>

/**
 * Maximum body size of a small upload. Real agents send about 10,000 bytes, and many of them wait through a moment without
 * storage.
 */
const SMALL_BYTES = 32_768
/** Maximum sizes of the bodies of agents. The other APIs and the forms declare theirs beside their fields. */
export const AGENT_BODY = { bytes: 16 * 1024, status: 400 } as const
export const RESULTS_BODY = { bytes: 1024 * 1024, status: 413 } as const
/** Factors of `ADDRESS_RATE_LIMIT`: many jobs can share an address, and a page requests several files from memory. */
export const TIMES_OF_ADDRESS = { ping: 20, assets: 20 } as const
/** Maximum number of pings, and of lookups of their tokens, that are in progress: in all and for one client address. */
export const PING_WRITES: QueueBounds = { at_once: 32, of_client: 8 }
export const PING_LOOKUPS: QueueBounds = { at_once: 8, of_client: 2 }

/** Returns the lanes. They grow with the pool size, because further requests would only queue for a connection. */
export function lanesFor(pool_size: number): Lanes {
  const part = (share: number) => Math.max(1, Math.floor(pool_size * share))
  const slots = (each: number, given: Partial<SlotBounds> = {}): SlotBounds => {
    const at_once = each * pool_size
    return { at_once, most: 4 * at_once, patience_ms: 5_000, givesWay: true, ...given }
  }
  return {
    // Uploads are large: enough to keep the database busy, and no more. A quarter of the connections stays free for other
    // requests of agents and jobs, and half of them for other organisations. Most servers have one organisation with many
    // monitors, so alone it gets nearly half of the slots. An agent sends one upload after the other, but one that it gave up
    // can still be in progress when it retries.
    uploads: {
      slots: slots(6, { small_bytes: SMALL_BYTES }),
      share: { most: 6 * pool_size, free_share: 1, of_caller: 8, limit: 'uploads' },
      turns: { at_once: part(3 / 4), of_client: part(1 / 2) },
    },
    'monitor-api': { slots: slots(16) },
    // A large set of checks takes a while to write.
    sync: { slots: 'monitor-api', turns: { at_once: 8, of_client: 2 } },
    // Exports have a queue of their own (account-api/export-queue.ts), so running and waiting ones need room.
    export: {
      slots: slots(16, { patience_ms: 60_000 }),
      rates: [
        { limit: ACCOUNT_TOKEN, of: 'caller' },
        { limit: EXPORTS_OF_TOKEN, of: 'caller' },
        { limit: EXPORTS_OF_ORG, of: 'owner' },
      ],
    },
    // The share of an organisation has room for the burst of one token, and leaves half of the connections to others.
    'account-api': {
      slots: slots(16),
      rates: [{ limit: ACCOUNT_TOKEN, of: 'caller' }],
      share: { most: 16 * pool_size, limit: 'account-api-org' },
      turns: { at_once: pool_size, of_client: part(1 / 2) },
    },
    // Changes wait for each other with a connection, so half of the connections stay free for the console.
    'config-api': {
      slots: slots(16),
      rates: [{ limit: CONFIGURATION_TOKEN, of: 'caller' }],
      share: { most: 16 * pool_size, limit: 'config-api-org' },
      turns: { at_once: part(1 / 2), of_client: part(1 / 4) },
    },
    'config-change': {
      slots: 'config-api',
      rates: [
        { limit: CONFIGURATION_TOKEN, of: 'caller' },
        { limit: CONFIGURATION_CHANGES, of: 'owner' },
      ],
    },
    console: { slots: slots(8) },
    // Strangers guess passwords here. Each guess is expensive, and must never crowd out users who are signed in.
    'sign-in': { slots: slots(1, { holdsBack: true }) },
    'status-page': { slots: slots(16) },
    // A lost ping is a false alarm, so pings are shed last, and do not use the slots of others.
    ping: { slots: slots(64, { givesWay: false, most: 256 * pool_size, of_address: 32 * pool_size }) },
  }
}

/** Finds the route of a request, and returns its lane. Returns undefined if the route has none of its own. */
export type LaneOfRoute = (req: IncomingMessage) => LaneName | undefined

/** Lanes of the routes of an app, as its routers registered them. */
export class RouteLanes {
  readonly #routes = new Map<Surface, LaneOfRoute>()

  tell(surface: Surface, laneOfRoute: LaneOfRoute): void {
    this.#routes.set(surface, laneOfRoute)
  }

  /**
   * Returns the lane of a request. Returns undefined for files, because they need no database, and downloads have their own
   * limits.
   */
  laneOf(req: IncomingMessage): LaneName | undefined {
    const surface = surfaceOf(req.url ?? '')
    if (surface === 'assets' || surface === 'install') return undefined
    return this.#routes.get(surface)?.(req) ?? surface
  }
}

/** Returns the lane whose slots a lane uses. */
export function homeOf(lanes: Lanes, name: LaneName): LaneName {
  const { slots } = lanes[name]
  return typeof slots === 'string' ? slots : name
}

/** Makes something for each lane that has it. A lane without it uses the one of the lane whose slots it uses. */
export function forLanes<T>(lanes: Lanes, make: (lane: Lane, name: LaneName) => T | undefined): Map<LaneName, T> {
  const made = new Map<LaneName, T>()
  for (const name of LANES) {
    const own = make(lanes[name], name)
    if (own !== undefined) made.set(name, own)
  }
  for (const name of LANES) {
    const shared = made.get(homeOf(lanes, name))
    if (!made.has(name) && shared !== undefined) made.set(name, shared)
  }
  return made
}
