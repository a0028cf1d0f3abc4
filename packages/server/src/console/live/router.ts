// The streams of open pages, and for pages that have none, the number of the newest change.
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { addressNetwork } from '../../domain/limits/address.ts'
import { findViewer, type Viewer } from '../../domain/people/sessions.ts'
import type { Deps } from '../../domain/deps.ts'
import { lacksSecondFactor } from '../access.ts'
import { readCookie } from '../cookies.ts'
import type { LiveStreams } from './streams.ts'

interface LiveOptions {
  public_url: string
  /** The request waits for changes from here on. */
  onHeld(req: Request): void
}

/** Comes before the compression of answers, which would hold back what a stream sends. */
export function liveRouter(
  deps: Deps,
  streams: LiveStreams,
  limited: readonly RequestHandler[],
  { public_url, onHeld }: LiveOptions,
): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const look = (req: Request) => viewerOf(deps, req, req.secure || public_url.startsWith('https:'))
  router.use((req, res, next) => {
    // Nobody else has a route of that name: a stream that is open for hours is not an answer of the overview that took hours.
    res.locals.route = req.path === '/' ? '/live' : '/live/version'
    next()
  })
  router.get('/', ...limited, async (req, res) => {
    const viewer = await look(req)
    // With a 204 a browser asks no more; where the page says nothing of a version, it is no page of ours.
    if (!viewer?.org || typeof req.query.v !== 'string' || req.method === 'HEAD') return end(res, 204)
    const { org_id } = viewer.org
    const { session_hash, impersonator_id } = viewer
    // Whoever looks at the pages of somebody else takes none of their places.
    const person_id = impersonator_id ?? viewer.person_id
    streams.open({ org_id, person_id, session_hash, network: addressNetwork(req.ip ?? '') }, res, req.query.v)
    onHeld(req)
  })
  router.get('/version', ...limited, async (req, res) => {
    const viewer = await look(req)
    if (!viewer?.org) return end(res, 204)
    end(res, 200, viewer.org.newest_change)
  })
  return router
}

/** Nobody else's page may open streams in a person's name. */
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
