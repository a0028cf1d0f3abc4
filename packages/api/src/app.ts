// Assembles the routes for programs into one Express app, to which a caller can add pages.

import type { Deps } from '@dogwatch/domain/deps'
import { Metrics } from '@dogwatch/runtime/metrics'
import compression from 'compression'
import express, { type Express } from 'express'
import { ACCOUNT_API, type AccountApiOptions, accountApi } from './account-api/router.ts'
import { Admission } from './admission.ts'
import { CONFIG_API } from './config-api/prefix.ts'
import { type ConfigApiOptions, configApi } from './config-api/router.ts'
import { errorHandler, HttpError } from './errors.ts'
import { type InstallOptions, install } from './install/router.ts'
import type { Lanes } from './lanes.ts'
import { Holds } from './monitor-api/holds.ts'
import { MONITOR_API, type MonitorApiOptions, monitorApi } from './monitor-api/router.ts'
import { pings } from './pings/router.ts'
import { requestId } from './request-id.ts'

export interface ApiOptions {
  /** Addresses or ranges whose X-Forwarded-For counts. */
  trust_proxy: readonly string[]
  /** Rate limit for one client address. Absent if switched off. */
  address_limit: { per_sec: number; burst: number } | undefined
  /** Time that a request waits for the count of its rate limit, in milliseconds. Default: that of Admission. */
  limit_wait_ms?: number
  /** Limits of each lane. Default: those for a pool of eight connections. */
  lanes?: Lanes
  /** Admission of requests. Passed by a caller that also uses its gate before the app. */
  admission?: Admission
  /** Metrics of requests. If absent, they are not exported. */
  metrics?: Metrics
  monitor_api?: MonitorApiOptions
  account_api?: AccountApiOptions
  config_api?: ConfigApiOptions
  /** Downloads of the agent. If absent, the server offers none. */
  install?: InstallOptions
  /** Holds for requests of agents that wait until there is something to sync. */
  holds?: Holds
  /** Pages for people. If absent, the app has none. */
  pages?: Pages
}

/** Routes that the app has in addition to those for programs. */
export interface Pages {
  /** Address at which people open the pages. The configuration API links to it. */
  public_url: string
  /** Adds the routes that the app must not compress: streams, and files in compressed form. */
  addUncompressed(app: Express, admission: Admission): void
  /** Adds all other routes. They call `onAsked` to wake a monitor when someone requests a run from it. */
  addPages(app: Express, admission: Admission, onAsked: (monitor_id: string) => void): void
}

export function createApiApp(deps: Deps, options: ApiOptions): Express {
  const { metrics = new Metrics(), holds = new Holds(), address_limit, lanes, limit_wait_ms, pages } = options
  const { admission = new Admission(deps, { address_limit, lanes, metrics, limit_wait_ms }) } = options
  const app = express()
  app.disable('x-powered-by')
  // With an ETag, a response could become a 304, which no contract declares.
  app.disable('etag')
  app.enable('case sensitive routing')
  app.set('query parser', 'simple')
  app.set('trust proxy', options.trust_proxy.length > 0 ? [...options.trust_proxy] : false)
  app.use(requestId({ ...deps, metrics }))
  const limited = (name: string) => admission.ofAddress(name)
  pages?.addUncompressed(app, admission)
  // Does not apply to files that are stored compressed, because anyone can request those without end.
  app.use(compression())
  // A job that pings too often must not lose a ping, so pings beyond the rate limit of an address wait.
  app.use('/ping', pings(deps, admission))
  const ofMonitors = monitorApi(deps, admission, metrics, { ...options.monitor_api, holds })
  app.use(MONITOR_API, ...limited('monitor-api'), ofMonitors)
  app.use(ACCOUNT_API, ...limited('account-api'), accountApi(deps, admission, options.account_api))
  const onAsked = (monitor_id: string) => holds.ring(monitor_id)
  const ofConfigurators = configApi(deps, admission, {
    ...(pages && { public_url: pages.public_url }),
    ...options.config_api,
    onAsked,
  })
  app.use(CONFIG_API, ...limited('config-api'), ofConfigurators)
  if (options.install) app.use('/install', ...limited('install'), install(options.install))
  pages?.addPages(app, admission, onAsked)
  app.use(() => {
    throw new HttpError(404, 'no such path')
  })
  app.use(errorHandler(deps))
  return app
}
