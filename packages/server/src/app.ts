// Adds the pages of the console to the app of the APIs.
import { type ApiOptions, createApiApp, type Pages } from '@dogwatch/api/app'
import { statusOf } from '@dogwatch/api/errors'
import { giveUpSlot } from '@dogwatch/api/shed'
import { assets } from '@dogwatch/console/assets'
import { isStrangersForm } from '@dogwatch/console/find-route'
import { liveRouter } from '@dogwatch/console/live/router'
import { LiveStreams } from '@dogwatch/console/live/streams'
import type { ConsoleOptions } from '@dogwatch/console/route'
import { consoleRouter, unknownPage } from '@dogwatch/console/router'
import { statusPages } from '@dogwatch/console/status/router'
import type { Deps } from '@dogwatch/domain/deps'
import type { Express } from 'express'

export interface AppOptions extends Omit<ApiOptions, 'pages'> {
  /** Options of the console. If absent, the app has no pages. */
  console?: Omit<ConsoleOptions, 'statusOf' | 'onAsked'>
  /** Streams of open pages. */
  streams?: LiveStreams
}

export function createApp(deps: Deps, options: AppOptions): Express {
  const { console, streams = new LiveStreams(deps), ...ofApi } = options
  return createApiApp(deps, {
    ...ofApi,
    ...(console && { pages: pagesOf(deps, { console, streams, address_limit: ofApi.address_limit }) }),
  })
}

type PagesOptions = Required<Pick<AppOptions, 'console' | 'streams'>> & Pick<AppOptions, 'address_limit'>

function pagesOf(deps: Deps, { console, streams, address_limit }: PagesOptions): Pages {
  const { public_url } = console
  return {
    public_url,
    addUncompressed(app, admission) {
      app.use('/assets', ...admission.ofAddress('assets', { isLocal: true }), assets())
      app.use('/status', statusPages(deps, admission.ofAddress('status-page')))
      app.use('/live', liveRouter(deps, streams, admission.ofAddress('live'), { public_url, onHeld: giveUpSlot }))
    },
    addPages(app, admission, onAsked) {
      const pages = { ...console, statusOf, onAsked }
      admission.routes.tell('console', (req) => (isStrangersForm(req) ? 'sign-in' : undefined))
      app.use(consoleRouter(deps, admission.limiter, pages, admission.ofAddress('console'), address_limit))
      app.use(unknownPage(deps, pages))
    },
  }
}
