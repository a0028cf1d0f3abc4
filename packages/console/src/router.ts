// Routes the requests of the console. Every request passes the same tests of rights and limits, in the same order.

import type { Deps } from '@dogwatch/domain/deps'
import { DomainError } from '@dogwatch/domain/errors'
import { clientAt } from '@dogwatch/domain/limits/address'
import type { Rate } from '@dogwatch/domain/limits/gcra'
import { LARGE_FORMS } from '@dogwatch/domain/limits/rates'
import type { RateLimiter } from '@dogwatch/domain/limits/spend'
import { findOtherOrg } from '@dogwatch/domain/people/links'
import { findViewer, type SessionOrigin, switchOrg, type Viewer } from '@dogwatch/domain/people/sessions'
import type { Clock } from '@dogwatch/runtime/clock'
import { writePieces } from '@dogwatch/runtime/json-pieces'
import type { Random } from '@dogwatch/runtime/random'
import { looksLikeToken, newToken } from '@dogwatch/runtime/tokens'
import express, {
  type ErrorRequestHandler,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
import { h } from 'preact'
import { render } from 'preact-render-to-string'
import { isOfOrg, lacksSecondFactor, mayUse, roleRefusal } from './access.ts'
import { readCookie, setCookie } from './cookies.ts'
import { csrfToken, isCsrfToken } from './csrf.ts'
import { findPage, findRoute } from './find-route.ts'
import { Form } from './form.ts'
import { frame } from './frame.tsx'
import { requireRoom, requireRoomToChange } from './limits.ts'
import { LIVE_ROUTES } from './live/pages.ts'
import { problemPage } from './pages/problem.tsx'
import { Refused } from './parts/form-faults.tsx'
import { returnPath } from './return-path.ts'
import { type May, Rights } from './rights.tsx'
import {
  type Answer,
  type AnyoneContext,
  type ConsoleOptions,
  type FileAnswer,
  type RedirectAnswer,
  type Route,
  redirect,
} from './route.ts'
import { ROUTES } from './routes.ts'
import { timesFor } from './times.ts'
import './text-direction.ts'

const SECURITY_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const

/** Headers for pages whose path is a secret, so that no other page learns it and no search engine stores it. */
const SECRET_PATH_HEADERS = { 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex, nofollow' } as const

const READS = new Set(['GET', 'HEAD'])

interface RequestPace {
  limiter: RateLimiter
  rate: Rate | undefined
}

/** Facts about a request that the router knows before it calls a page. */
interface PageVisit {
  isSecure: boolean
  /** Secret that forms are bound to: the token of the session, or of the guest. */
  browser_token: string
  viewer: Viewer | undefined
  /** Admin's own session, which is kept until the impersonation ends. */
  own: string
  notice: string
  /** Time zone that the browser reported. */
  zone: string
  /** Source of the masks for the tokens of forms. */
  random: Random
  clock: Clock
}

/** Returns the router of the console. `rate` limits the requests of each person, from all addresses together. */
export function consoleRouter(
  deps: Deps,
  limiter: RateLimiter,
  options: ConsoleOptions,
  limited: readonly RequestHandler[],
  rate?: Rate,
): Router {
  const router = Router({ caseSensitive: true, strict: true })
  for (const handler of limited) router.use(handler)
  router.use(tooMany(deps, options))
  const readers = new Map(
    ROUTES.map(({ form: { bytes } }) => [bytes, express.text({ type: () => true, limit: bytes })]),
  )
  router.use(async (req, res, next) => {
    const found = findPage(req)
    if (found.kind === 'none') return next()
    if (found.kind === 'method') return refuseMethod(res, found)
    const { route, params } = found
    res.locals.route = route.path
    req.params = params
    const readBody = readers.get(route.form.bytes) as RequestHandler
    const visit = await look(deps, options, req, res)
    await answer(deps, { limiter, rate }, options, route, visit, readBody, req, res)
  })
  return router
}

function refuseMethod(res: Response, { path, allowed }: { path: string; allowed: readonly string[] }): void {
  res.locals.route = path
  res.setHeader('Allow', allowed.join(', '))
  res.status(405).type('text/plain').send('method not allowed')
}

/** Renders the page for unknown paths, for browsers. Leaves other clients to the next handler. */
export function unknownPage(deps: Deps, options: ConsoleOptions): RequestHandler {
  return async (req: Request, res: Response, next: NextFunction) => {
    if (!READS.has(req.method) || !/\btext\/html\b/.test(req.headers.accept ?? '')) return next()
    const visit = await look(deps, options, req, res)
    send(res, visit, problemPage(404, 'this page does not exist. Check the URL'))
  }
}

async function look(deps: Deps, options: ConsoleOptions, req: Request, res: Response): Promise<PageVisit> {
  const isSecure = req.secure || options.public_url.startsWith('https:')
  const [session, own] = [readCookie(req, 'session', isSecure), readCookie(req, 'own', isSecure)]
  const rest = {
    notice: readCookie(req, 'notice', isSecure),
    zone: readCookie(req, 'zone', isSecure),
    random: deps.random,
    clock: deps.clock,
  }
  const viewer = session === '' ? undefined : await findViewer(deps, session, beginningOf(req))
  // Without a new cookie, the browser would forget a session that was extended.
  if (viewer?.is_renewed) setCookie(res, 'session', session, isSecure)
  if (viewer) return { isSecure, viewer, browser_token: session, own, ...rest }
  // The impersonation has expired: the admin is themselves again.
  const admin = own === '' ? undefined : await findViewer(deps, own)
  if (admin) {
    returnToOwn(res, own, isSecure)
    return { isSecure, viewer: admin, browser_token: own, own: '', ...rest }
  }
  const known = readCookie(req, 'guest', isSecure)
  const browser_token = looksLikeToken('guest', known) ? known : newToken('guest', deps.random)
  if (browser_token !== known) setCookie(res, 'guest', browser_token, isSecure)
  return { isSecure, viewer, browser_token, own, ...rest }
}

function beginningOf({ ip, headers }: Request): SessionOrigin {
  return { address: ip ?? '', user_agent: headers['user-agent'] ?? '' }
}

function returnToOwn(res: Response, own: string, isSecure: boolean): void {
  setCookie(res, 'session', own, isSecure)
  setCookie(res, 'own', '', isSecure)
}

/** Number of characters of a large form. Such a form costs as much as some tens of pages. */
const LARGE_CHARS = 100_000

/**
 * Limits how fast each person sends requests, or large forms, from all addresses together, because a session works from any
 * address. Otherwise one person with many addresses could use up the capacity for everyone else.
 */
async function requirePace({ limiter, rate }: RequestPace, { viewer }: PageVisit, isLarge = false): Promise<void> {
  if (!rate || !viewer) return
  const who = String(viewer.impersonator_id ?? viewer.person_id)
  const line = `you have ${isLarge ? 'submitted too many large forms' : 'opened too many pages'} in a short time`
  await requireRoom({ limiter }, isLarge ? LARGE_FORMS : { name: 'person', ...rate }, who, line)
}

async function answer(
  deps: Deps,
  pace: RequestPace,
  options: ConsoleOptions,
  route: Route,
  visit: PageVisit,
  readBody: RequestHandler,
  req: Request,
  res: Response,
): Promise<void> {
  try {
    await requirePace(pace, visit)
    requireAccess(route, visit, req)
    const form = route.method === 'POST' ? await readOwnForm(deps, route, visit, pace, readBody, req, res) : new Form()
    // Changes have a limit of their own, because the audit log must not be filled in a loop.
    if (route.method === 'POST' && pace.rate && visit.viewer && route.access !== 'admin')
      await requireRoomToChange(pace, visit.viewer)
    const context = {
      deps,
      options,
      limiter: pace.limiter,
      ...clientAt(req.ip ?? ''),
      device: readCookie(req, 'device', visit.isSecure),
      visit: readCookie(req, 'visit', visit.isSecure),
      beginning: beginningOf(req),
      params: req.params as Record<string, string>,
      times: timesFor(visit.viewer, visit.zone),
      path: req.originalUrl.split('?')[0] ?? '',
      query: Object.fromEntries(new URLSearchParams(req.originalUrl.split('?')[1] ?? '')),
      may: rightsOf(visit.viewer),
      form,
      returnPath: pathOfOurs,
      viewer: visit.viewer,
      ...(visit.viewer?.org && { org: visit.viewer.org }),
    } satisfies AnyoneContext & { org?: unknown }
    const answer = await route.handle(context as never)
    if (answer.kind === 'file') await sendFile(res, answer)
    else send(res, visit, answer)
  } catch (error) {
    const other = await switchForLink(deps, visit, req, error)
    if (other) return send(res, visit, other)
    if (error instanceof SignInFirst) return res.redirect(303, error.to)
    if (error instanceof Unreadable) return send(res, visit, problemPage(error.status, error.message))
    if (!(error instanceof DomainError)) throw error
    sendRefusal(res, visit, options, error)
  }
}

function pathOfOurs(text: string): string | undefined {
  return returnPath(text, ROUTES)
}

/**
 * Selects another of the viewer's organisations if a link leads to something in it. Only a page that the person opens does that,
 * not a prefetch or a request by another site. Forms of the previous organisation are still refused.
 */
async function switchForLink(
  deps: Deps,
  { viewer }: PageVisit,
  req: Request,
  error: unknown,
): Promise<RedirectAnswer | undefined> {
  if (!viewer || req.method !== 'GET' || !isOpenedByPerson(req)) return undefined
  const isRefused = error instanceof DomainError && (error.kind === 'missing' || error.kind === 'forbidden')
  const isNowhere = error instanceof SignInFirst && viewer.org === undefined
  const to = isRefused || isNowhere ? pathOfOurs(req.originalUrl) : undefined
  if (to === undefined) return undefined
  const other = await findOtherOrg(deps, viewer, req.params as Record<string, string>)
  if (!other) return undefined
  await switchOrg(deps, viewer, other.org_id)
  return redirect(to, `Switched to ${other.name} to open this link.`)
}

/**
 * Whether a person opened the page, by the purpose that browsers state with each request. A client that states none is no
 * browser, and counts as a person.
 */
function isOpenedByPerson({ headers }: Request): boolean {
  const purpose = `${String(headers['sec-purpose'] ?? '')} ${String(headers.purpose ?? '')}`
  return (headers['sec-fetch-dest'] ?? 'document') === 'document' && !purpose.includes('prefetch')
}

function sendRefusal(res: Response, visit: PageVisit, { statusOf }: ConsoleOptions, error: DomainError): void {
  const { kind, message, retry_after_sec } = error
  if (retry_after_sec !== undefined) res.setHeader('Retry-After', String(retry_after_sec))
  send(res, visit, problemPage(statusOf(kind), message, retry_after_sec))
}

/**
 * Renders the page for a client that sends too many requests. It looks no one up, because it must cost less than what it refuses.
 */
function tooMany({ random, clock }: Deps, options: ConsoleOptions): ErrorRequestHandler {
  return (error: unknown, _req: Request, res: Response, next: NextFunction) => {
    if (!(error instanceof DomainError) || error.kind !== 'limited') return next(error)
    const nobody = { isSecure: false, browser_token: '', viewer: undefined, own: '', notice: '', zone: '' }
    const visit = { ...nobody, random, clock }
    const line = 'too many requests from your IP address in a short time'
    sendRefusal(res, visit, options, new DomainError('limited', line, error.retry_after_sec))
  }
}

/** Error for a form that is too large, breaks off, or is not text. */
class Unreadable extends Error {
  readonly status: number
  constructor(status: number) {
    super(
      status === 413
        ? 'this form is too large. Shorten the text and try again'
        : 'this form could not be read. Reload the page and try again',
    )
    this.status = status
  }
}

/** Reads the form of a sender who is already authorised. Sets `visit.viewer` to who they are once the form has arrived. */
async function readOwnForm(
  deps: Deps,
  route: Route,
  visit: PageVisit,
  pace: RequestPace,
  readBody: RequestHandler,
  req: Request,
  res: Response,
): Promise<Form> {
  if (!route.isOneClick) requireOwnSite(req)
  const text = await readText(readBody, req, res)
  if (route.isOneClick) return new Form()
  await lookAgain(deps, route, visit, req)
  if (text.length > LARGE_CHARS) await requirePace(pace, visit, true)
  if (hasMoreThan(text, '&', route.form.pairs - 1)) throw new Unreadable(413)
  const form = new Form(text)
  requireOwnToken(visit, form)
  return form
}

/**
 * Reads the sender's session again, because a form can take a minute to arrive. Otherwise a person who was removed, disabled or
 * signed out in the meantime could delay a form and regain access by it.
 */
async function lookAgain(deps: Deps, route: Route, visit: PageVisit, req: Request): Promise<void> {
  if (!visit.viewer) return
  visit.viewer = await findViewer(deps, visit.browser_token)
  requireAccess(route, visit, req)
}

/** Whether a character occurs more than `most` times. Stops at the first one too many. */
function hasMoreThan(text: string, mark: string, most: number): boolean {
  let count = 0
  for (let at = text.indexOf(mark); at >= 0 && count <= most; at = text.indexOf(mark, at + 1)) count++
  return count > most
}

async function readText(readBody: RequestHandler, req: Request, res: Response): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    void readBody(req, res, (error?: unknown) => {
      const { status = 500 } = (error ?? {}) as { status?: number }
      if (error === undefined) resolve()
      else reject(status >= 400 && status < 500 ? new Unreadable(status) : (error as Error))
    })
  })
  return typeof req.body === 'string' ? req.body : ''
}

