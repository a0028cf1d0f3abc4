// Refusing early what cannot be done in time, so that what was begun is done in time. Each part of the server has a budget of
// its own, and none starves another. Stands in front of everything that costs something.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../runtime/clock.ts'
import { addressBlock, addressNetwork } from '../domain/limits/address.ts'
import { newRequestId } from '../runtime/ids.ts'
import { type Log, Seldom } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Random } from '../runtime/random.ts'
import { clientAddress, type Trust } from './client.ts'
import { OVERLOADED } from './errors.ts'
import { HeldAnswers } from './held-answers.ts'
import { endLine } from './linger.ts'
import type { Early } from './server.ts'
import { type Holder, type Refusal, Shares } from './shares.ts'
import { surfaceOf } from './surface.ts'

export interface Budget {
  /** Requests that wait for us. */
  at_once: number
  /** All that are under way, those included that wait for their client: to send its body, or to read its answer. */
  most: number
  /** Whoever keeps us waiting for longer is cut off when their place is needed. */
  patience_ms: number
  /** Whether it gives way when the process comes late to everything. */
  givesWay: boolean
  /** Whether a refusal is told late, since those who ask are likely to ask again at once. */
  holdsBack?: boolean
  /** Of a part that has fair shares: how many places one address may have. Only `most` and this count for it then. */
  of_address?: number
}

export type Part = 'uploads' | 'monitor-api' | 'export' | 'account-api' | 'console' | 'sign-in' | 'status-page' | 'ping'
export type Budgets = Readonly<Record<Part, Budget>>

/** By how many connections there are to the database: what is above only waits for those. */
export function budgetsFor(pool_size: number): Budgets {
  const budget = (at_once: number, given: Partial<Budget> = {}): Budget => ({
    at_once,
    most: 4 * at_once,
    patience_ms: 5_000,
    givesWay: true,
    ...given,
  })
  return {
    // What they carry is large: enough to keep the database busy, and no more.
    uploads: budget(6 * pool_size),
    'monitor-api': budget(16 * pool_size),
    // Organisations take turns behind this (account-api/export-queue.ts): there must be room for those that run and those that wait.
    export: budget(16 * pool_size, { patience_ms: 60_000 }),
    // Organisations take turns behind this as well.
    'account-api': budget(16 * pool_size),
    console: budget(8 * pool_size),
    // Strangers' guesses at passwords: dear, and never to keep those out who are signed in.
    'sign-in': budget(pool_size, { holdsBack: true }),
    'status-page': budget(16 * pool_size),
    // A lost ping is a false alarm: they come last, and nobody takes the places of others.
    ping: budget(64 * pool_size, { givesWay: false, most: 256 * pool_size, of_address: 32 * pool_size }),
  }
}

/** From then on the process is late, and takes a quarter. */
const LATE_MS = 500
const LATE_SHARE = 4
/** Who was refused comes back spread over this many seconds. */
const SPREAD_SEC = 5
const QUIET_MS = 10_000
/** Behind one /48 of IPv6 there may be many clients. */
const OF_NETWORK = 2
/** Those who went away are looked for this often when places are short. */
const LOOK_MS = 100
/** What one client may have at once is said to it as it is to one that asks too often. */
const EXCESS = 'too many pings at once, try again later'
const TOKEN = /^\/ping\/(dogwatch_beat_[0-9A-Za-z]{1,60})(?:[/?]|$)/
/** Forms that somebody fills in who is not signed in: most of them carry a password. */
const SIGN_IN = /^\/(?:sign-in|sign-up|reset-password|invitations)(?:[/?]|$)/
/** Even the client that keeps us waiting most often has this long for a request. */
const LEAST_MS = 250
/** For so long at most, what is done for a client that went away counts: who waits for a connection waits no longer. */
const GONE_MS = 5_000

export interface ShedOptions {
  budgets: Budgets
  /** How late the process is, in milliseconds. */
  delay_ms: () => number
  /** When a client hears that it is beyond its share. */
  excess_ms?: number
  /** Whose X-Forwarded-For counts; left out, nobody's. */
  trusts?: Trust
  metrics: Metrics
  clock: Clock
  random: Random
  log: Log
}

interface Visit {
  req: IncomingMessage
  res: ServerResponse
  began: number
  /** Who it comes from, once somebody asks: the address, or the /48 of IPv6. */
  network?: string
  /** When the client went away while we were at work for it. */
  gone?: number
  /** Gives back its place among fair shares. */
  leave?: () => void
}

export class Shedder {
  readonly #options: ShedOptions
  readonly #underWay = new Map<Part, Set<Visit>>()
  readonly #shares = new Map<Part, Shares>()
  readonly #seldom: Seldom
  readonly #held: HeldAnswers
  readonly #trusts: Trust
  #looked = -Infinity

  constructor(options: ShedOptions) {
    this.#options = options
    this.#trusts = options.trusts ?? (() => false)
    this.#seldom = new Seldom(options.clock, QUIET_MS)
    this.#held = new HeldAnswers(options.excess_ms)
    for (const part of Object.keys(options.budgets) as Part[]) {
      this.#underWay.set(part, new Set())
      const { most, of_address } = options.budgets[part]
      if (of_address !== undefined) this.#shares.set(part, new Shares(most))
      options.metrics.shed.inc({ part }, 0)
    }
  }

