// Clients that go on asking after they were refused again and again for asking too often. While their address has no room left,
// they are refused in front of everything else, and hear of it late: a refusal through the whole app costs a hundred times more.
import type { IncomingMessage } from 'node:http'
import { addressBlock } from '../domain/limits/address.ts'
import type { Clock } from '../runtime/clock.ts'
import { newRequestId } from '../runtime/ids.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Random } from '../runtime/random.ts'
import { clientAddress, type Trust } from './client.ts'
import { HeldAnswers } from './held-answers.ts'
import type { Early } from './server.ts'
import { surfaceOf } from './surface.ts'

export const TOO_OFTEN = 'rate limit exceeded'

/** A client that is refused no more often than this is slow to learn, and gets its answer at once. */
const PATIENCE = 20
/** Refusals further apart than this are no flood. */
const FORGOTTEN_MS = 10_000
const MOST_REMEMBERED = 10_000

interface Refused {
  times: number
  at: number
  /** Until when (monotonic ms) the rate limit is known to refuse it. */
  until: number
}

export interface FloodOptions {
  random: Random
  metrics: Metrics
  /** Whose X-Forwarded-For counts. */
  trusts: Trust
  /** For how long a refusal is held back. */
  hold_ms?: number
}

/** What a limit by address refused lately, by the limit and the address. The least recent is forgotten first. */
export class Refusals {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #refused = new Map<string, Refused>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** The limit has refused an address, and will for so many seconds. */
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

  /** How many seconds an address that floods us has to wait; undefined when it is to be asked as usual. */
  waitOf(limit: string, block: string): number | undefined {
    const refused = this.#refused.get(`${limit} ${block}`)
    const wait_ms = refused && refused.times >= PATIENCE ? refused.until - this.#clock.monotonicMs() : 0
    return wait_ms > 0 ? wait_ms / 1000 : undefined
  }
}

/** Refuses those that flood us. The limits are named as the surfaces that they bound. */
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
    res.setHeader('Content-Type', 'text/plain; charset=utf-8')
    held.end(req, res, TOO_OFTEN)
    return true
  }
}