class SignInFirst extends Error {
  readonly to: string
  constructor(to: string) {
    super('sign in first')
    this.to = to
  }
}

function requireAccess({ access, method }: Route, { viewer }: PageVisit, { originalUrl }: Request): void {
  if (access === 'anyone') return
  if (!viewer) {
    if (method === 'GET') {
      const to = pathOfOurs(originalUrl)
      throw new SignInFirst(to === undefined ? '/sign-in' : `/sign-in?to=${encodeURIComponent(to)}`)
    }
    throw new DomainError('unauthenticated', 'you are signed out. Sign in and try again')
  }
  if (isOfOrg(access) && viewer.org?.suspended) {
    throw new DomainError(
      'forbidden',
      `${viewer.org.name} is suspended. No data has been deleted. Contact your server admin`,
    )
  }
  if (isOfOrg(access)) {
    if (!viewer.org) throw new SignInFirst('/organisations')
    if (lacksSecondFactor(viewer)) throw secondFactorFirst(viewer.org.name, method, originalUrl)
  }
  if (mayUse(access, viewer)) return
  if (isOfOrg(access)) throw roleRefusal(access)
  // A person who is not an admin must not learn that such a page exists.
  throw new DomainError('missing', 'this page does not exist. Check the URL')
}

function secondFactorFirst(name: string, method: string, url: string): Error {
  const to = pathOfOurs(url)
  if (method === 'GET')
    return new SignInFirst(`/account/second-factor${to === undefined ? '' : `?to=${encodeURIComponent(to)}`}`)
  return new DomainError(
    'forbidden',
    `${name} requires two-step sign-in. Set up two-step sign-in in your account settings`,
  )
}

