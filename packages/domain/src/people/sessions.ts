// Opens, reads and ends sessions, which say who is signed in, and which organisation they look at.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, looksLikeToken, newToken } from '@dogwatch/runtime/tokens'
import { findPersonById } from '@dogwatch/store/accounts/people'
import {
  deleteSession,
  deleteSessionOf,
  deleteSessionsOf,
  findSession,
  insertSession,
  type ListedSession,
  listMemberships,
  listSessionsOf,
  type Membership,
  updateSession,
} from '@dogwatch/store/accounts/sessions'
import type { Db } from '@dogwatch/store/database'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { type Role, roleOf } from '../organisations/roles.ts'

/** Secrets that a browser keeps: the session's token, and the cookie that lets the server recognise the browser later. */
export interface SignedIn {
  session: string
  device: string
}

/** Person who looks at a page. */
export interface Viewer extends Actor {
  session_hash: Buffer
  /** Whether the session was just extended. */
  is_renewed: boolean
  /** Time at which the session began. */
  created_at: string
  /** Whether the session began with more than a password. */
  has_second_factor: boolean
  is_admin: boolean
  /** Time zone of the person. Null if their browser decides. */
  time_zone: string | null
  hour_clock: number | null
  impersonator_id: number | null
  orgs: readonly Membership[]
  /** Selected organisation. */
  org: ViewedOrg | undefined
}

export interface ViewedOrg extends Omit<Membership, 'role'> {
  role: Role
  /** Whether the organisation's members must sign in with a second factor. */
  requires_second_factor: boolean
  plan: string
  /** Whether the organisation is suspended. Its members see nothing else then. */
  suspended: boolean
  /** Whether a member has hidden the list of first steps. */
  hides_first_steps: boolean
  /** Whether something is down and the organisation has no channel that could send an alert. */
  is_unheard: boolean
  /** Number of open incidents. At most 100 of checks and 100 of heartbeats are counted. */
  down: number
  /** Whether a check is unmonitored. */
  is_unwatched: boolean
  /** Value that changes when anything changes that pages of the organisation show. */
  newest_change: string
}

/** Origin of a session: the factors that began it, and its browser. */
export interface SessionOrigin {
  /** Whether the session begins with more than a password. */
  has_second_factor?: boolean
  address?: string
  user_agent?: string
}

const SESSION_DAYS = 30
/** Duration of an impersonation. It is short on purpose. */
const IMPERSONATION_HOURS = 1
const MAX_USER_AGENT = 300
/** Minimum time between two records of a session's use. */
const TOUCH_MS = 600_000
const DAY_MS = 86_400_000

/**
 * Opens a session, with the first of the person's organisations selected by default. Returns its token, which is for the browser
 * alone.
 */
export async function openSession(
  deps: Deps,
  person_id: number,
  org_id?: number,
  db: Db = deps.database.people,
  beginning: SessionOrigin = {},
): Promise<string> {
  const [first] = await listMemberships(db, person_id)
  const session = { person_id, org_id: org_id ?? first?.org_id ?? null, impersonator_id: null }
  return insert(db, deps, session, SESSION_DAYS * DAY_MS, beginning)
}

/** Opens a session for an hour that shows an admin what a person sees. */
export async function openImpersonation(deps: Deps, admin: Viewer, person_id: number): Promise<string> {
  const { people } = deps.database
  const person = await findPersonById(people, person_id)
  if (!person) throw new DomainError('missing', 'no user with that id')
  // An admin who impersonates another admin could act without leaving a trace.
  if (person.is_admin) throw new DomainError('forbidden', 'you cannot log in as a user who is also an admin')
  if (person.disabled_at !== null) throw new DomainError('invalid', 'this account is disabled; enable it first')
  const orgs = await listMemberships(people, person_id)
  await people.transaction().execute(async (trx) => {
    for (const { org_id } of orgs) {
      await recordAuditEntry(trx, deps, admin, { org_id, action: 'impersonation.start', subject: person.email })
    }
  })
  deps.log.info({ admin: admin.email, person: person.email }, 'an admin impersonates a user')
  const session = { person_id, org_id: orgs[0]?.org_id ?? null, impersonator_id: admin.person_id }
  return insert(people, deps, session, IMPERSONATION_HOURS * 3_600_000)
}

