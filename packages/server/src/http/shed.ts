// Sheds load: refuses early the requests that cannot finish in time, so that the others do. Each part of the server has
// its own budget, so that none starves another. Runs before all expensive work.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../runtime/clock.ts'
import { addressBlock, addressNetwork } from '../domain/limits/address.ts'
import { newRequestId } from '../runtime/ids.ts'
import { type Log, LogThrottle } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Random } from '../runtime/random.ts'
import { looksLikeToken } from '../runtime/tokens.ts'
import { clientAddress, type Trust } from './client.ts'
import { OVERLOADED } from './errors.ts'
import { HeldAnswers } from './held-answers.ts'
import { endLine } from './linger.ts'
import { type Part, PARTS, type RouteParts } from './parts.ts'
import { readPingPath } from './pings/path.ts'
import { refusalFor } from './problem.ts'
import type { Early } from './server.ts'
import { type Holder, type Refusal, Shares, SMALL_BYTES } from './shares.ts'
import { keepsUsWaiting, type Visit, Visits } from './visits.ts'

export interface Budget {
  /** Maximum number of requests that wait for us. A small one (shares.ts) counts as a quarter. */
  at_once: number
  /** Maximum sum of the slots of requests that wait for us and the number of those that wait for their client. */
  most: number
  /** Time in milliseconds after which a client that keeps us waiting loses its slot if another request needs it. */
  patience_ms: number
  /** Whether the budget shrinks when the event loop is late. */
  givesWay: boolean
  /** Whether refusals are delayed, because these clients are likely to retry at once. */
  holdsBack?: boolean
  /** Maximum number of slots of one address. A part with this field has fair shares, and only `most` and this field apply. */
  of_address?: number
  /** Maximum declared body size of a request that counts as small until its body turns out to be larger. */
  small_bytes?: number
}

export type Budgets = Readonly<Record<Part, Budget>>

/** Returns the budgets. They grow with the pool size, because further requests would only queue for a connection. */
export function budgetsFor(pool_size: number): Budgets {
  const budget = (at_once: number, given: Partial<Budget> = {}): Budget => ({
    at_once,
    most: 4 * at_once,
    patience_ms: 5_000,
    givesWay: true,
    ...given,
  })
  return {
    // Uploads are large: enough to keep the database busy, and no more.
    uploads: budget(6 * pool_size, { small_bytes: SMALL_BYTES }),
    'monitor-api': budget(16 * pool_size),
    // Organisations take turns behind this (account-api/export-queue.ts), so running and waiting exports need room.
    export: budget(16 * pool_size, { patience_ms: 60_000 }),
    // Organisations also take turns behind this.
    'account-api': budget(16 * pool_size),
    'config-api': budget(16 * pool_size),
    console: budget(8 * pool_size),
    // Strangers guess passwords here. Each guess is expensive, and must never crowd out users who are signed in.
    'sign-in': budget(pool_size, { holdsBack: true }),
    'status-page': budget(16 * pool_size),
    // A lost ping is a false alarm, so pings are shed last, and do not use the slots of others.
    ping: budget(64 * pool_size, { givesWay: false, most: 256 * pool_size, of_address: 32 * pool_size }),
  }
}

/** Delay beyond which the event loop counts as late, so that the budgets are a quarter. */
const LATE_MS = 500
const LATE_SHARE = 4
/** Range of the Retry-After times of refused clients, in seconds. */
const SPREAD_SEC = 5
const QUIET_MS = 10_000
/** Factor of the limit of a network, because many clients can share one /48 of IPv6. */
const OF_NETWORK = 2
/** Interval between two searches for disconnected clients while slots are short. */
const LOOK_MS = 100
/** Refusal of a client with too many requests in progress. */
const EXCESS = 'too many pings at once; try again later'
/** Minimum time for a request, even of the client that keeps us waiting most often. */
const LEAST_MS = 250
/** Maximum time that work for a disconnected client counts. No request waits longer than this for a connection. */
const GONE_MS = 5_000

export interface ShedOptions {
  budgets: Budgets
  /** Returns the delay of the event loop, in milliseconds. */
  delay_ms: () => number
  /** Delay of the refusal of a client beyond its share. */
  excess_ms?: number
  /** Proxies whose X-Forwarded-For counts. Default: none. */
  trusts?: Trust
  /** Parts of the routes of the app. */
  parts: RouteParts
  metrics: Metrics
  clock: Clock
  random: Random
  log: Log
}

const places = new WeakMap<IncomingMessage, VisitPlace>()