/** Refuses a form from another site. Browsers state where a form comes from, so this works before the form is read. */
function requireOwnSite(req: Request): void {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw notOurs()
}

function requireOwnToken({ browser_token, viewer }: PageVisit, form: Form): void {
  if (!isCsrfToken(form.text('csrf'), browser_token, viewer?.org?.org_id)) throw notOurs()
}

function notOurs(): DomainError {
  return new DomainError(
    'forbidden',
    'this form has expired or belongs to another organisation. Go back, reload the page and try again',
  )
}

/** Sets the session of a browser. `null` ends it: back to the admin's own after an impersonation, otherwise to none. */
function setSession(res: Response, visit: PageVisit, session: string | null, isImpersonation: boolean): void {
  const { isSecure, own, viewer, browser_token } = visit
  if (session === null && own !== '' && viewer?.impersonator_id != null) return returnToOwn(res, own, isSecure)
  setCookie(res, 'session', session ?? '', isSecure)
  if (isImpersonation) setCookie(res, 'own', browser_token, isSecure)
  else if (own !== '') setCookie(res, 'own', '', isSecure)
}

/**
 * Returns what the viewer's pages may offer. Strangers, and people without an organisation, are asked to sign in or to select
 * one.
 */
function rightsOf(viewer: Viewer | undefined): May {
  return (method, path) => {
    const route = findRoute(method, path)
    // Rights are only about pages. Any other path is allowed.
    if (!route || !viewer) return true
    return (isOfOrg(route.access) && !viewer.org) || mayUse(route.access, viewer)
  }
}

