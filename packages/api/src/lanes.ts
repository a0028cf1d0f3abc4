// Lists the limits of each lane of the server. A lane handles one kind of request, so that no kind crowds out others.
// Routes of the APIs can name a lane; the lane of any other request is its surface.
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

/** Limits of requests in progress, which apply before the credential is verified. */
export interface SlotBounds {
  /** Maximum number of slots of requests that the server is working on. A small request occupies a quarter of a slot. */
  at_once: number
  /** Maximum of the slots of requests that the server is working on, plus the number of requests that wait for their client. */
  most: number
  /** Time in milliseconds after which a client that keeps the server waiting loses its slot if another request needs it. */
  patience_ms: number
  /** Whether the lane has fewer slots while the event loop is late. */
  givesWay: boolean
  /** Whether to delay refusals, because clients of this lane are likely to retry at once. */
  holdsBack?: boolean
  /**
   * Maximum number of slots of one address. In a lane with this field, slots are shared fairly, and of the fields above only
   * `most` applies.
   */
  of_address?: number
  /** Maximum body size of a small request in bytes. Until the body is read, the size in its header counts. */
  small_bytes?: number
}

/** Limits of requests in progress, which apply after the credential is verified. Organisations share them fairly. */
export interface ShareBounds {
  most: number
  /** Share of the free slots that one organisation can occupy. Default: a quarter. */
  free_share?: number
  /** Maximum number of requests in progress of one caller. Default: no separate limit. */
  of_caller?: number
  /** Name of the limit in metrics. */
  limit: string
}

export interface CallerRate {
  limit: Limit
  of: 'caller' | 'owner'
}

export interface Lane {
  /** Limits of the lane's slots, or the lane whose slots, shares and turns this lane uses. */
  slots: SlotBounds | LaneName
  /** Rate limits of the caller, such as a token, and of the organisation that the caller belongs to. */
  rates?: readonly CallerRate[]
  share?: ShareBounds
  /** Maximum number of requests that the server works on at once, in all and for one organisation. Organisations take turns. */
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
 * Maximum body size of a small upload in bytes. Agents usually send about 10,000 bytes, so many uploads can wait while the
 * database is briefly unavailable.
 */
const SMALL_BYTES = 32_768
/** Maximum sizes of the bodies of agents. Other APIs and forms declare theirs next to their fields. */
export const AGENT_BODY = { bytes: 16 * 1024, status: 400 } as const
export const RESULTS_BODY = { bytes: 1024 * 1024, status: 413 } as const
/** Factors of `ADDRESS_RATE_LIMIT` by surface: many jobs can share an address, and one page requests several files. */
export const TIMES_OF_ADDRESS = { ping: 20, assets: 20 } as const
/**
 * Maximum numbers of pings that are being stored: in all and for one client address. `PING_LOOKUPS`: the same for lookups of their
 * tokens.
 */
export const PING_WRITES: QueueBounds = { at_once: 32, of_client: 8 }
export const PING_LOOKUPS: QueueBounds = { at_once: 8, of_client: 2 }

/**
 * Returns the limits of all lanes. They grow with the size of the connection pool, because further requests would only wait for a
 * connection.
 */
export function lanesFor(pool_size: number): Lanes {
  const part = (share: number) => Math.max(1, Math.floor(pool_size * share))
  const slots = (each: number, given: Partial<SlotBounds> = {}): SlotBounds => {
    const at_once = each * pool_size
    return { at_once, most: 4 * at_once, patience_ms: 5_000, givesWay: true, ...given }
  }
  return {
    // Uploads are large. Turns leave a quarter of the connections to other requests, and half to other organisations. A
    // single organisation, as on most servers, can occupy nearly half of the slots. An agent that retries can have
    // several uploads.
    uploads: {
      slots: slots(6, { small_bytes: SMALL_BYTES }),
      share: { most: 6 * pool_size, free_share: 1, of_caller: 8, limit: 'uploads' },
      turns: { at_once: part(3 / 4), of_client: part(1 / 2) },
    },
    'monitor-api': { slots: slots(16) },
    // Limited, because writing a large set of checks takes a while.
    sync: { slots: 'monitor-api', turns: { at_once: 8, of_client: 2 } },
    // Large, because exports also occupy slots while they wait in their own queue (account-api/export-queue.ts).
    export: {
      slots: slots(16, { patience_ms: 60_000 }),
      rates: [
        { limit: ACCOUNT_TOKEN, of: 'caller' },
        { limit: EXPORTS_OF_TOKEN, of: 'caller' },
        { limit: EXPORTS_OF_ORG, of: 'owner' },
      ],
    },
    // An organisation's share has room for the burst of one token. Turns leave half of the connections to other
    // organisations.
    'account-api': {
      slots: slots(16),
      rates: [{ limit: ACCOUNT_TOKEN, of: 'caller' }],
      share: { most: 16 * pool_size, limit: 'account-api-org' },
      turns: { at_once: pool_size, of_client: part(1 / 2) },
    },
    // Changes occupy a connection while they wait for each other, so half of the connections stay free for the console.
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
    // Strangers try passwords here. Each try is expensive, and must never crowd out users who are signed in.
    'sign-in': { slots: slots(1, { holdsBack: true }) },
    'status-page': { slots: slots(16) },
    // Pings have slots of their own and are refused last, because a lost ping causes a false alarm.
    ping: { slots: slots(64, { givesWay: false, most: 256 * pool_size, of_address: 32 * pool_size }) },
  }
}

/** Function that finds the route of a request, and returns its lane. Returns undefined if the route names no lane. */
export type LaneOfRoute = (req: IncomingMessage) => LaneName | undefined

/** Lanes of the routes of an app. Routers register theirs. */
export class RouteLanes {
  readonly #routes = new Map<Surface, LaneOfRoute>()

  tell(surface: Surface, laneOfRoute: LaneOfRoute): void {
    this.#routes.set(surface, laneOfRoute)
  }

  /**
   * Returns the lane of a request. Returns undefined for static files, which need no database, and for downloads, which have their
   * own limits.
   */
  laneOf(req: IncomingMessage): LaneName | undefined {
    const surface = surfaceOf(req.url ?? '')
    if (surface === 'assets' || surface === 'install') return undefined
    return this.#routes.get(surface)?.(req) ?? surface
  }
}

/** Returns the lane whose slots the given lane uses, which can be the lane itself. */
export function homeOf(lanes: Lanes, name: LaneName): LaneName {
  const { slots } = lanes[name]
  return typeof slots === 'string' ? slots : name
}

/** Calls `make` for each lane. A lane without a result gets the result of the lane whose slots it uses. */
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
