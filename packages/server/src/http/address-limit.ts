// The rate limit by client address, in front of everything else of an API.
import type { RequestHandler } from 'express'
import { DomainError } from '../domain/errors.ts'
import { addressBlock } from '../domain/limits/address.ts'
import type { Limit, RateLimiter } from '../domain/limits/spend.ts'
import { type Refusals, TOO_OFTEN } from './floods.ts'

export function addressLimit(limiter: RateLimiter, limit: Limit, refusals?: Refusals): RequestHandler {
  return async (req, _res, next) => {
    const block = addressBlock(req.ip ?? '')
    const verdict = await limiter.spend(limit, block)
    if (verdict.kind === 'wait') {
      refusals?.note(limit.name, block, verdict.seconds)
      throw new DomainError('limited', TOO_OFTEN, Math.max(1, Math.ceil(verdict.seconds)))
    }
    next()
  }
}