/** Returns the viewer of a session. Returns undefined for an unknown or expired session, and for a disabled person. */
export async function findViewer(
  deps: Deps,
  token: string,
  { address, user_agent }: SessionOrigin = {},
): Promise<Viewer | undefined> {
  if (!looksLikeToken('session', token)) return undefined
  const now = deps.clock.now()
  const session = await findSession(deps.database, hashToken(token), fromDate(now))
  if (!session) return undefined
  const is_renewed = session.impersonator_id === null && now.getTime() - Date.parse(session.last_used_at) > TOUCH_MS
  if (is_renewed) {
    const expires_at = fromDate(new Date(now.getTime() + SESSION_DAYS * DAY_MS))
    await updateSession(deps.database.people, session.session_hash, {
      last_used_at: fromDate(now),
      expires_at,
      ...(address !== undefined && { address }),
      ...(user_agent !== undefined && { user_agent: user_agent.slice(0, MAX_USER_AGENT) }),
    })
  }
  const { org_id, org_name, plan, is_owner, role, suspended, hides_first_steps, requires_second_factor, ...rest } =
    session
  const { down, is_unwatched, has_channel, newest_change, ...viewer } = rest
  const org =
    org_id === null
      ? undefined
      : {
          org_id,
          name: org_name ?? '',
          plan: plan ?? '',
          is_owner: is_owner === true,
          role: roleOf({ is_owner: is_owner === true, role: role ?? '' }),
          requires_second_factor: requires_second_factor === true,
          suspended: suspended === true,
          hides_first_steps: hides_first_steps === true,
          is_unheard: !has_channel && down > 0,
          down,
          is_unwatched,
          newest_change,
        }
  return { ...viewer, is_renewed, org }
}

/** Selects another of the person's organisations. */
export async function switchOrg(deps: Deps, viewer: Viewer, org_id: number): Promise<void> {
  if (!viewer.orgs.some((org) => org.org_id === org_id)) {
    throw new DomainError('missing', 'organisation not found, or you are not a member')
  }
  await updateSession(deps.database.people, viewer.session_hash, { org_id })
}

export async function closeSession(deps: Deps, viewer: Viewer): Promise<void> {
  await deleteSession(deps.database.people, viewer.session_hash)
}

/** Maximum number of sessions to list. A person with more can end all of them. */
const MOST_SESSIONS = 100

/** Returns the viewer's sessions, the last used one first. */
export async function readSessions(deps: Deps, viewer: Viewer): Promise<(ListedSession & { is_this: boolean })[]> {
  requireNotImpersonated(viewer)
  const now = fromDate(deps.clock.now())
  const sessions = await listSessionsOf(deps.database.people, viewer.person_id, now, MOST_SESSIONS)
  return sessions.map((session) => ({ ...session, is_this: session.session_hash.equals(viewer.session_hash) }))
}

/** Ends one of the viewer's sessions, named by its hash as text. */
export async function closeOneSession(deps: Deps, viewer: Viewer, name: string): Promise<void> {
  requireNotImpersonated(viewer)
  const isEnded = await deleteSessionOf(deps.database.people, viewer.person_id, Buffer.from(name, 'base64url'))
  if (!isEnded) throw new DomainError('missing', 'this session has already ended')
}

/** Ends all of the viewer's sessions but this one. */
export async function closeOtherSessions(deps: Deps, viewer: Viewer): Promise<void> {
  requireNotImpersonated(viewer)
  await deleteSessionsOf(deps.database.people, viewer.person_id, viewer.session_hash)
}

/** Signs a person out on every device. */
export async function closeAllSessions(deps: Deps, viewer: Viewer): Promise<void> {
  requireNotImpersonated(viewer)
  await deleteSessionsOf(deps.database.people, viewer.person_id)
}

/**
 * Refuses admins who impersonate a person, because personal matters are not theirs to change, and they must not create anything
 * that gives them access later. An operator impersonates no one.
 */
export function requireNotImpersonated(by: Actor | undefined): void {
  if (by !== undefined && by.impersonator_email !== null) {
    throw new DomainError('forbidden', 'you cannot do this while you are logged in as another user')
  }
}

async function insert(
  db: Db,
  deps: Deps,
  session: { person_id: number; org_id: number | null; impersonator_id: number | null },
  life_ms: number,
  { has_second_factor = false, address, user_agent }: SessionOrigin = {},
): Promise<string> {
  const token = newToken('session', deps.random)
  const now = deps.clock.now()
  const expires_at = fromDate(new Date(now.getTime() + life_ms))
  await insertSession(db, {
    ...session,
    session_hash: hashToken(token),
    has_second_factor,
    address: address ?? null,
    user_agent: user_agent?.slice(0, MAX_USER_AGENT) ?? null,
    created_at: fromDate(now),
    expires_at,
  })
  return token
}