  /** How many requests of each part are under way. */
  underWay(): Record<string, number> {
    for (const visits of this.#underWay.values()) this.#forget(visits)
    return Object.fromEntries(Array.from(this.#underWay, ([part, { size }]) => [part, size]))
  }

  /** Counts a request in; answers it if there is no place for it. */
  readonly refuse: Early = (req, res) => {
    const part = partOf(req)
    const visits = part && this.#underWay.get(part)
    if (!visits) return false
    const visit: Visit = { req, res, began: this.#options.clock.monotonicMs() }
    const refusal = this.#refusalOf(part, visit, visits)
    if (refusal) {
      this.#answer(part, refusal, req, res)
      return true
    }
    visits.add(visit)
    res.once('close', () => {
      if (isAnswered(visit) || !req.complete) end(visits, visit)
      else visit.gone = this.#options.clock.monotonicMs()
    })
    return false
  }

  #refusalOf(part: Part, visit: Visit, visits: Set<Visit>): Refusal | undefined {
    if (this.#shares.has(part)) return this.#share(part, visit, visits)
    return this.#hasPlace(part, visit, visits) ? undefined : 'full'
  }

  /** Takes a place for a visit in the name of its address, its network and its heartbeat. */
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
    if (taken) visit.leave = taken
    return undefined
  }

  #holdersOf(req: IncomingMessage, of_address: number): Holder[] {
    const ip = clientAddress(req, this.#trusts)
    const [block, network] = [addressBlock(ip), addressNetwork(ip)]
    const [, token] = TOKEN.exec(req.url ?? '') ?? []
    return [
      { key: block, most: of_address },
      ...(network === block ? [] : [{ key: network, most: OF_NETWORK * of_address }]),
      ...(token === undefined ? [] : [{ key: token, most: of_address }]),
    ]
  }

  /** Nobody tells that work for a client that is gone has come to its end: it is looked up when its place is needed. */
  #forget(visits: Set<Visit>): void {
    const before = this.#options.clock.monotonicMs() - GONE_MS
    for (const visit of visits) {
      if (visit.gone !== undefined && (isAnswered(visit) || visit.gone <= before)) end(visits, visit)
    }
  }

  #hasPlace(part: Part, visit: Visit, visits: Set<Visit>): boolean {
    const { at_once, most, patience_ms, givesWay } = this.#options.budgets[part]
    const share = givesWay && this.#options.delay_ms() > LATE_MS ? LATE_SHARE : 1
    const limit = Math.max(1, Math.floor(at_once / share))
    if (visits.size < limit) return true
    this.#forget(visits)
    const waiting = [...visits].filter(keepsUsWaiting)
    if (visits.size - waiting.length >= limit) return false
    if (visits.size < most) return true
    const now = this.#options.clock.monotonicMs()
    return cutOff(waiting, now - patience_ms) || cutOff(this.#ofGreediest(waiting, visit), now - LEAST_MS)
  }

  /** Those of the client that keeps us waiting most often, the longest first; none if the newcomer's does it nearly as often. */
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

  /** What is refused for its client's own excess is no fault of ours: 429, and no outage to be noted. */
  #answer(part: Part, refusal: Refusal, req: IncomingMessage, res: ServerResponse): void {
    const { budgets, metrics, random, log, delay_ms } = this.#options
    const isExcess = refusal === 'excess'
    if (isExcess) metrics.limited.inc({ limit: part })
    else metrics.shed.inc({ part })
    this.#seldom.tell((count) => {
      const facts = { part, refusal, count, under_way: this.underWay(), delay_ms: Math.round(delay_ms()) }
      log.warn(facts, 'requests are shed')
    })
    res.statusCode = isExcess ? 429 : 503
    res.setHeader('X-Request-Id', newRequestId(random))
    res.setHeader('Retry-After', String(1 + ((random(1)[0] ?? 0) % SPREAD_SEC)))
    res.setHeader('Content-Type', 'text/plain; charset=utf-8')
    const line = isExcess ? EXCESS : OVERLOADED
    if (isExcess || budgets[part].holdsBack) this.#held.end(req, res, line)
    else endLine(req, res, line)
  }
}

function end(visits: Set<Visit>, visit: Visit): void {
  visits.delete(visit)
  visit.leave?.()
}

function partOf({ url = '', method }: IncomingMessage): Part | undefined {
  const surface = surfaceOf(url)
  if (surface === 'assets') return undefined
  if (surface === 'monitor-api' && method === 'POST' && /^\/monitor-api\/v1\/results(?:$|\?)/.test(url))
    return 'uploads'
  if (surface === 'account-api' && /^\/account-api\/v1\/export(?:$|\?)/.test(url)) return 'export'
  if (surface === 'console' && method === 'POST' && SIGN_IN.test(url)) return 'sign-in'
  return surface
}

function isAnswered({ res }: Visit): boolean {
  return res.headersSent || res.writableEnded
}

/** Whether the body has not come whole, or the answer is not taken. */
function keepsUsWaiting({ req, res }: Visit): boolean {
  return !req.complete || res.writableLength > 0
}

/** Ends whoever keeps us waiting since before then, the longest first; says whether there was one. */
function cutOff(waiting: readonly Visit[], before: number): boolean {
  const [oldest] = waiting
  if (!oldest || oldest.began > before) return false
  // Its answer may stand behind another on the connection, and end nothing yet.
  oldest.req.socket.destroy()
  return true
}
