// How often a form may be tried.
import {
  requireRoom as spendOne,
  requireRoomForMail,
  requireRoomForTest as spendTest,
  requireRoomToAsk as spendAsked,
} from '../domain/limits/rooms.ts'
import {
  CHANGES_OF_ORG,
  CHANGES_OF_PERSON,
  CODES,
  CODES_BY_DEVICE,
  INVITATIONS_OF_ORG,
  INVITATIONS_OF_PERSON,
  REPLAYS_OF_ORG,
  REPLAYS_OF_PERSON,
  RESETS_TO,
  SEARCHES_OF_ORG,
  SEARCHES_OF_PERSON,
  SIGN_INS_BY_DEVICE,
  SIGN_INS_FROM,
  SIGN_INS_FROM_TO,
  SIGN_INS_TO,
  SIGN_UPS_TO,
} from '../domain/limits/rates.ts'
import type { Limit } from '../domain/limits/spend.ts'
import { findDevice } from '../domain/people/device.ts'
import { folded, mailboxOf } from '../domain/people/mailbox.ts'
import type { Viewer } from '../domain/people/sessions.ts'
import type { AnyoneContext, MemberContext } from './route.ts'

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
