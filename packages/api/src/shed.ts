// Refuses requests early if they cannot finish in time, so that others can. Each lane has two sets of slots: one
// applies before the credential is verified, the other after that.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { DomainError } from '@dogwatch/domain/errors'
import { clientAt } from '@dogwatch/domain/limits/address'
import { TOO_OFTEN } from '@dogwatch/domain/limits/spend'
import type { Clock } from '@dogwatch/runtime/clock'
import { type Log, LogThrottle } from '@dogwatch/runtime/log'
import type { Metrics } from '@dogwatch/runtime/metrics'
import type { Random } from '@dogwatch/runtime/random'
import { looksLikeToken } from '@dogwatch/runtime/tokens'
import { clientAddress, type Trust } from './client.ts'
import type { Connection } from './connection.ts'
import type { EarlyRefusals } from './early-refusals.ts'
import { HttpError, OVERLOADED } from './errors.ts'
import { forLanes, homeOf, type LaneName, type Lanes, type RouteLanes, type SlotBounds } from './lanes.ts'
import { readPingPath } from './pings/path.ts'
import { type Holder, holdersAt, type Refusal, Slots, type Visit } from './slots.ts'

/** Delay of the event loop in milliseconds beyond which lanes have only a quarter of their slots. */
const LATE_MS = 500
const LATE_SHARE = 4
/** Range of the Retry-After times of refused clients, in seconds. */
const SPREAD_SEC = 5
/** Retry-After for callers whose organisation has used up its share, in seconds. */
const RETRY_SEC = 1
const QUIET_MS = 10_000
/** Minimum interval between two searches for disconnected clients while no slot is free, in milliseconds. */
const LOOK_MS = 100
/** Refusal of a client that has too many pings in progress. */
const EXCESS = 'too many pings at once; try again later'
/**
 * Minimum time in milliseconds before a request can lose its slot, even one of the client that keeps the server waiting most.
 */
const LEAST_MS = 250
/**
 * Maximum time in milliseconds that work for a disconnected client occupies a slot. No request waits longer than this for a
 * connection.
 */
const GONE_MS = 5_000

export interface ShedOptions {
  lanes: Lanes
  /** Lanes of the app's routes. */
  routes: RouteLanes
  /** Returns the delay of the event loop, in milliseconds. */
  delay_ms: () => number
  refusals: EarlyRefusals
  metrics: Metrics
  clock: Pick<Clock, 'monotonicMs'>
  random: Random
  log: Log
}

/** Owner of a slot: the caller, such as a token or a monitor, and the organisation whose share the slot belongs to. */
export interface SlotOwner {
  caller: string
  owner: string
}

/** Returns the owner of a slot that a request with a token occupies. */
export function slotOwnerOf({ token_id, org_id }: { token_id: number; org_id: number }): SlotOwner {
  return { caller: String(token_id), owner: String(org_id) }
}

interface EarlySlot {
  leave(): void
  resize(isSmall: boolean): void
}

const earlySlots = new WeakMap<IncomingMessage, EarlySlot>()

/** Frees the slot of the request, because the request now waits for a person's action. */
export function giveUpSlot(req: IncomingMessage): void {
  earlySlots.get(req)?.leave()
  earlySlots.delete(req)
}

/** Sets whether the request is small, after its body was read. */
export function resizeSlot(req: IncomingMessage, isSmall: boolean): void {
  earlySlots.get(req)?.resize(isSmall)
}

export class Shedder {
  readonly #options: ShedOptions
  readonly #early: ReadonlyMap<LaneName, Slots>
  readonly #shared: ReadonlyMap<LaneName, Slots>
  readonly #visits = new WeakMap<Connection, Visit>()
  readonly #throttle: LogThrottle
  /** Requests that wait for a person's action. They need only memory, and the code that holds them limits their number. */
  readonly #resting = new Set<Visit>()
  #looked = -Infinity

