// Serves public status pages to any number of visitors. It reads no session and sets no cookie.

import type { Deps } from '@dogwatch/domain/deps'
import { looksLikeSlug, readPublicStatus } from '@dogwatch/domain/status-page/read'
import { jsonPieces, writePieces } from '@dogwatch/runtime/json-pieces'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { type Body, bodyOf, bytesOf, readPlain } from './body.ts'
import { htmlPieces, noStatusHtml } from './document.tsx'
import { statusJson } from './json.ts'
import { Latest } from './latest.ts'

/** Maximum age of a status page that a process serves. A browser may keep the page for the same time again. */
const FRESH_SEC = 15
const MOST_PAGES = 400
/** Maximum size of all pages that a process keeps. */
const MOST_BYTES = 64 * 1024 * 1024
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
} as const

type PageFormat = 'html' | 'json'

const TYPES: Readonly<Record<PageFormat, string>> = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

/**
 * Returns the router for status pages. The handlers `limited` run before a query for an unknown address, because each of these
 * queries costs time.
 */
export function statusPages(deps: Deps, limited: readonly RequestHandler[]): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use(unreadable(limited))
  const pages = new Latest<Body>({
    clock: deps.clock,
    make: async (name) => {
      const { slug, form } = formOf(name)
      const status = await readPublicStatus(deps, slug)
      return status && bodyOf(form === 'json' ? jsonPieces(statusJson(status)) : htmlPieces(status, slug))
    },
    fresh_ms: FRESH_SEC * 1000,
    most: MOST_PAGES,
    sizeOf: bytesOf,
    most_bytes: MOST_BYTES,
  })
  const answer = async (req: Request, res: Response): Promise<void> => {
    const name = nameOf(req)
    const { slug, form } = formOf(name)
    const body = looksLikeSlug(slug) ? await pages.get(name) : undefined
    if (!body) return sendNothing(res, form)
    await send(req, res, form, body)
  }
  router.get(
    '/:page',
    async (req, res, next) => (pages.has(nameOf(req)) ? answer(req, res) : next()),
    ...limited,
    answer,
  )
  router.all('/:page', (_req, res) => {
    res.setHeader('Allow', 'GET, HEAD')
    res.status(405).type('text/plain').send('method not allowed')
  })
  return router
}

/**
 * Returns a router for paths that cannot be decoded: they name no page, count towards their sender's limit, and cause no
 * exception.
 */
function unreadable(limited: readonly RequestHandler[]): Router {
  const router = Router()
  router.use((req, _res, next) => next(canDecode(req.path) ? 'router' : undefined))
  for (const handler of limited) router.use(handler)
  router.use((req, res) => sendNothing(res, req.path.endsWith('.json') ? 'json' : 'html'))
  return router
}

function canDecode(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** Returns the end of the path, which identifies a page and its format in the cache. */
function nameOf(req: Request): string {
  return String(req.params.page)
}

function formOf(name: string): { slug: string; form: PageFormat } {
  return name.endsWith('.json') ? { slug: name.slice(0, -'.json'.length), form: 'json' } : { slug: name, form: 'html' }
}

async function send(req: Request, res: Response, form: PageFormat, body: Body): Promise<void> {
  const { plain, gzipped, etag } = body
  res.set(HEADERS)
  res.set({ 'Cache-Control': `public, max-age=${FRESH_SEC}`, 'Content-Type': TYPES[form], Vary: 'Accept-Encoding' })
  // Pages of any origin may read the JSON, because anyone may.
  if (form === 'json') res.set('Access-Control-Allow-Origin', '*')
  const isSmall = req.acceptsEncodings('gzip') === 'gzip'
  if (isSmall) res.set('Content-Encoding', 'gzip')
  res.set('ETag', `W/${etag}`)
  // Express itself responds 304 if the request contains a matching ETag.
  if (isSmall || plain) res.send(isSmall ? gzipped : plain)
  else if (req.fresh || req.method === 'HEAD') res.status(req.fresh ? 304 : 200).end()
  else await writePieces(readPlain(body), res)
}

function sendNothing(res: Response, form: PageFormat): void {
  res.set(HEADERS)
  res.set('Cache-Control', 'no-store')
  res.status(404)
  if (form === 'json') res.type('text/plain').send('status page not found')
  else res.type('html').send(noStatusHtml())
}
