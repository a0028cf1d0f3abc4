// Every answer names its request, and the log can tell of each.
import type { RequestHandler } from 'express'
import type { Clock } from '../runtime/clock.ts'
import { newRequestId } from '../runtime/ids.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'

export function requestId({ random, clock, log }: { random: Random; clock: Clock; log: Log }): RequestHandler {
  return (req, res, next) => {
    const request_id = newRequestId(random)
    res.setHeader('X-Request-Id', request_id)
    const begun = clock.monotonicMs()
    res.once('finish', () => {
      const took_ms = Math.round(clock.monotonicMs() - begun)
      log.debug({ request_id, method: req.method, path: req.path, status: res.statusCode, took_ms }, 'answered')
    })
    next()
  }
}