  constructor(options: ShedOptions) {
    const { lanes, clock, metrics } = options
    this.#options = options
    this.#throttle = new LogThrottle(clock, QUIET_MS)
    this.#early = forLanes(lanes, ({ slots }) => (typeof slots === 'string' ? undefined : new Slots()))
    this.#shared = forLanes(lanes, ({ share }) => share && new Slots())
    for (const lane of this.#homes()) metrics.shed.inc({ part: lane }, 0)
  }

  /** Returns the numbers of requests in progress, by lane. */
  underWay(): Record<string, number> {
    const sizes = this.#homes().map((lane) => {
      const slots = this.#early.get(lane)
      slots?.forget()
      return [lane, slots?.size ?? 0] as const
    })
    return Object.fromEntries([...sizes, ['held', this.#resting.size]])
  }

  /** Returns the number of occupied slots of a lane. */
  places(lane: LaneName): number {
    return this.#early.get(lane)?.places ?? 0
  }

  /** Occupies a slot until the work for the request is done. If no slot is free, refuses the request and returns true. */
  refuse(req: IncomingMessage, res: ServerResponse, trusts: Trust): boolean {
    const { lanes, routes, clock } = this.#options
    const name = routes.laneOf(req)
    const lane = name && homeOf(lanes, name)
    const [slots, bounds] = [lane && this.#early.get(lane), lane && lanes[lane].slots]
    if (!lane || !slots || typeof bounds !== 'object') return false
    const visit = earlyVisit(req, res, trusts, clock.monotonicMs())
    if (saysSmall(req, bounds.small_bytes)) visit.isSmall = true
    if (bounds.of_address !== undefined) visit.holders = holdersOf(req, trusts, bounds.of_address)
    const refusal = this.#refusalOf(slots, bounds, visit)
    if (refusal) {
      this.#answer(lane, refusal, req, res)
      return true
    }
    earlySlots.set(req, {
      leave: () => {
        slots.delete(visit)
        if (!res.closed) this.#resting.add(visit)
      },
      resize: (isSmall) => slots.resize(visit, isSmall),
    })
    res.once('close', () => {
      this.#resting.delete(visit)
      if (isAnswered(res) || !req.complete) return slots.delete(visit)
      const until = clock.monotonicMs() + GONE_MS
      visit.isOver = () => isAnswered(res) || clock.monotonicMs() >= until
    })
    return false
  }

  /**
   * Occupies a slot in the organisation's share until the response is complete. Refuses with 429 if the caller or organisation has
   * used up its share, and with 503 if the organisation has no slot at all.
   */
  share(lane: LaneName, { caller, owner }: SlotOwner, connection: Connection): void {
    const { lanes, clock, metrics } = this.#options
    const { share } = lanes[homeOf(lanes, lane)]
    const slots = this.#shared.get(lane)
    if (!share || !slots) return
    const over = connection.closed()
    // The client has disconnected: no event would free the slot, and no one needs the response.
    if (over.aborted) throw limited()
    const [own, most] = [`caller ${caller}`, share.of_caller ?? Infinity]
    const ofOwner = `owner ${owner}`
    // Occupies a whole slot until the body is read, because a compressed body can decompress to a megabyte.
    const visit: Visit = {
      began: clock.monotonicMs(),
      holders: [
        { key: own, most },
        { key: ofOwner, most: Infinity },
      ],
      owner: () => ofOwner,
      isAwaited: () => connection.isAwaited(),
      cut: () => connection.cut(),
    }
    const isBelowItsBound = slots.held(own) < most
    const before = visit.began - LEAST_MS
    let refusal = slots.take(visit, share)
    while (refusal && isBelowItsBound && slots.cutGreediest(before, () => slots.held(ofOwner)))
      refusal = slots.take(visit, share)
    if (refusal && slots.held(ofOwner) === 0) throw new HttpError(503, OVERLOADED, { 'Retry-After': String(RETRY_SEC) })
    if (refusal) {
      metrics.limited.inc({ limit: share.limit })
      throw limited()
    }
    this.#visits.set(connection, visit)
    over.addEventListener('abort', () => slots.delete(visit))
  }

  /**
   * Marks that the body was read and the request waits for its turn. If the body is small, the request occupies only a part of its
   * slots from then on.
   */
  lineUp(lane: LaneName, connection: Connection): void {
    const { slots } = this.#options.lanes[lane]
    if (typeof slots === 'string' || slots.small_bytes === undefined) return
    const isSmall = connection.bodySize() <= slots.small_bytes
    connection.resize(isSmall)
    const visit = this.#visits.get(connection)
    if (visit) this.#shared.get(lane)?.resize(visit, isSmall)
  }

  #homes(): LaneName[] {
    const { lanes } = this.#options
    return [...this.#early.keys()].filter((lane) => homeOf(lanes, lane) === lane)
  }

  #refusalOf(slots: Slots, bounds: SlotBounds, visit: Visit): Refusal | undefined {
    if (bounds.of_address === undefined) {
      if (!this.#hasRoom(slots, bounds, visit)) return 'full'
      slots.add(visit)
      return undefined
    }
    const refusal = slots.take(visit, bounds)
    if (!refusal || visit.began - this.#looked < LOOK_MS) return refusal
    this.#looked = visit.began
    slots.forget()
    return slots.take(visit, bounds)
  }

  #hasRoom(slots: Slots, { at_once, most, patience_ms, givesWay }: SlotBounds, visit: Visit): boolean {
    // Reads the delay for each request, because it is measured only while someone reads it.
    const isLate = this.#options.delay_ms() > LATE_MS
    const limit = Math.max(1, Math.floor(at_once / (givesWay && isLate ? LATE_SHARE : 1)))
    if (slots.places < limit && slots.size < most) return true
    slots.forget()
    const awaited = slots.awaited()
    const working = slots.places - awaited.places
    if (working >= limit) return false
    // Counts requests and not slots here, because a client that keeps the server waiting does as much harm with a small
    // request.
    if (working + awaited.visits.length < most) return true
    if (slots.cutOldest(awaited.visits, visit.began - patience_ms)) return true
    // A client that keeps the server waiting nearly as often as the worst one must not take a slot from that one.
    return slots.cutGreediest(visit.began - LEAST_MS, (byOwner) => (byOwner.get(visit.owner())?.length ?? 0) + 1)
  }

  /**
   * Refuses a request. If its client has too many in progress, the server is not at fault: the status is 429, and no outage is
   * recorded.
   */
  #answer(part: LaneName, refusal: Refusal, req: IncomingMessage, res: ServerResponse): void {
    const { lanes, metrics, random, refusals, log, delay_ms } = this.#options
    const { slots } = lanes[part]
    const isExcess = refusal === 'excess'
    if (isExcess) metrics.limited.inc({ limit: part })
    else metrics.shed.inc({ part })
    this.#throttle.run((count) => {
      const facts = { part, refusal, count, under_way: this.underWay(), delay_ms: Math.round(delay_ms()) }
      log.warn(facts, 'shedding requests')
    })
    const retry_sec = 1 + ((random(1)[0] ?? 0) % SPREAD_SEC)
    const { status, line } = isExcess ? { status: 429, line: EXCESS } : { status: 503, line: OVERLOADED }
    const isDelayed = isExcess || (typeof slots === 'object' && slots.holdsBack === true)
    refusals.send(req, res, { status, line, retry_sec, isDelayed })
  }
}

