// Assembles all HTTP routes into one Express app.

import { Metrics } from '@dogwatch/runtime/metrics'
import compression from 'compression'
import express, { type Express } from 'express'
import { assets } from './console/assets.ts'
import { isStrangersForm } from './console/find-route.ts'
import { liveRouter } from './console/live/router.ts'
import { LiveStreams } from './console/live/streams.ts'
import type { ConsoleOptions } from './console/route.ts'
import { consoleRouter, unknownPage } from './console/router.ts'
import { statusPages } from './console/status/router.ts'
import type { Deps } from './domain/deps.ts'
import { ACCOUNT_API, type AccountApiOptions, accountApi } from './http/account-api/router.ts'
import { Admission } from './http/admission.ts'
import { CONFIG_API } from './http/config-api/prefix.ts'
import { type ConfigApiOptions, configApi } from './http/config-api/router.ts'
import { errorHandler, HttpError, statusOf } from './http/errors.ts'
import { type InstallOptions, install } from './http/install/router.ts'
import type { Lanes } from './http/lanes.ts'
import { Holds } from './http/monitor-api/holds.ts'
import { MONITOR_API, type MonitorApiOptions, monitorApi } from './http/monitor-api/router.ts'
import { pings } from './http/pings/router.ts'
import { requestId } from './http/request-id.ts'
import { giveUpSlot } from './http/shed.ts'

export interface AppOptions {
  /** Addresses or ranges whose X-Forwarded-For counts. */
  trust_proxy: readonly string[]
  /** Rate limit for one client address. Absent if switched off. */
  address_limit: { per_sec: number; burst: number } | undefined
  /** Limits of each lane. Default: those for a pool of eight connections. */
  lanes?: Lanes
  /** Admission of requests, if the caller also uses its gate before the app. */
  admission?: Admission
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
}

export function createApp(deps: Deps, options: AppOptions): Express {
  const {
    metrics = new Metrics(),
    holds = new Holds(),
    streams = new LiveStreams(deps),
    address_limit,
    lanes,
  } = options
  const { admission = new Admission(deps, { address_limit, lanes, metrics }) } = options
  const app = express()
  app.disable('x-powered-by')
  // With an ETag, a response could become a 304, which no contract declares.
  app.disable('etag')
  app.enable('case sensitive routing')
  app.set('query parser', 'simple')
  app.set('trust proxy', options.trust_proxy.length > 0 ? [...options.trust_proxy] : false)
  app.use(requestId({ ...deps, metrics }))
  const limited = (name: string) => admission.ofAddress(name)
  if (options.console) {
    app.use('/assets', ...admission.ofAddress('assets', { isLocal: true }), assets())
    app.use('/status', statusPages(deps, limited('status-page')))
    const { public_url } = options.console
    app.use('/live', liveRouter(deps, streams, limited('live'), { public_url, onHeld: giveUpSlot }))
  }
  // Not for files that are kept compressed, because anyone can request those without end.
  app.use(compression())
  // A job that pings too often must not lose its ping, so pings beyond the rate of its address wait.
  app.use('/ping', pings(deps, admission))
  const ofMonitors = monitorApi(deps, admission, metrics, { ...options.monitor_api, holds })
  app.use(MONITOR_API, ...limited('monitor-api'), ofMonitors)
  app.use(ACCOUNT_API, ...limited('account-api'), accountApi(deps, admission, options.account_api))
  const { public_url } = options.console ?? {}
  const onAsked = (monitor_id: string) => holds.ring(monitor_id)
  const ofConfigurators = configApi(deps, admission, {
    ...(public_url && { public_url }),
    ...options.config_api,
    onAsked,
  })
  app.use(CONFIG_API, ...limited('config-api'), ofConfigurators)
  if (options.install) app.use('/install', ...limited('install'), install(options.install))
  if (options.console) {
    const pages = { ...options.console, statusOf, onAsked }
    admission.routes.tell('console', (req) => (isStrangersForm(req) ? 'sign-in' : undefined))
    app.use(consoleRouter(deps, admission.limiter, pages, limited('console'), address_limit))
    app.use(unknownPage(deps, pages))
  }
  app.use(() => {
    throw new HttpError(404, 'no such path')
  })
  app.use(errorHandler(deps))
  return app
}
