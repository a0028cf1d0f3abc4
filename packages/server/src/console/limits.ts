// How often a form may be tried.
import {
  requireRoom as spendOne,
  requireRoomForMail,
  requireRoomForTest as spendTest,
  requireRoomToAsk as spendAsked,
} from '../domain/limits/rooms.ts'
import type { Limit } from '../domain/limits/spend.ts'
import { findDevice } from '../domain/people/device.ts'
import { folded, mailboxOf } from '../domain/people/mailbox.ts'
import type { Viewer } from '../domain/people/sessions.ts'
import type { AnyoneContext, MemberContext } from './route.ts'

// Signing in. People mistype; a guesser does not stop, and must not lock anybody out.
const SIGN_INS_FROM: Limit = { name: 'sign-in-address', per_sec: 1 / 10, burst: 30, isStrict: true }
const SIGN_INS_FROM_TO: Limit = { name: 'sign-in-address-email', per_sec: 1 / 60, burst: 10, isStrict: true }
const SIGN_INS_BY_DEVICE: Limit = { name: 'sign-in-device', per_sec: 1 / 60, burst: 10, isStrict: true }
/** From all addresses together: how often somebody with many addresses may guess at one account. */
export const SIGN_INS_TO: Limit = { name: 'sign-in-email', per_sec: 1 / 60, burst: 100, isStrict: true }

export const SIGN_UPS: Limit = { name: 'sign-up', per_sec: 1 / 120, burst: 10 }
/** Organisations that one person creates. */
export const FOUNDINGS: Limit = { name: 'foundings', per_sec: 1 / 3600, burst: 10 }
/** Passwords of a person who is signed in. */
export const PASSWORDS: Limit = { name: 'password', per_sec: 1 / 60, burst: 10, isStrict: true }
/**
 * Codes of an authenticator app, and recovery codes, of one person. Three of a million codes are right at a time: whoever knows the
 * password and guesses all day long is right once in ten years.
 */
const CODES: Limit = { name: 'code', per_sec: 1 / 900, burst: 10, isStrict: true }
const CODES_BY_DEVICE: Limit = { name: 'code-device', per_sec: 1 / 60, burst: 10, isStrict: true }
/** Challenges for passkeys, and visits to the OpenID provider: each is a row for some minutes. */
export const BEGINNINGS: Limit = { name: 'sign-in-begin', per_sec: 1 / 10, burst: 30, isStrict: true }

/** Links that set a password: each is used once, so whoever comes often is guessing. */
export const LINKS: Limit = { name: 'link-address', per_sec: 1 / 10, burst: 30, isStrict: true }

/** Links in alerts. Nobody can guess one, and a team opens the same one from one address in a bad night. */
export const INCIDENT_LINKS: Limit = { name: 'incident-link', per_sec: 1 / 2, burst: 60 }

// Each of these makes us send a mail or a message.
export const RESETS_FROM: Limit = { name: 'reset-address', per_sec: 1 / 60, burst: 20 }
const INVITATIONS_OF_ORG: Limit = { name: 'invitations', per_sec: 1 / 60, burst: 30 }
const INVITATIONS_OF_PERSON: Limit = { name: 'invitations-person', per_sec: 1 / 60, burst: 30 }
/** Forms that change something: each is an entry of an audit log, which keeps all of them. */
const CHANGES_OF_ORG: Limit = { name: 'changes', per_sec: 1 / 5, burst: 1000 }
const CHANGES_OF_PERSON: Limit = { name: 'changes-person', per_sec: 1 / 10, burst: 300 }
/** Replays of a check: each reads the results of a month. */
const REPLAYS_OF_ORG: Limit = { name: 'replays', per_sec: 1 / 10, burst: 10 }
const REPLAYS_OF_PERSON: Limit = { name: 'replays-person', per_sec: 1 / 10, burst: 5 }
/** Searches: each reads the names of everything that an organisation has. */
const SEARCHES_OF_ORG: Limit = { name: 'searches', per_sec: 20, burst: 200 }
const SEARCHES_OF_PERSON: Limit = { name: 'searches-person', per_sec: 4, burst: 40 }
/** Links for signing up. */
const SIGN_UPS_TO: Limit = { name: 'sign-up-to', per_sec: 1 / 600, burst: 3 }
/** Links for a new password: only requests for them use up this limit, and each leads to a mail to the owner. */
const RESETS_TO: Limit = { name: 'reset-to', per_sec: 1 / 600, burst: 3 }

/** Uses up one try of a subject; refuses when none is left. */
export function requireRoom(
  { limiter }: Pick<AnyoneContext, 'limiter'>,
  limit: Limit,
  subject: string,
  line?: string,
): Promise<void> {
  return spendOne(limiter, limit, subject, line)
}