function limited(): DomainError {
  return new DomainError('limited', TOO_OFTEN, RETRY_SEC)
}

function earlyVisit(req: IncomingMessage, res: ServerResponse, trusts: Trust, began: number): Visit {
  let network: string | undefined
  return {
    began,
    holders: [],
    owner: () => (network ??= clientAt(clientAddress(req, trusts)).network),
    isAwaited: () => !req.complete || (res.headersSent && res.writableLength > 0),
    // Ends the whole connection, because the response can wait behind another one, so that ending the response would
    // not end the request.
    cut: () => req.socket.destroy(),
  }
}

const PINGS = '/ping'

/** Returns the holders that a ping counts for: its address, its network, and its heartbeat if the token has a valid form. */
function holdersOf(req: IncomingMessage, trusts: Trust, of_address: number): Holder[] {
  const { url = '' } = req
  const end = url.indexOf('?')
  const { token } = readPingPath(url.slice(PINGS.length, end === -1 ? undefined : end))
  const holders = holdersAt(clientAt(clientAddress(req, trusts)), of_address)
  const isToken = token !== undefined && looksLikeToken('beat', token)
  return isToken ? [...holders, { key: token, most: of_address }] : holders
}

function isAnswered({ headersSent, writableEnded }: ServerResponse): boolean {
  return headersSent || writableEnded
}

/**
 * Whether the headers declare a small body. Until the body is read, the request needs no more memory than that. Chunked bodies
 * declare no size.
 */
function saysSmall({ headers }: IncomingMessage, small_bytes = -1): boolean {
  const length = headers['content-length']
  return length !== undefined && Number(length) <= small_bytes
}
