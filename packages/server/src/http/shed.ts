// Load shedding: refuses early what cannot be done in time, so that what was begun is done in time. Each part of the
// server has a budget of its own, so that none starves another. Stands in front of everything that is expensive.
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
  /** Requests that wait for us. A small one (shares.ts) counts as a quarter. */
  at_once: number
  /** The places of those that wait for us, and the number of those that wait for their client to send its body or to read its answer. */
  most: number
  /** A client that keeps us waiting longer than this is cut off when its place is needed. */
  patience_ms: number
  /** Whether its budget shrinks when the event loop is late. */
  givesWay: boolean
  /** Whether refusals are delayed, because these clients are likely to retry at once. */
  holdsBack?: boolean
  /** For a part with fair shares: how many places one address may have. Then only `most` and this apply. */
  of_address?: number
  /** A request whose head says that its body has at most so many bytes is small from the beginning, until it turns out to be larger. */
  small_bytes?: number
}

export type Budgets = Readonly<Record<Part, Budget>>

/** Scaled by the pool size: requests beyond it would only queue for a connection. */
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
    // Organisations take turns behind this (account-api/export-queue.ts): there must be room for running and waiting
    // exports.
    export: budget(16 * pool_size, { patience_ms: 60_000 }),
    // Organisations take turns behind this as well.
    'account-api': budget(16 * pool_size),
    'config-api': budget(16 * pool_size),
    console: budget(8 * pool_size),
    // Strangers guessing passwords: each guess is expensive, and must never crowd out people who are signed in.
    'sign-in': budget(pool_size, { holdsBack: true }),
    'status-page': budget(16 * pool_size),
    // A lost ping is a false alarm: pings are shed last, and do not take places from others.
    ping: budget(64 * pool_size, { givesWay: false, most: 256 * pool_size, of_address: 32 * pool_size }),
  }
}

/** Beyond this delay the event loop counts as late, and the budgets are a quarter. */
const LATE_MS = 500
const LATE_SHARE = 4
/** Refused clients are told to retry at times spread over this many seconds. */
const SPREAD_SEC = 5
const QUIET_MS = 10_000
/** Behind one /48 of IPv6 there may be many clients. */
const OF_NETWORK = 2
/** When places are short, clients that disconnected are looked for this often. */
const LOOK_MS = 100
/** A client with too many requests at once gets the same line as one that asks too often. */
const EXCESS = 'too many pings at once; try again later'
/** Even the client that keeps us waiting most often gets this long for a request. */
const LEAST_MS = 250
/** How long work for a client that disconnected counts at most: nobody waits longer than this for a connection. */
const GONE_MS = 5_000

export interface ShedOptions {
  budgets: Budgets
  /** The delay of the event loop, in milliseconds. */
  delay_ms: () => number
  /** When a client is told that it is beyond its share. */
  excess_ms?: number
  /** The proxies whose X-Forwarded-For counts; left out, none. */
  trusts?: Trust
  /** What the app's routers say of their routes. */
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

/** The request waits for people from here on: it takes no place of its part any more. */
export function giveUpPlace(req: IncomingMessage): void {
  places.get(req)?.leave()
  places.delete(req)
}

/** The body of the request was read: from here on it waits for us, and takes a small part of a place or all of it. */
export function lineUp(req: IncomingMessage, isSmall: boolean): void {
  places.get(req)?.lineUp(isSmall)
}

export class Shedder {
  readonly #options: ShedOptions
  readonly #underWay = new Map<Part, Visits>()
  readonly #shares = new Map<Part, Shares>()
  readonly #throttle: LogThrottle
  readonly #held: HeldAnswers
  /** Requests that wait for people: they hold nothing of ours but memory, and whoever holds them counts them. */
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

  /** How many requests of each part are in progress. */
  underWay(): Record<string, number> {
    for (const visits of this.#underWay.values()) this.#forget(visits)
    const sizes = Array.from(this.#underWay, ([part, { size }]) => [part, size] as const)
    return Object.fromEntries([...sizes, ['held', this.#resting.size]])
  }

  /** How many places of a part are taken. */
  places(part: Part): number {
    return this.#underWay.get(part)?.places ?? 0
  }

  /** Counts a request; answers it if there is no place for it. */
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

  /** Takes a place in the name of the request's address, network and heartbeat. */
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

  /** Nothing signals the end of work for a disconnected client: it is checked when its place is needed. */
  #forget(visits: Set<Visit>): void {
    const before = this.#options.clock.monotonicMs() - GONE_MS
    for (const visit of visits) {
      if (visit.gone !== undefined && (isAnswered(visit) || visit.gone <= before)) end(visits, visit)
    }
  }

  #hasPlace(part: Part, visit: Visit, visits: Visits): boolean {
    const { at_once, most, patience_ms, givesWay } = this.#options.budgets[part]
    // Read with every request, because it is measured only while it is read.
    const isLate = this.#options.delay_ms() > LATE_MS
    const share = givesWay && isLate ? LATE_SHARE : 1
    const limit = Math.max(1, Math.floor(at_once / share))
    if (visits.places < limit && visits.size < most) return true
    this.#forget(visits)
    const awaited = visits.awaited()
    const working = visits.places - awaited.places
    if (working >= limit) return false
    // Whoever keeps us waiting is as bad with a small request as with a large one.
    if (working + awaited.requests < most) return true
    const waiting = [...visits].filter(keepsUsWaiting)
    const now = this.#options.clock.monotonicMs()
    return cutOff(waiting, now - patience_ms) || cutOff(this.#ofGreediest(waiting, visit), now - LEAST_MS)
  }

  /**
   * The requests of the client that keeps us waiting most often, the longest first; none if the newcomer's client does
   * so nearly as often.
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

  /** A refusal for a client's own excess is not our fault: 429, and not recorded as an outage. */
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

/** The heartbeat that a ping names; a text that cannot be a token names none. */
function tokenOf({ url = '' }: IncomingMessage): string | undefined {
  const end = url.indexOf('?')
  const { token } = readPingPath(url.slice(PINGS.length, end === -1 ? undefined : end))
  return token !== undefined && looksLikeToken('beat', token) ? token : undefined
}

function isAnswered({ res }: Visit): boolean {
  return res.headersSent || res.writableEnded
}

/** Until the body is read, a request holds no more of it than its head says. A body in chunks may be of any size. */
function saysSmall({ headers }: IncomingMessage, small_bytes = -1): boolean {
  const length = headers['content-length']
  return length !== undefined && Number(length) <= small_bytes
}

/** Ends the request that has kept us waiting longest, if that began before `before`; returns whether there was one. */
function cutOff(waiting: readonly Visit[], before: number): boolean {
  const [oldest] = waiting
  if (!oldest || oldest.began > before) return false
  // Its answer may queue behind another on the connection, and then nothing ends yet.
  oldest.req.socket.destroy()
  return true
}
