// A route of the console: who may use it, and how it answers. The router and the tests read the same table.
import type { VNode } from 'preact'
import type { Deps } from '../domain/deps.ts'
import { DomainError, type ErrorKind } from '../domain/errors.ts'
import type { DefaultPlan } from '../domain/organisations/plans.ts'
import type { SignUpMode } from '../domain/people/sign-up-mode.ts'
import type { Provider } from '../domain/people/provider.ts'
import type { Beginning, Viewer, ViewedOrg } from '../domain/people/sessions.ts'
import type { RateLimiter } from '../domain/limits/spend.ts'
import type { Mailer } from '../runtime/mail.ts'
import type { Form } from './form.ts'
import type { Times } from './times.ts'

/**
 * Who may use a route. `anyone`: no session needed. `person`: signed in. Of the selected organisation: `reader` (every role), `member`,
 * `org_admin` (admins and the owner), `owner`. `admin`: of this installation, and not impersonating.
 */
export type Access = 'anyone' | 'person' | 'reader' | 'member' | 'org_admin' | 'owner' | 'admin'

/** The console's dependencies. */
export interface ConsoleOptions {
  public_url: string
  /** Left out when mail is not configured. */
  mailer?: Mailer | undefined
  sign_up: SignUpMode
  /** Left out where nobody signs in by an OpenID provider. */
  provider?: Provider | undefined
  default_plan: DefaultPlan
  /** The archives of the agent that this server offers. */
  agentArchives?: () => Promise<readonly { platform: string; file: string; sha256: string }[]>
  /** For how long a page waits for a run that was asked for, instead of the default; for tests. */
  run_wait_ms?: number
  /** A monitor was asked for a run: if it waits at this process, it hears so at once. */
  onAsked(monitor_id: string): void
  /** Serves /design, for those who build pages. */
  shows_design?: boolean
  /** The status of a refusal. */
  statusOf(kind: ErrorKind): number
}

interface Common {
  deps: Deps
  options: ConsoleOptions
  limiter: RateLimiter
  /** The client's address: of IPv6 its /64, as one client has all of that. */
  address: string
  /** The /48 of an IPv6 address, or the IPv4 address itself. */
  network: string
  /** The mark of a browser in which somebody signed in before. */
  device: string
  /** The browser's visit to the OpenID provider, which it has come back from. */
  visit: string
  /** What a session remembers of the browser that begins it. */
  beginning: Beginning
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** How whoever asks reads times. */
  times: Times
  /** Empty for a GET. */
  form: Form
  /**
   * The path, if it is one of the pages behind the sign-in to which a redirect is safe; undefined for any other text.
   */
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
  reader: MemberContext
  member: MemberContext
  org_admin: MemberContext
  owner: MemberContext
  admin: PersonContext
}

export type Answer = PageAnswer | RedirectAnswer | FileAnswer

export interface PageAnswer {
  kind: 'page'
  /** 200 by default. */
  status?: number
  title: string
  body: VNode
  /** As of a redirect. */
  visit?: string
}

export interface RedirectAnswer {
  kind: 'redirect'
  to: string
  /** A notice for the next page. */
  notice?: string
  /** `null` ends this browser's session. */
  session?: string | null
  /** The browser's mark from now on. */
  device?: string
  /** The browser's visit to the OpenID provider; empty when it is over. */
  visit?: string
  /** The new session is an impersonation: the present one is kept until it ends. */
  isImpersonation?: boolean
}

export interface FileAnswer {
  kind: 'file'
  name: string
  type: string
  /** A long text comes in pieces. */
  text: string | AsyncIterable<string>
}

/** Limits for a form. Both apply before anything is parsed. */
interface FormBounds {
  bytes: number
  /** Fields and their values: each takes time to parse, however short it is. */
  pairs: number
}

/** For people who are not signed in: an address, a password, a name. */
const STRANGERS_FORM: FormBounds = { bytes: 16 * 1024, pairs: 50 }
const FORM: FormBounds = { bytes: 128 * 1024, pairs: 500 }
/** For a form with long texts, or with a checkbox for each monitor. */
export const LARGE_FORM: FormBounds = { bytes: 1024 * 1024, pairs: 5_000 }
const NO_FORM: FormBounds = { bytes: 0, pairs: 0 }

export interface Route {
  method: 'GET' | 'POST'
  /** With `:name` for the variable parts. */
  path: string
  access: Access
  /** How large a form may be. */
  form: FormBounds
  /** Its form may come from anywhere and without a token: the secret in the path is enough. */
  isOneClick?: true
  handle(context: never): Promise<Answer>
}

/** What a page answers with when a form of its own is refused; errors that are no fault of the form are thrown on. */
export type Refused = (context: PersonContext, error: unknown) => Promise<Answer>

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

/** A form that mail programs may send, too. Its fields are not read. */
export function oneClick(path: string, handle: (context: AnyoneContext) => Promise<Answer>): Route {
  return { ...post(path, 'anyone', handle), isOneClick: true }
}

export function page(title: string, body: VNode, status = 200): PageAnswer {
  return { kind: 'page', status, title, body }
}

export function redirect(to: string, notice?: string): RedirectAnswer {
  return { kind: 'redirect', to, ...(notice !== undefined && { notice }) }
}

/** The id with that name in the path; anything but a number is refused as unknown. */
export function idParam({ params }: Pick<AnyoneContext, 'params'>, name: string): number {
  const text = params[name] ?? ''
  if (!/^\d{1,15}$/.test(text)) throw new DomainError('missing', `${name} not found`)
  return Number(text)
}

/** The guid or monitor id with that name in the path; any other form is refused as unknown. */
export function nameParam({ params }: Pick<AnyoneContext, 'params'>, name: string): string {
  const text = params[name] ?? ''
  if (!/^[\w-]{1,64}$/.test(text)) throw new DomainError('missing', `${name} not found`)
  return text
}
