// Refusing early what cannot be done in time, so that what was begun is done in time. Each part of the server has a budget of
// its own, and none starves another. Stands in front of everything that costs something.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../runtime/clock.ts'
import { newRequestId } from '../runtime/ids.ts'
import { type Log, Seldom } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Random } from '../runtime/random.ts'
import { OVERLOADED } from './errors.ts'
import { endLine } from './linger.ts'
import type { Early } from './server.ts'
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
}

export type Part = 'uploads' | 'monitor-api' | 'export' | 'account-api' | 'console' | 'status-page' | 'ping'
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
    export: budget(Math.max(2, Math.ceil(pool_size / 2)), { patience_ms: 60_000 }),
    'account-api': budget(8 * pool_size),
    console: budget(8 * pool_size),
    'status-page': budget(16 * pool_size),
    // A lost call is a false alarm: they come last.
    ping: budget(64 * pool_size, { givesWay: false }),
  }
}

/** From then on the process is late, and takes a quarter. */
const LATE_MS = 500
const LATE_SHARE = 4
/** Who was refused comes back spread over this many seconds. */
const SPREAD_SEC = 5
const QUIET_MS = 10_000
/** For so long at most, what is done for a client that went away counts: who waits for a connection waits no longer. */
const GONE_MS = 5_000

export interface ShedOptions {
  budgets: Budgets
  /** How late the process is, in milliseconds. */
  delay_ms: () => number
  metrics: Metrics
  clock: Clock
  random: Random
  log: Log
}

interface Visit {
  req: IncomingMessage
  res: ServerResponse
  began: number
  /** When the client went away while we were at work for it. */
  gone?: number
}

export class Shedder {
  readonly #options: ShedOptions
  readonly #underWay = new Map<Part, Set<Visit>>()
  readonly #seldom: Seldom

  constructor(options: ShedOptions) {
    this.#options = options
    this.#seldom = new Seldom(options.clock, QUIET_MS)
    for (const part of Object.keys(options.budgets) as Part[]) {
      this.#underWay.set(part, new Set())
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
    if (!this.#hasPlace(part, visits)) {
      this.#answer(part, req, res)
      return true
    }
    const visit: Visit = { req, res, began: this.#options.clock.monotonicMs() }
    visits.add(visit)
    res.once('close', () => {
      if (isAnswered(visit) || !req.complete) visits.delete(visit)
      else visit.gone = this.#options.clock.monotonicMs()
    })
    return false
  }

  /** Nobody tells that work for a client that is gone has come to its end: it is looked up when its place is needed. */
  #forget(visits: Set<Visit>): void {
    const before = this.#options.clock.monotonicMs() - GONE_MS
    for (const visit of visits) {
      if (visit.gone !== undefined && (isAnswered(visit) || visit.gone <= before)) visits.delete(visit)
    }
  }

  #hasPlace(part: Part, visits: Set<Visit>): boolean {
    const { at_once, most, patience_ms, givesWay } = this.#options.budgets[part]
    const share = givesWay && this.#options.delay_ms() > LATE_MS ? LATE_SHARE : 1
    const limit = Math.max(1, Math.floor(at_once / share))
    if (visits.size < limit) return true
    this.#forget(visits)
    const waiting = [...visits].filter(keepsUsWaiting)
    if (visits.size - waiting.length >= limit) return false
    if (visits.size < most) return true
    return cutOff(waiting, this.#options.clock.monotonicMs() - patience_ms)
  }

  #answer(part: Part, req: IncomingMessage, res: ServerResponse): void {
    const { metrics, random, log, delay_ms } = this.#options
    metrics.shed.inc({ part })
    this.#seldom.tell((count) => {
      log.warn({ part, count, under_way: this.underWay(), delay_ms: Math.round(delay_ms()) }, 'requests are shed')
    })
    res.statusCode = 503
    res.setHeader('X-Request-Id', newRequestId(random))
    res.setHeader('Retry-After', String(1 + ((random(1)[0] ?? 0) % SPREAD_SEC)))
    res.setHeader('Content-Type', 'text/plain; charset=utf-8')
    endLine(req, res, OVERLOADED)
  }
}

function partOf({ url = '', method }: IncomingMessage): Part | undefined {
  const surface = surfaceOf(url)
  if (surface === 'assets') return undefined
  if (surface === 'monitor-api' && method === 'POST' && /^\/monitor-api\/v1\/results(?:$|\?)/.test(url))
    return 'uploads'
  if (surface === 'account-api' && /^\/account-api\/v1\/export(?:$|\?)/.test(url)) return 'export'
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