interface VisitPlace {
  leave(): void
  lineUp(isSmall: boolean): void
}

/** Gives up the slot of the request, because it now waits for a person. */
export function giveUpPlace(req: IncomingMessage): void {
  places.get(req)?.leave()
  places.delete(req)
}

/** Marks the body of the request as read: from now on it waits for us, and occupies a small part of a slot or all of it. */
export function lineUp(req: IncomingMessage, isSmall: boolean): void {
  places.get(req)?.lineUp(isSmall)
}

export class Shedder {
  readonly #options: ShedOptions
  readonly #underWay = new Map<Part, Visits>()
  readonly #shares = new Map<Part, Shares>()
  readonly #throttle: LogThrottle
  readonly #held: HeldAnswers
  /** Requests that wait for a person. They use only memory, and the code that holds them counts them. */
  readonly #resting = new Set<Visit>()
  readonly #trusts: Trust
  #looked = -Infinity

  constructor(options: ShedOptions) {
    this.#options = options
    this.#trusts = options.trusts ?? (() => false)
    this.#throttle = new LogThrottle(options.clock, QUIET_MS)
    this.#held = new HeldAnswers(options.excess_ms)
    for (const part of PARTS) {
      const { most, of_address } = options.budgets[part]
      this.#underWay.set(part, new Visits())
      if (of_address !== undefined) this.#shares.set(part, new Shares(most))
      options.metrics.shed.inc({ part }, 0)
    }
  }

