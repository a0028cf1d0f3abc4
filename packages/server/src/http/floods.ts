// Refuses clients that continue although the rate limit refuses them again and again. As long as an address is over its
// limit, it is refused before all other work, and with a delay: a refusal through the whole app costs a hundred times
// more.
import type { IncomingMessage } from 'node:http'
import { addressBlock } from '../domain/limits/address.ts'
import type { Clock } from '../runtime/clock.ts'
import { newRequestId } from '../runtime/ids.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Random } from '../runtime/random.ts'
import { clientAddress, type Trust } from './client.ts'
import { HeldAnswers } from './held-answers.ts'
import { refusalFor } from './problem.ts'
import type { Early } from './server.ts'
import { surfaceOf } from './surface.ts'

export const TOO_OFTEN = 'rate limit exceeded'

/** Number of refusals in a row that are not delayed. */
const PATIENCE = 20
/** Maximum time between two refusals of a flood, in milliseconds. */
const FORGOTTEN_MS = 10_000
const MOST_REMEMBERED = 10_000

interface RefusalCount {
  times: number
  at: number
  /** Time (monotonic ms) until which the rate limit will refuse it. */
  until: number
}

export interface FloodOptions {
  random: Random
  metrics: Metrics
  /** Proxies whose X-Forwarded-For counts. */
  trusts: Trust
  /** Delay of a refusal, in milliseconds. */
  hold_ms?: number
}

/** Recent refusals of the address limits, by limit and address. The least recent is dropped first. */
export class Refusals {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #refused = new Map<string, RefusalCount>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** Records that the limit refuses an address for a number of seconds. */
  note(limit: string, block: string, seconds: number): void {
    const key = `${limit} ${block}`
    const now = this.#clock.monotonicMs()
    const before = this.#refused.get(key)
    const times = before && now - before.at <= FORGOTTEN_MS ? before.times + 1 : 1
    this.#refused.delete(key)
    this.#refused.set(key, { times, at: now, until: now + seconds * 1000 })
    const [oldest] = this.#refused.keys()
    if (this.#refused.size > MOST_REMEMBERED && oldest !== undefined) this.#refused.delete(oldest)
  }

  /** Returns the seconds that a flooding address must wait. Returns undefined if its request is handled as usual. */
  waitOf(limit: string, block: string): number | undefined {
    const refused = this.#refused.get(`${limit} ${block}`)
    const wait_ms = refused && refused.times >= PATIENCE ? refused.until - this.#clock.monotonicMs() : 0
    return wait_ms > 0 ? wait_ms / 1000 : undefined
  }
}

/** Refuses flooding addresses. The limits have the names of the surfaces that they protect. */
export function refuseFloods(refusals: Refusals, { random, metrics, trusts, hold_ms }: FloodOptions): Early {
  const held = new HeldAnswers(hold_ms)
  return (req: IncomingMessage, res) => {
    const surface = surfaceOf(req.url ?? '')
    const seconds = refusals.waitOf(surface, addressBlock(clientAddress(req, trusts)))
    if (seconds === undefined) return false
    metrics.limited.inc({ limit: surface })
    res.statusCode = 429
    res.setHeader('X-Request-Id', newRequestId(random))
    res.setHeader('Retry-After', String(Math.max(1, Math.ceil(seconds))))
    const { type, text } = refusalFor(req, req.url ?? '', { status: 429, line: TOO_OFTEN })
    res.setHeader('Content-Type', type)
    held.end(req, res, text)
    return true
  }
}
