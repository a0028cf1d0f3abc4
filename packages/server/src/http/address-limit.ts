// The rate limit by client address, in front of everything else of an API.
import type { RequestHandler } from 'express'
import { DomainError } from '../domain/errors.ts'
import { addressBlock } from '../domain/limits/address.ts'
import type { Limit, RateLimiter } from '../domain/limits/spend.ts'

export function addressLimit(limiter: RateLimiter, limit: Limit): RequestHandler {
  return async (req, _res, next) => {
    const verdict = await limiter.spend(limit, addressBlock(req.ip ?? ''))
    if (verdict.kind === 'wait') {
      throw new DomainError('limited', 'rate limit exceeded', Math.max(1, Math.ceil(verdict.seconds)))
    }
    next()
  }
}
