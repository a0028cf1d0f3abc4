// Decides whether a request may go on. These are the gates, in their order:
//
// 1. `connections.ts` limits the connections of a client address.
// 2. `before` runs before the app. It refuses clients that flood the server, and occupies a slot of the lane.
// 3. `ofAddress` limits the rate of the client address.
// 4. `implement.ts` finds the route and verifies the credential.
// 5. `admit` limits the rates of the caller, and occupies a slot in the share of its organisation.
// 6. `implement.ts` reads the body, and validates the request.
// 7. `inTurn` waits for the turn of the organisation.
//
// `lanes.ts` lists what each lane may use. Downloads, held requests and open pages have limits of their own.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Deps } from '@dogwatch/domain/deps'
import { clientAt } from '@dogwatch/domain/limits/address'
import type { Rate } from '@dogwatch/domain/limits/gcra'
import { type Limit, RateLimiter, TOO_OFTEN } from '@dogwatch/domain/limits/spend'
import { FairQueue } from '@dogwatch/runtime/fair-queue'
import type { Metrics } from '@dogwatch/runtime/metrics'
import type { RequestHandler } from 'express'
import { clientAddress, type Trust } from './client.ts'
import type { Connection } from './connection.ts'
import { EarlyRefusals } from './early-refusals.ts'
import { forLanes, type LaneName, type Lanes, lanesFor, RouteLanes, TIMES_OF_ADDRESS } from './lanes.ts'
import type { Early } from './server.ts'
import { Shedder, type SlotOwner } from './shed.ts'
import { surfaceOf } from './surface.ts'

/** Factor of the rate limit for a whole network, compared with one address. */
const OF_NETWORK = 8
/** Default size of the pool of connections, which decides the sizes of the lanes. */
const POOL_SIZE = 8

export interface AdmissionOptions {
  /** Rate limit of one client address. Absent if switched off. */
  address_limit?: Rate | undefined
  lanes?: Lanes | undefined
  metrics: Metrics
  /** Returns the delay of the event loop, in milliseconds. Default: always 0. */
  delay_ms?: () => number
  /** Delay of the refusals of clients that are likely to retry at once, in milliseconds. */
  refusal_ms?: number
  /** Time that a request waits for the count of its rate limit, in milliseconds. Default: that of RateLimiter. */
  limit_wait_ms?: number | undefined
}

export class Admission {
  readonly limiter: RateLimiter
  /** Finds the lane of a request by its API route. Each router registers its routes here. */
  readonly routes = new RouteLanes()
  readonly #options: AdmissionOptions
  readonly #lanes: Lanes
  readonly #shedder: Shedder
  readonly #turns: ReadonlyMap<LaneName, FairQueue>
  readonly #refusals: EarlyRefusals

  constructor(deps: Pick<Deps, 'database' | 'clock' | 'random' | 'log'>, options: AdmissionOptions) {
    const { lanes = lanesFor(POOL_SIZE), metrics, delay_ms = () => 0, refusal_ms, limit_wait_ms } = options
    this.#options = options
    this.#lanes = lanes
    this.limiter = new RateLimiter(deps, {
      onRefusal: (limit) => metrics.limited.inc({ limit }),
      wait_ms: limit_wait_ms,
    })
    this.#refusals = new EarlyRefusals(deps.random, refusal_ms)
    const { routes } = this
    this.#shedder = new Shedder({ ...deps, lanes, routes, metrics, delay_ms, refusals: this.#refusals })
    this.#turns = forLanes(lanes, ({ turns }) => turns && new FairQueue(turns))
  }

  /** Returns the number of requests in progress of each lane. */
  underWay(): Record<string, number> {
    return this.#shedder.underWay()
  }

  /** Returns the number of occupied slots of a lane. */
  places(lane: LaneName): number {
    return this.#shedder.places(lane)
  }

  /** Returns the gate that runs before the app. `trusts` decides which proxies' X-Forwarded-For counts. */
  before(trusts: Trust): Early {
    return (req, res) => this.#refuseFlood(req, res, trusts) || this.#shedder.refuse(req, res, trusts)
  }

  /** Returns the rate limit of one client address for a surface. Returns undefined if address limits are switched off. */
  limitOfAddress(name: string): Limit | undefined {
    const { address_limit } = this.#options
    if (!address_limit) return undefined
    const times = new Map(Object.entries(TIMES_OF_ADDRESS)).get(name) ?? 1
    return { name, per_sec: times * address_limit.per_sec, burst: times * address_limit.burst }
  }

  /** Returns the gate that limits the rate of a client address, or an empty list if address limits are switched off. */
  ofAddress(name: string, given: Pick<Limit, 'isLocal'> = {}): RequestHandler[] {
    const own = this.limitOfAddress(name)
    if (!own) return []
    const limit = { ...own, ...given }
    return [
      async (req, _res, next) => {
        await this.limiter.requireFrom(limit, clientAt(req.ip ?? ''), OF_NETWORK)
        next()
      },
    ]
  }

  /** Limits the rates of a caller and its organisation, and occupies a slot in the organisation's share of the lane. */
  async admit(lane: LaneName, holder: SlotOwner, connection: Connection): Promise<void> {
    for (const { limit, of } of this.#lanes[lane].rates ?? []) await this.limiter.require(limit, holder[of])
    this.#shedder.share(lane, holder, connection)
  }

  /** Does the work when it is the organisation's turn. If the client disconnects before, the work is not done. */
  inTurn<T>(lane: LaneName, { owner }: SlotOwner, connection: Connection, work: () => Promise<T>): Promise<T> {
    this.#shedder.lineUp(lane, connection)
    const turns = this.#turns.get(lane)
    return turns ? turns.run({ group: owner, client: owner }, work, { given_up: connection.closed() }) : work()
  }

  /**
   * Refuses, with a delay, a client that continues although the rate limit has refused it again and again. Refusing it in the app
   * would cost a hundred times more. Limits have the names of their surfaces.
   */
  #refuseFlood(req: IncomingMessage, res: ServerResponse, trusts: Trust): boolean {
    const surface = surfaceOf(req.url ?? '')
    const seconds = this.limiter.floodOf(surface, clientAt(clientAddress(req, trusts)))
    if (seconds === undefined) return false
    this.#options.metrics.limited.inc({ limit: surface })
    const retry_sec = Math.max(1, Math.ceil(seconds))
    this.#refusals.send(req, res, { status: 429, line: TOO_OFTEN, retry_sec, isDelayed: true })
    return true
  }
}
