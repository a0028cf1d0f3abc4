// Gives every request an id and adds it to the response. Also logs and measures the request.

import type { Clock } from '@dogwatch/runtime/clock'
import { newRequestId } from '@dogwatch/runtime/ids'
import type { Log } from '@dogwatch/runtime/log'
import type { Metrics } from '@dogwatch/runtime/metrics'
import type { Random } from '@dogwatch/runtime/random'
import type { RequestHandler } from 'express'
import { labelsOf } from './surface.ts'

/** Duration of a request, in milliseconds, that the log reports as slow. */
const SLOW_MS = 5_000
/**
 * Routes whose responses take long by design: exports, held requests of agents, streams of open pages, and runs that users
 * request.
 */
const MAY_TAKE_LONG = new Set([
  '/export',
  '/ping',
  '/live',
  '/checks/:check/runs/:run',
  '/checks/new/test',
  '/checks/:check/edit/test',
])

export interface RequestIdDeps {
  random: Random
  clock: Clock
  log: Log
  metrics: Metrics
}

export function requestId({ random, clock, log, metrics }: RequestIdDeps): RequestHandler {
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
      if (ms >= SLOW_MS && !MAY_TAKE_LONG.has(labels.route)) log.info(facts, 'slow request')
      const [path] = req.originalUrl.split('?', 1)
      log.debug({ ...facts, path, is_complete: res.writableFinished }, 'answered')
    })
    next()
  }
}
