// What a route of the console is: who may come in, and what it answers. The router and the tests read the same table.
import type { VNode } from 'preact'
import type { Deps } from '../domain/deps.ts'
import { DomainError, type ErrorKind } from '../domain/errors.ts'
import type { Viewer, ViewedOrg } from '../domain/people/sessions.ts'
import type { RateLimiter } from '../domain/limits/spend.ts'
import type { Mailer } from '../runtime/mail.ts'
import type { Form } from './form.ts'

/**
 * Who may come in. `anyone`: without a session. `person`: signed in. `member`: looks at an org of theirs. `owner`: owns it.
 * `admin`: of the platform, and not through another's eyes.
 */
export type Access = 'anyone' | 'person' | 'member' | 'owner' | 'admin'

/** What the console is told of the world. */
export interface ConsoleOptions {
  public_url: string
  /** Left out, mail is not set up. */
  mailer?: Mailer | undefined
  /** Which status a refusal is. */
  statusOf(kind: ErrorKind): number
}

interface Common {
  deps: Deps
  options: ConsoleOptions
  limiter: RateLimiter
  /** The client's address. */
  address: string
  /** What the browser is known by, if somebody signed in with it before. */
  device: string
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** Empty for a GET. */
  form: Form
  /** A path of one of the pages behind the sign-in, as it may be redirected to; undefined for any other text. */
  returnPath(text: string): string | undefined
}

export interface AnyoneContext extends Common {
  viewer: Viewer | undefined
}

export interface PersonContext extends Common {
  viewer: Viewer
}

export interface MemberContext extends PersonContext {
  org: ViewedOrg
}

interface ContextOf {
  anyone: AnyoneContext
  person: PersonContext
  member: MemberContext
  owner: MemberContext
  admin: PersonContext
}

export type Answer = PageAnswer | RedirectAnswer | FileAnswer

export interface PageAnswer {
  kind: 'page'
  /** 200 when left out. */
  status?: number
  title: string
  body: VNode
}

export interface RedirectAnswer {
  kind: 'redirect'
  to: string
  /** Said on the next page. */
  notice?: string
  /** `null` ends the session of this browser. */
  session?: string | null
  /** What this browser is known by from now on. */
  device?: string
  /** The session given looks through another's eyes: the present one waits until it is over. */
  isImpersonation?: boolean
}

export interface FileAnswer {
  kind: 'file'
  name: string
  type: string
  text: string
}

/** How much of a form is read. Both bounds hold before anything of it is parsed. */
export interface FormBounds {
  bytes: number
  /** Fields with their values: parsing takes time for each of them, however short they are. */
  pairs: number
}

/** For people who are not signed in: an address, a password, a name. */
const STRANGERS_FORM: FormBounds = { bytes: 16 * 1024, pairs: 50 }
const FORM: FormBounds = { bytes: 128 * 1024, pairs: 500 }
/** For a form with long texts, or with a box for each monitor. */
export const LARGE_FORM: FormBounds = { bytes: 1024 * 1024, pairs: 5_000 }
/** For a form with several fields for each check of an organisation. */
export const LONG_FORM: FormBounds = { bytes: 1024 * 1024, pairs: 20_000 }
const NO_FORM: FormBounds = { bytes: 0, pairs: 0 }

export interface Route {
  method: 'GET' | 'POST'
  /** With `:name` for what varies. */
  path: string
  access: Access
  /** How large a form may be. */
  form: FormBounds
  handle(context: never): Promise<Answer>
}

export function get<A extends Access>(
  path: string,
  access: A,
  handle: (context: ContextOf[A]) => Promise<Answer>,
): Route {
  return { method: 'GET', path, access, form: NO_FORM, handle }
}

export function post<A extends Access>(
  path: string,
  access: A,
  handle: (context: ContextOf[A]) => Promise<Answer>,
  form: FormBounds = access === 'anyone' ? STRANGERS_FORM : FORM,
): Route {
  return { method: 'POST', path, access, form, handle }
}

export function page(title: string, body: VNode, status = 200): PageAnswer {
  return { kind: 'page', status, title, body }
}

export function redirect(to: string, notice?: string): RedirectAnswer {
  return { kind: 'redirect', to, ...(notice !== undefined && { notice }) }
}

/** The id of that name in the path; what is no number names nothing. */
export function idParam({ params }: Pick<AnyoneContext, 'params'>, name: string): number {
  const text = params[name] ?? ''
  if (!/^\d{1,15}$/.test(text)) throw new DomainError('missing', `no such ${name}`)
  return Number(text)
}

/** The guid or monitor id of that name in the path; what is of another form names nothing. */
export function nameParam({ params }: Pick<AnyoneContext, 'params'>, name: string): string {
  const text = params[name] ?? ''
  if (!/^[\w-]{1,64}$/.test(text)) throw new DomainError('missing', `no such ${name}`)
  return text
}
