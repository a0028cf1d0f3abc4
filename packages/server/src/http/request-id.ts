// Gives every request an id that its answer carries, and logs and measures it.
import type { RequestHandler } from 'express'
import type { Clock } from '../runtime/clock.ts'
import { newRequestId } from '../runtime/ids.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Random } from '../runtime/random.ts'
import { labelsOf } from './surface.ts'

/** Requests that take longer are logged; exports may take longer, and agents let a ping wait for half a minute. */
const SLOW_MS = 5_000
const MAY_TAKE_LONG = new Set(['/export', '/ping'])

export interface Telling {
  random: Random
  clock: Clock
  log: Log
  metrics: Metrics
}

export function requestId({ random, clock, log, metrics }: Telling): RequestHandler {
  return (req, res, next) => {
    const request_id = newRequestId(random)
    res.setHeader('X-Request-Id', request_id)
    const begun = clock.monotonicMs()
    res.once('close', () => {
      const ms = clock.monotonicMs() - begun
      const { status, ...labels } = labelsOf(req, res)
      metrics.requests.inc({ ...labels, status })
      metrics.request_duration.observe(labels, ms / 1000)
      const facts = { request_id, ...labels, status: res.statusCode, took_ms: Math.round(ms) }
      if (ms >= SLOW_MS && !MAY_TAKE_LONG.has(labels.route)) log.info(facts, 'a slow request')
      const [path] = req.originalUrl.split('?', 1)
      log.debug({ ...facts, path, is_complete: res.writableFinished }, 'answered')
    })
    next()
  }
}