/** One client may have a whole /48 of IPv6, and many clients may share one. */
const OF_NETWORK = 4

/** Uses up one try of a client's address, and of its network where that is more than the address. */
export async function requireRoomFrom(
  { limiter, address, network }: Pick<AnyoneContext, 'limiter' | 'address' | 'network'>,
  limit: Limit,
): Promise<void> {
  await requireRoom({ limiter }, limit, address)
  if (network === address) return
  const { name, per_sec, burst } = limit
  const ofNetwork = { ...limit, name: `${name}-network`, per_sec: OF_NETWORK * per_sec, burst: OF_NETWORK * burst }
  await requireRoom({ limiter }, ofNetwork, network)
}

/**
 * A few guesses from one address at one account, and more from all addresses together. A device on which its owner was
 * signed in before has a limit of its own, so that a guesser cannot lock the owner out.
 */
export async function requireRoomToSignIn(context: AnyoneContext, email: string): Promise<void> {
  const { deps, address, device, options } = context
  await requireRoomFrom(context, SIGN_INS_FROM)
  const known = await findDevice(deps, email, device)
  if (known !== undefined) return requireRoom(context, SIGN_INS_BY_DEVICE, known)
  const name = folded(email)
  await requireRoom(context, SIGN_INS_FROM_TO, `${address} ${name}`)
  const way = options.mailer ? '. Wait, or reset your password by email to sign in from this browser' : ''
  await requireRoom(context, SIGN_INS_TO, name, `too many sign-in attempts for this address${way}`)
}

/** Before a code is tried. A device of the person has a limit of its own, as it has for passwords. */
export async function requireRoomForCode(
  context: AnyoneContext,
  { person_id, email }: { person_id: number; email: string },
): Promise<void> {
  const known = await findDevice(context.deps, email, context.device)
  if (known !== undefined) return requireRoom(context, CODES_BY_DEVICE, known)
  await requireRoom(
    context,
    CODES,
    String(person_id),
    'too many incorrect codes. Wait, or use a browser where you have signed in before',
  )
}

const MANY_LINKS = 'too many links requested for this address'

/** Before a mail is sent to somebody who signs up. */
export async function requireRoomToSignUp(context: AnyoneContext, email: string): Promise<void> {
  await requireRoom(context, SIGN_UPS_TO, mailboxOf(email), MANY_LINKS)
}

/**
 * Before a link for a new password is sent. By the exact address: similar addresses get no mail, and must not use up
 * the owner's limit.
 */
export async function requireRoomToReset(context: AnyoneContext, email: string): Promise<void> {
  await requireRoom(context, RESETS_TO, folded(email), MANY_LINKS)
}

/** Before a test message is sent; `email`: the address, if it is a mail. */
export async function requireRoomForTest(
  { limiter, viewer, org }: MemberContext,
  channel: { kind: string; email: string },
): Promise<void> {
  await spendTest(limiter, { org_id: org.org_id, person_id: viewer.person_id }, channel)
}

export async function requireRoomForInvitation(context: MemberContext, email: string): Promise<void> {
  const { viewer, org, options } = context
  await requireRoom(context, INVITATIONS_OF_ORG, String(org.org_id))
  await requireRoom(context, INVITATIONS_OF_PERSON, String(viewer.person_id))
  if (options.mailer) await requireRoomForMail(context.limiter, email)
}

/** Before a monitor is asked for a run. */
export async function requireRoomToAsk({ limiter, viewer, org }: MemberContext): Promise<void> {
  await spendAsked(limiter, { org_id: org.org_id, person_id: viewer.person_id })
}

/** Before a form of somebody who is signed in changes anything. */
export async function requireRoomToChange(
  { limiter }: Pick<AnyoneContext, 'limiter'>,
  { person_id, impersonator_id, org }: Viewer,
): Promise<void> {
  const line = 'too many changes in a short time'
  await requireRoom({ limiter }, CHANGES_OF_PERSON, String(impersonator_id ?? person_id), `you have made ${line}`)
  if (org) await requireRoom({ limiter }, CHANGES_OF_ORG, String(org.org_id), `${org.name} has made ${line}`)
}

export async function requireRoomToSearch(context: MemberContext): Promise<void> {
  const { viewer, org } = context
  const line = 'too many searches in a short time'
  await requireRoom(context, SEARCHES_OF_ORG, String(org.org_id), line)
  await requireRoom(context, SEARCHES_OF_PERSON, String(viewer.impersonator_id ?? viewer.person_id), line)
}

export async function requireRoomToReplay(context: MemberContext): Promise<void> {
  const { viewer, org } = context
  const line = 'too many replays requested in a short time'
  await requireRoom(context, REPLAYS_OF_ORG, String(org.org_id), line)
  await requireRoom(context, REPLAYS_OF_PERSON, String(viewer.person_id), line)
}