function setHeaders(res: Response): void {
  res.set(SECURITY_HEADERS)
  if (String(res.locals.route).endsWith('/:secret')) res.set(SECRET_PATH_HEADERS)
  res.setHeader('Cache-Control', 'no-store')
}

async function sendFile(res: Response, { name, type, text }: FileAnswer): Promise<void> {
  setHeaders(res)
  res.setHeader('Content-Disposition', `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`)
  res.type(type)
  if (typeof text === 'string') res.send(text)
  else if (res.req.method === 'HEAD') res.end()
  else await writePieces(text, res)
}

function send(res: Response, visit: PageVisit, answer: Exclude<Answer, FileAnswer>): void {
  setHeaders(res)
  if (answer.kind === 'redirect') {
    if (answer.session !== undefined) setSession(res, visit, answer.session, answer.isImpersonation === true)
    if (answer.device !== undefined) setCookie(res, 'device', answer.device, visit.isSecure)
    if (answer.visit !== undefined) setCookie(res, 'visit', answer.visit, visit.isSecure)
    if (answer.notice !== undefined) setCookie(res, 'notice', answer.notice, visit.isSecure)
    return res.redirect(303, answer.to)
  }
  if (answer.visit !== undefined) setCookie(res, 'visit', answer.visit, visit.isSecure)
  if (visit.notice !== '') setCookie(res, 'notice', '', visit.isSecure)
  const { viewer, notice, browser_token, random, clock } = visit
  const csrf = csrfToken(browser_token, viewer?.org?.org_id, random)
  const path = res.req.originalUrl.split('?')[0] ?? '/'
  const times = timesFor(viewer, visit.zone)
  const isLive = LIVE_ROUTES.has(String(res.locals.route)) && (answer.status ?? 200) === 200
  const { title, body, refused } = answer
  const draw = (fault?: string): string => {
    const framed = frame({ viewer, notice, fault, csrf, path, title, body, times, now: clock.now(), isLive })
    const children = h(Refused.Provider, { value: refused, children: framed })
    return `<!doctype html>${render(h(Rights.Provider, { value: rightsOf(viewer), children }))}`
  }
  const html = draw()
  // A form that is not on the page cannot show its refusal.
  const isShown = refused === undefined || html.includes(` action="${refused.action}"`)
  res.status(answer.status ?? 200).type('text/html')
  res.send(isShown ? html : draw(refused.faults[0]?.line))
}
