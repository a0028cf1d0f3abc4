// Limits the rate of requests by client address, before all other work of an API.
import type { RequestHandler } from 'express'
import { DomainError } from '../domain/errors.ts'
import { addressBlock, addressNetwork } from '../domain/limits/address.ts'
import { spendOne } from '../domain/limits/gcra.ts'
import type { Limit, RateLimiter } from '../domain/limits/spend.ts'
import { type Refusals, TOO_OFTEN } from './floods.ts'

/** Factor of the limit of a network, because one client can have a whole /48 of IPv6, and many clients can share one. */
const OF_NETWORK = 8

export function addressLimit(limiter: RateLimiter, limit: Limit, refusals?: Refusals): RequestHandler {
  const { name, per_sec, burst } = limit
  const ofNetwork = { name: `${name}-network`, per_sec: OF_NETWORK * per_sec, burst: OF_NETWORK * burst }
  return async (req, _res, next) => {
    const [block, network] = [addressBlock(req.ip ?? ''), addressNetwork(req.ip ?? '')]
    const own = await limiter.spend(limit, block)
    const verdict = own.kind === 'pass' && network !== block ? await limiter.spend(ofNetwork, network) : own
    if (verdict.kind === 'wait') {
      refusals?.note(name, block, verdict.seconds)
      throw new DomainError('limited', TOO_OFTEN, Math.max(1, Math.ceil(verdict.seconds)))
    }
    next()
  }
}

/** Maximum number of remembered clients. Beyond it, those that passed longest ago are forgotten. */
const MOST_REMEMBERED = 10_000

/**
 * Limits like {@link addressLimit}, but by the counts of this process alone, for work that costs less than a query to the store.
 */
export function ownAddressLimit(
  { name, ...rate }: Limit,
  onRefusal: (name: string) => void,
  refusals?: Refusals,
): RequestHandler {
  /** Time (ms) at which the bucket of each client is full again. */
  const fullAt = new Map<string, number>()
  return (req, _res, next) => {
    const block = addressBlock(req.ip ?? '')
    const now = performance.now()
    const spent = spendOne(rate, fullAt.get(block) ?? now, now)
    if (!spent.isAllowed) {
      onRefusal(name)
      refusals?.note(name, block, spent.wait_ms / 1000)
      throw new DomainError('limited', TOO_OFTEN, Math.max(1, Math.ceil(spent.wait_ms / 1000)))
    }
    fullAt.delete(block)
    fullAt.set(block, spent.full_at)
    const [oldest] = fullAt.keys()
    if (fullAt.size > MOST_REMEMBERED && oldest !== undefined) fullAt.delete(oldest)
    next()
  }
}
