// Assembles all HTTP routes into one Express app.
import compression from 'compression'
import express, { type Express } from 'express'
import type { Deps } from './domain/deps.ts'
import type { Rate } from './domain/limits/gcra.ts'
import { RateLimiter } from './domain/limits/spend.ts'
import { ACCOUNT_API, type AccountApiOptions, accountApi } from './http/account-api/router.ts'
import { CONFIG_API } from './http/config-api/prefix.ts'
import { type ConfigApiOptions, configApi } from './http/config-api/router.ts'
import { addressLimit } from './http/address-limit.ts'
import { pings } from './http/pings/router.ts'
import { errorHandler, HttpError, statusOf } from './http/errors.ts'
import { assets } from './console/assets.ts'
import { install, type InstallOptions } from './http/install/router.ts'
import { isStrangersForm } from './console/find-route.ts'
import { liveRouter } from './console/live/router.ts'
import { LiveStreams } from './console/live/streams.ts'
import { consoleRouter, unknownPage } from './console/router.ts'
import type { ConsoleOptions } from './console/route.ts'
import { statusPages } from './console/status/router.ts'
import { Holds } from './http/monitor-api/holds.ts'
import { MONITOR_API, type MonitorApiOptions, monitorApi } from './http/monitor-api/router.ts'
import type { RouteParts } from './http/parts.ts'
import { giveUpPlace } from './http/shed.ts'
import { requestId } from './http/request-id.ts'
import { Metrics } from './runtime/metrics.ts'

export interface AppOptions {
  /** Addresses or ranges whose X-Forwarded-For counts. */
  trust_proxy: readonly string[]
  /** Rate limit for one client address. Absent if switched off. */
  address_limit: { per_sec: number; burst: number } | undefined
  /** Limiter of all rates. Default: one of its own. */
  limiter?: RateLimiter
  /** Metrics of requests. If absent, they are not exported. */
  metrics?: Metrics
  monitor_api?: MonitorApiOptions
  account_api?: AccountApiOptions
  config_api?: ConfigApiOptions
  /** Downloads of the agent. If absent, there are none. */
  install?: InstallOptions
  /** Options of the pages. If absent, there are no pages. */
  console?: Omit<ConsoleOptions, 'statusOf' | 'onAsked'>
  /** The streams of open pages. */
  streams?: LiveStreams
  /** Holds for requests of agents. */
  holds?: Holds
  /** Receives the part of the server of each route. */
  parts?: RouteParts
}

export function createApp(deps: Deps, options: AppOptions): Express {
  const { metrics = new Metrics(), holds = new Holds(), streams = new LiveStreams(deps), parts } = options
  const app = express()
  app.disable('x-powered-by')
  // With an ETag, a response could become a 304, which no contract declares.
  app.disable('etag')
  app.enable('case sensitive routing')
  app.set('query parser', 'simple')
  app.set('trust proxy', options.trust_proxy.length > 0 ? [...options.trust_proxy] : false)
  app.use(requestId({ ...deps, metrics }))
  const { limiter = new RateLimiter(deps, (limit) => metrics.limited.inc({ limit })), address_limit } = options
  const limited = (name: string) => (address_limit ? [addressLimit(limiter, { name, ...address_limit })] : [])
  if (options.console) {
    const ofAssets = address_limit && timesRate(ASSETS_PER_REQUEST, address_limit)
    if (ofAssets) app.use('/assets', addressLimit(limiter, { name: 'assets', isLocal: true, ...ofAssets }))
    app.use('/assets', assets())
    app.use('/status', statusPages(deps, limited('status-page')))
    const { public_url } = options.console
    app.use('/live', liveRouter(deps, streams, limited('live'), { public_url, onHeld: giveUpPlace }))
  }
  // Not for files that are kept compressed, because anyone can request those without end.
  app.use(compression())
  // A job that pings too often must not lose its ping, so pings beyond the rate of its address wait.
  const ofPings = address_limit && { name: 'ping', ...timesRate(PINGS_PER_REQUEST, address_limit) }
  app.use('/ping', pings(deps, limiter, ofPings))
  const ofMonitors = monitorApi(deps, metrics, { ...options.monitor_api, holds, parts })
  app.use(MONITOR_API, ...limited('monitor-api'), ofMonitors)
  app.use(ACCOUNT_API, ...limited('account-api'), accountApi(deps, limiter, { ...options.account_api, parts }))
  const { public_url } = options.console ?? {}
  const onAsked = (monitor_id: string) => holds.ring(monitor_id)
  const ofConfigurators = configApi(deps, limiter, {
    ...(public_url && { public_url }),
    ...options.config_api,
    onAsked,
    parts,
  })
  app.use(CONFIG_API, ...limited('config-api'), ofConfigurators)
  if (options.install) app.use('/install', ...limited('install'), install(options.install))
  if (options.console) {
    const pages = { ...options.console, statusOf, onAsked }
    parts?.tell('console', (req) => (isStrangersForm(req) ? 'sign-in' : undefined))
    app.use(consoleRouter(deps, limiter, pages, limited('console'), address_limit))
    app.use(unknownPage(deps, pages))
  }
  app.use(() => {
    throw new HttpError(404, 'no such path')
  })
  app.use(errorHandler(deps))
  return app
}

/** Factor of the rate limit for pings, because many jobs can share one address. */
const PINGS_PER_REQUEST = 20
/** Factor of the rate limit for assets, because they come from memory and a page requests several. */
const ASSETS_PER_REQUEST = 20

function timesRate(times: number, { per_sec, burst }: Rate): Rate {
  return { per_sec: times * per_sec, burst: times * burst }
}
