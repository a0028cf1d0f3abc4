// Limits the rate of requests by client address, before all other work. A client that continues although it is refused again
// and again is refused even before the app, and with a delay: a refusal through the whole app costs a hundred times more.
import type { RequestHandler } from 'express'
import { clientAt } from '../domain/limits/address.ts'
import type { Limit, RateLimiter } from '../domain/limits/spend.ts'
import { TOO_OFTEN } from '../domain/limits/spend.ts'
import { newRequestId } from '../runtime/ids.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Random } from '../runtime/random.ts'
import { clientAddress, type Trust } from './client.ts'
import { HeldAnswers } from './held-answers.ts'
import { refusalFor } from './problem.ts'
import type { Early } from './server.ts'
import { surfaceOf } from './surface.ts'

/** Factor of the limit of a network. */
const OF_NETWORK = 8

export function addressLimit(limiter: RateLimiter, limit: Limit): RequestHandler {
  return async (req, _res, next) => {
    await limiter.requireFrom(limit, clientAt(req.ip ?? ''), OF_NETWORK)
    next()
  }
}

export interface FloodOptions {
  random: Random
  metrics: Metrics
  /** Proxies whose X-Forwarded-For counts. */
  trusts: Trust
  /** Delay of a refusal, in milliseconds. */
  hold_ms?: number
}

/** Refuses flooding addresses. The limits have the names of the surfaces that they protect. */
export function refuseFloods(limiter: RateLimiter, { random, metrics, trusts, hold_ms }: FloodOptions): Early {
  const held = new HeldAnswers(hold_ms)
  return (req, res) => {
    const surface = surfaceOf(req.url ?? '')
    const seconds = limiter.floodOf(surface, clientAt(clientAddress(req, trusts)))
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
