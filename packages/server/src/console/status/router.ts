// Public status pages, for any number of visitors. No session is read and no cookie is set.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'
import type { Deps } from '../../domain/deps.ts'
import { Pace } from '../../runtime/pace.ts'
import { looksLikeSlug, readPublicStatus } from '../../domain/status-page/read.ts'
import type { PublicStatus } from '../../domain/status-page/status.ts'
import { entryHtml, noStatusDocument, statusDocument, STEPS_EACH } from './document.tsx'
import { statusJson } from './json.ts'
import { Latest } from './latest.ts'

const gzip = promisify(gzipWithCallback)

/** How old a page may be that a process serves; a browser may keep it for the same time again. */
const FRESH_SEC = 15
const MOST_PAGES = 200
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
} as const

type Form = 'html' | 'json'

const TYPES: Readonly<Record<Form, string>> = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

/** A page in one format, ready to be sent. */
interface Body {
  plain: Buffer
  gzipped: Buffer
  etag: string
}

interface Page {
  status: PublicStatus
  /** Made on the first request. */
  bodies: Partial<Record<Form, Promise<Body>>>
}

/** `limited` comes before unknown addresses, because each of those costs a query. */
export function statusPages(deps: Deps, limited: readonly RequestHandler[]): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use(unreadable(limited))
  const pages = new Latest<Page>({
    clock: deps.clock,
    make: async (slug) => {
      const status = await readPublicStatus(deps, slug)
      return status && { status, bodies: {} }
    },
    fresh_ms: FRESH_SEC * 1000,
    most: MOST_PAGES,
  })
  const answer = async (req: Request, res: Response): Promise<void> => {
    const { slug, form } = asked(req)
    const page = looksLikeSlug(slug) ? await pages.get(slug) : undefined
    if (!page) return sendNothing(res, form)
    send(req, res, form, await (page.bodies[form] ??= bodyOf(page.status, slug, form)))
  }
  router.get(
    '/:page',
    async (req, res, next) => (pages.has(asked(req).slug) ? answer(req, res) : next()),
    ...limited,
    answer,
  )
  router.all('/:page', (_req, res) => {
    res.setHeader('Allow', 'GET, HEAD')
    res.status(405).type('text/plain').send('method not allowed')
  })
  return router
}

/** A path that cannot be decoded names no page. It counts towards its sender's limit, and causes no exception. */
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

function asked(req: Request): { slug: string; form: Form } {
  const name = String(req.params.page)
  return name.endsWith('.json') ? { slug: name.slice(0, -'.json'.length), form: 'json' } : { slug: name, form: 'html' }
}

async function bodyOf(status: PublicStatus, slug: string, form: Form): Promise<Body> {
  const pieces = await (form === 'json' ? statusJson(status, new Pace()) : htmlPieces(status, slug, new Pace()))
  const [buffers, hash] = [[] as Buffer[], createHash('sha256')]
  for (const piece of pieces) {
    const buffer = Buffer.from(piece)
    buffers.push(buffer)
    hash.update(buffer)
  }
  const plain = Buffer.concat(buffers)
  return { plain, gzipped: await gzip(plain), etag: `"${hash.digest('base64url').slice(0, 22)}"` }
}

async function htmlPieces(status: PublicStatus, slug: string, pace: Pace): Promise<string[]> {
  const entries = await pace.map(
    status.entries,
    (entry) => entryHtml(entry, status.computed_at),
    () => STEPS_EACH,
  )
  return [htmlOf(statusDocument(status, slug, entries))]
}

function send(req: Request, res: Response, form: Form, { plain, gzipped, etag }: Body): void {
  res.set(HEADERS)
  res.set({ 'Cache-Control': `public, max-age=${FRESH_SEC}`, 'Content-Type': TYPES[form], Vary: 'Accept-Encoding' })
  // Pages of any origin may read this, because anybody may.
  if (form === 'json') res.set('Access-Control-Allow-Origin', '*')
  const isSmall = req.acceptsEncodings('gzip') === 'gzip'
  if (isSmall) res.set('Content-Encoding', 'gzip')
  res.set('ETag', `W/${etag}`)
  // When a validator matches, Express answers 304.
  res.send(isSmall ? gzipped : plain)
}

function sendNothing(res: Response, form: Form): void {
  res.set(HEADERS)
  res.set('Cache-Control', 'no-store')
  res.status(404)
  if (form === 'json') res.type('text/plain').send('no such status page')
  else res.type('html').send(htmlOf(noStatusDocument()))
}

function htmlOf(document: VNode): string {
  return `<!doctype html>${render(document)}`
}
