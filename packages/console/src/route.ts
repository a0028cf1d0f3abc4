// Defines the routes of the console: who may use each route, and how it responds. The router and the tests read the same table.

import type { Deps } from '@dogwatch/domain/deps'
import { DomainError, type ErrorKind } from '@dogwatch/domain/errors'
import type { RateLimiter } from '@dogwatch/domain/limits/spend'
import type { DefaultPlan } from '@dogwatch/domain/organisations/plans'
import type { Provider } from '@dogwatch/domain/people/provider'
import type { SessionOrigin, ViewedOrg, Viewer } from '@dogwatch/domain/people/sessions'
import type { SignUpMode } from '@dogwatch/domain/people/sign-up-mode'
import type { Mailer } from '@dogwatch/runtime/mail'
import type { VNode } from 'preact'
import type { Form } from './form.ts'
import type { RefusedForm } from './refusal.ts'
import type { May } from './rights.tsx'
import type { Times } from './times.ts'

/**
 * Access that a route requires. `anyone`: no session. `person`: signed in. `reader` (every role), `member`, `org_admin` (or
 * owner), `owner`: role in the selected organisation. `admin`: of this installation, and not impersonating.
 */
export type Access = 'anyone' | 'person' | 'reader' | 'member' | 'org_admin' | 'owner' | 'admin'

/** Settings and services that the console needs. */
export interface ConsoleOptions {
  public_url: string
  /** Sends emails. Absent if email is not configured. */
  mailer?: Mailer | undefined
  sign_up: SignUpMode
  /** OpenID provider that people can sign in with. Absent if none is configured. */
  provider?: Provider | undefined
  default_plan: DefaultPlan
  /** Reads the archives of the agent that this server offers. */
  agentArchives?: () => Promise<readonly { platform: string; file: string; sha256: string }[]>
  /** Maximum time that a page waits for a requested run. Only tests set it. */
  run_wait_ms?: number
  /**
   * Reports that a run was requested from a monitor. If a sync of the monitor waits at this process, the monitor receives the
   * request at once.
   */
  onAsked(monitor_id: string): void
  /** Whether the console serves /design, for developers of pages. */
  shows_design?: boolean
  /** Returns the HTTP status of a refusal. */
  statusOf(kind: ErrorKind): number
}

interface Common {
  deps: Deps
  options: ConsoleOptions
  limiter: RateLimiter
  /** Address of the client. For IPv6 this is the /64, because one client has all of it. */
  address: string
  /** Network of the client: the /48 of an IPv6 address, or the IPv4 address itself. */
  network: string
  /** Token of a browser that a person has signed in with before. */
  device: string
  /** State of a sign-in at the OpenID provider, after the browser has returned from there. */
  visit: string
  /** Facts about the browser that a new session records. */
  beginning: SessionOrigin
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  path: string
  /** How the viewer reads times. */
  times: Times
  /** Whether the viewer may use a path of the console. */
  may: May
  /** Submitted form. Empty for a GET. */
  form: Form
  /** Form of this page, if the page shows it again after a refusal. */
  refused?: RefusedForm
  /** Returns the path if it is a page behind the sign-in that is safe for a redirect. Otherwise returns undefined. */
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

export interface ContextOf {
  anyone: AnyoneContext
  person: PersonContext
  reader: MemberContext
  member: MemberContext
  org_admin: MemberContext
  owner: MemberContext
  admin: PersonContext
}

export type Answer = PageAnswer | RedirectAnswer | FileAnswer

export interface PageAnswer {
  kind: 'page'
  /** HTTP status of the page. Default: 200. */
  status?: number
  title: string
  body: VNode
  /** State of a sign-in at the OpenID provider, as in {@link RedirectAnswer}. */
  visit?: string
  /** Form of the page that was refused. */
  refused?: RefusedForm
}

export interface RedirectAnswer {
  kind: 'redirect'
  to: string
  /** Notice for the next page. */
  notice?: string
  /** Token of a new session for the browser. `null` ends its present session. */
  session?: string | null
  /** New token that identifies the browser at the next sign-in. */
  device?: string
  /** State of a sign-in at the OpenID provider, for the browser to keep. Empty when the sign-in has ended. */
  visit?: string
  /** Whether the new session is an impersonation. The present session is kept until it ends. */
  isImpersonation?: boolean
}

export interface FileAnswer {
  kind: 'file'
  name: string
  type: string
  /** Content of the file. A long text comes in pieces. */
  text: string | AsyncIterable<string>
}

/** Limits for a form. The router applies both before it parses anything. */
export interface FormBounds {
  bytes: number
  /** Maximum number of fields with their values. Each takes time to parse, however short it is. */
  pairs: number
}

/** Limits for a form of people who are not signed in: an address, a password, a name. */
const STRANGERS_FORM: FormBounds = { bytes: 16 * 1024, pairs: 50 }
const FORM: FormBounds = { bytes: 128 * 1024, pairs: 500 }
/** Limits for a form with long texts, or with a checkbox for each monitor. */
export const LARGE_FORM: FormBounds = { bytes: 1024 * 1024, pairs: 5_000 }
const NO_FORM: FormBounds = { bytes: 0, pairs: 0 }

export interface Route {
  method: 'GET' | 'POST'
  /** Path, with `:name` for the variable parts. */
  path: string
  access: Access
  /** Limits for the form of this route. */
  form: FormBounds
  /** Whether the form may come from any site and without a token, because the secret in the path is enough. */
  isOneClick?: true
  handle(context: never): Answer | Promise<Answer>
}

/** Function that defines a form in a section of the account page. `end` is the end of its path, after that of the section. */
export type SectionPost = (end: string, handle: (context: PersonContext) => Promise<Answer>) => Route

export function get<A extends Access>(
  path: string,
  access: A,
  handle: (context: ContextOf[A]) => Answer | Promise<Answer>,
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

/** Defines a form that mail programs can also send. Its fields are not read. */
export function oneClick(path: string, handle: (context: AnyoneContext) => Promise<Answer>): Route {
  return { ...post(path, 'anyone', handle), isOneClick: true }
}

export function page(title: string, body: VNode, status = 200): PageAnswer {
  return { kind: 'page', status, title, body }
}

export function redirect(to: string, notice?: string): RedirectAnswer {
  return { kind: 'redirect', to, ...(notice !== undefined && { notice }) }
}

/** Returns a path with the parameters that are not empty. */
export function pathWith(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

/** Returns the ID with that name in the path. Throws DomainError if it is not a number. */
export function idParam({ params }: Pick<AnyoneContext, 'params'>, name: string): number {
  const id = readNumber(params[name])
  if (id === undefined) throw new DomainError('missing', `${name} not found`)
  return id
}

/** Reads an ID or a position in a URL. Returns undefined for any other text. */
export function readNumber(text = ''): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Returns the guid or monitor ID that the path contains under a name. Throws DomainError if it has any other form. */
export function nameParam({ params }: Pick<AnyoneContext, 'params'>, name: string): string {
  const text = params[name] ?? ''
  if (!/^[\w-]{1,64}$/.test(text)) throw new DomainError('missing', `${name} not found`)
  return text
}
