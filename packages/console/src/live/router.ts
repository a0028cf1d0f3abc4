// Serves the streams of open pages, and the number of the newest change to pages that have no stream.

import type { Deps } from '@dogwatch/domain/deps'
import { clientAt } from '@dogwatch/domain/limits/address'
import { findViewer, type Viewer } from '@dogwatch/domain/people/sessions'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { lacksSecondFactor } from '../access.ts'
import { readCookie } from '../cookies.ts'
import type { LiveStreams } from './streams.ts'

interface LiveOptions {
  public_url: string
  /** Notes that the request waits for changes from now on. */
  onHeld(req: Request): void
}

/** Returns the router for live pages. It must come before the compression of responses, which would delay a stream's messages. */
export function liveRouter(
  deps: Deps,
  streams: LiveStreams,
  limited: readonly RequestHandler[],
  { public_url, onHeld }: LiveOptions,
): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const look = (req: Request) => viewerOf(deps, req, req.secure || public_url.startsWith('https:'))
  router.use((req, res, next) => {
    // No other route has this name, so that a stream that is open for hours does not count as a slow response of the overview.
    res.locals.route = req.path === '/' ? '/live' : '/live/version'
    next()
  })
  router.get('/', ...limited, async (req, res) => {
    const viewer = await look(req)
    // A 204 stops the browser from asking again. A request without a version does not come from one of our pages.
    if (!viewer?.org || typeof req.query.v !== 'string' || req.method === 'HEAD') return end(res, 204)
    const { org_id } = viewer.org
    const { session_hash, impersonator_id } = viewer
    // An admin who impersonates another person uses none of the streams that the person can have.
    const person_id = impersonator_id ?? viewer.person_id
    streams.open({ org_id, person_id, session_hash, network: clientAt(req.ip ?? '').network }, res, req.query.v)
    onHeld(req)
  })
  router.get('/version', ...limited, async (req, res) => {
    const viewer = await look(req)
    if (!viewer?.org) return end(res, 204)
    end(res, 200, viewer.org.newest_change)
  })
  return router
}

/**
 * Returns the viewer who opens a stream. Returns undefined for pages of other sites, which must not open streams in a person's
 * name.
 */
async function viewerOf(deps: Deps, req: Request, isSecure: boolean): Promise<Viewer | undefined> {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return undefined
  const session = readCookie(req, 'session', isSecure)
  const viewer = session === '' ? undefined : await findViewer(deps, session)
  return viewer?.org?.suspended === false && !lacksSecondFactor(viewer) ? viewer : undefined
}

function end(res: Response, status: number, line?: string): void {
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.status(status)
  if (line === undefined) res.end()
  else res.type('text/plain').send(line)
}