  /** Returns the number of requests in progress of each part. */
  underWay(): Record<string, number> {
    for (const visits of this.#underWay.values()) this.#forget(visits)
    const sizes = Array.from(this.#underWay, ([part, { size }]) => [part, size] as const)
    return Object.fromEntries([...sizes, ['held', this.#resting.size]])
  }

  /** Returns the number of occupied slots of a part. */
  places(part: Part): number {
    return this.#underWay.get(part)?.places ?? 0
  }

  /** Counts a request. Refuses it if there is no slot for it. */
  readonly refuse: Early = (req, res) => {
    const part = this.#options.parts.partOf(req)
    const visits = part && this.#underWay.get(part)
    if (!visits) return false
    const visit: Visit = { req, res, began: this.#options.clock.monotonicMs() }
    const refusal = this.#refusalOf(part, visit, visits)
    if (refusal) {
      this.#answer(part, refusal, req, res)
      return true
    }
    visits.add(visit)
    if (saysSmall(req, this.#options.budgets[part].small_bytes)) visits.shrink(visit)
    places.set(req, {
      leave: () => {
        end(visits, visit)
        if (!res.closed) this.#resting.add(visit)
      },
      lineUp: (isSmall) => visits.lineUp(visit, isSmall),
    })
    res.once('close', () => {
      this.#resting.delete(visit)
      if (isAnswered(visit) || !req.complete) end(visits, visit)
      else visit.gone = this.#options.clock.monotonicMs()
    })
    return false
  }

  #refusalOf(part: Part, visit: Visit, visits: Visits): Refusal | undefined {
    if (this.#shares.has(part)) return this.#share(part, visit, visits)
    return this.#hasPlace(part, visit, visits) ? undefined : 'full'
  }

  /** Occupies a slot for the request's address, network and heartbeat. Returns the reason of a refusal. */
  #share(part: Part, visit: Visit, visits: Set<Visit>): Refusal | undefined {
    const { clock, budgets } = this.#options
    const holders = this.#holdersOf(visit.req, budgets[part].of_address ?? budgets[part].most)
    let taken = this.#shares.get(part)?.take(holders)
    if (typeof taken === 'string' && clock.monotonicMs() - this.#looked >= LOOK_MS) {
      this.#looked = clock.monotonicMs()
      this.#forget(visits)
      taken = this.#shares.get(part)?.take(holders)
    }
    if (typeof taken === 'string') return taken
    if (taken) visit.place = taken
    return undefined
  }

  #holdersOf(req: IncomingMessage, of_address: number): Holder[] {
    const ip = clientAddress(req, this.#trusts)
    const [block, network] = [addressBlock(ip), addressNetwork(ip)]
    const token = tokenOf(req)
    return [
      { key: block, most: of_address },
      ...(network === block ? [] : [{ key: network, most: OF_NETWORK * of_address }]),
      ...(token === undefined ? [] : [{ key: token, most: of_address }]),
    ]
  }

  /** Removes requests of disconnected clients, because no event signals the end of their work. */
  #forget(visits: Set<Visit>): void {
    const before = this.#options.clock.monotonicMs() - GONE_MS
    for (const visit of visits) {
      if (visit.gone !== undefined && (isAnswered(visit) || visit.gone <= before)) end(visits, visit)
    }
  }

  #hasPlace(part: Part, visit: Visit, visits: Visits): boolean {
    const { at_once, most, patience_ms, givesWay } = this.#options.budgets[part]
    // Read for each request, because it is measured only while it is read.
    const isLate = this.#options.delay_ms() > LATE_MS
    const share = givesWay && isLate ? LATE_SHARE : 1
    const limit = Math.max(1, Math.floor(at_once / share))
    if (visits.places < limit && visits.size < most) return true
    this.#forget(visits)
    const awaited = visits.awaited()
    const working = visits.places - awaited.places
    if (working >= limit) return false
    // A client that keeps us waiting is as bad with a small request as with a large one.
    if (working + awaited.requests < most) return true
    const waiting = [...visits].filter(keepsUsWaiting)
    const now = this.#options.clock.monotonicMs()
    return cutOff(waiting, now - patience_ms) || cutOff(this.#ofGreediest(waiting, visit), now - LEAST_MS)
  }

  /**
   * Returns the requests of the client that keeps us waiting most often, the longest first. Returns none if the client of the
   * newcomer does so nearly as often.
   */
  #ofGreediest(waiting: readonly Visit[], newcomer: Visit): readonly Visit[] {
    const byNetwork = new Map<string, Visit[]>()
    for (const visit of waiting) {
      const network = this.#networkOf(visit)
      const own = byNetwork.get(network)
      if (own) own.push(visit)
      else byNetwork.set(network, [visit])
    }
    const own = byNetwork.get(this.#networkOf(newcomer))?.length ?? 0
    const [greediest = []] = [...byNetwork.values()].sort((a, b) => b.length - a.length)
    return greediest.length > own + 1 ? greediest : []
  }

  #networkOf(visit: Visit): string {
    visit.network ??= addressNetwork(clientAddress(visit.req, this.#trusts))
    return visit.network
  }

  /** Refuses a request. An excess of the client is not our fault, so it gets 429 and is not recorded as an outage. */
  #answer(part: Part, refusal: Refusal, req: IncomingMessage, res: ServerResponse): void {
    const { budgets, metrics, random, log, delay_ms } = this.#options
    const isExcess = refusal === 'excess'
    if (isExcess) metrics.limited.inc({ limit: part })
    else metrics.shed.inc({ part })
    this.#throttle.run((count) => {
      const facts = { part, refusal, count, under_way: this.underWay(), delay_ms: Math.round(delay_ms()) }
      log.warn(facts, 'shedding requests')
    })
    res.setHeader('X-Request-Id', newRequestId(random))
    res.setHeader('Retry-After', String(1 + ((random(1)[0] ?? 0) % SPREAD_SEC)))
    const { status, line } = isExcess ? { status: 429, line: EXCESS } : { status: 503, line: OVERLOADED }
    const { type, text } = refusalFor(req, req.url ?? '', { status, line })
    res.statusCode = status
    res.setHeader('Content-Type', type)
    if (isExcess || budgets[part].holdsBack) this.#held.end(req, res, text)
    else endLine(req, res, text)
  }
}

function end(visits: Set<Visit>, visit: Visit): void {
  visits.delete(visit)
  visit.place?.leave()
}

const PINGS = '/ping'

/** Returns the heartbeat token of a ping. Returns undefined if the text cannot be a token. */
function tokenOf({ url = '' }: IncomingMessage): string | undefined {
  const end = url.indexOf('?')
  const { token } = readPingPath(url.slice(PINGS.length, end === -1 ? undefined : end))
  return token !== undefined && looksLikeToken('beat', token) ? token : undefined
}

function isAnswered({ res }: Visit): boolean {
  return res.headersSent || res.writableEnded
}

/**
 * Whether the head declares a small body. Until the body is read, the request holds no more of it than declared. Chunked bodies
 * can have any size.
 */
function saysSmall({ headers }: IncomingMessage, small_bytes = -1): boolean {
  const length = headers['content-length']
  return length !== undefined && Number(length) <= small_bytes
}

/** Ends the request that has kept us waiting longest, if it began before `before`. Returns whether there was one. */
function cutOff(waiting: readonly Visit[], before: number): boolean {
  const [oldest] = waiting
  if (!oldest || oldest.began > before) return false
  // Its response can queue behind another on the connection, and then nothing ends yet.
  oldest.req.socket.destroy()
  return true
}
