// Limits how often forms can be submitted.

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
} from '@dogwatch/domain/limits/rates'
import { requireRoomForMail } from '@dogwatch/domain/limits/rooms'
import type { Limit } from '@dogwatch/domain/limits/spend'
import { findDevice } from '@dogwatch/domain/people/device'
import { folded, mailboxOf } from '@dogwatch/domain/people/mailbox'
import type { Viewer } from '@dogwatch/domain/people/sessions'
import type { AnyoneContext, MemberContext } from './route.ts'

const TOO_MANY = 'too many attempts in a short time'

/** Counts an attempt against the limit of a subject, such as a person or an address. Throws DomainError if no attempt is left. */
export function requireRoom(
  { limiter }: Pick<AnyoneContext, 'limiter'>,
  limit: Limit,
  subject: string,
  line = TOO_MANY,
): Promise<void> {
  return limiter.require(limit, subject, line)
}

/** Limit of a network, as a multiple of the limit of a single address. */
const OF_NETWORK = 4

/**
 * Counts an attempt against the limit of a client's address, and against that of the address's network if the network is larger
 * than the address.
 */
export function requireRoomFrom(
  context: Pick<AnyoneContext, 'limiter' | 'address' | 'network'>,
  limit: Limit,
): Promise<void> {
  return context.limiter.requireFrom(limit, context, OF_NETWORK, TOO_MANY)
}

/**
 * Limits password guesses from one address, from one address at one account, and from all addresses at one account. A device that
 * the owner has signed in with before has its own limit, so that a guesser cannot lock the owner out.
 */
export async function requireRoomToSignIn(context: AnyoneContext, email: string): Promise<void> {
  const { deps, address, device, options } = context
  await requireRoomFrom(context, SIGN_INS_FROM)
  const known = await findDevice(deps, email, device)
  if (known !== undefined) return requireRoom(context, SIGN_INS_BY_DEVICE, known)
  const name = folded(email)
  await requireRoom(context, SIGN_INS_FROM_TO, `${address} ${name}`)
  const way = options.mailer ? '. Wait, or reset your password by email to sign in from this browser' : ''
  await requireRoom(context, SIGN_INS_TO, name, `too many sign-in attempts for this email address${way}`)
}

/** Limits guesses of sign-in codes. A device that the person has signed in with before has its own limit, as for passwords. */
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

const MANY_LINKS = 'too many links requested for this email address'

/** Limits sign-up emails to one mailbox. Must run before each email. */
export async function requireRoomToSignUp(context: AnyoneContext, email: string): Promise<void> {
  await requireRoom(context, SIGN_UPS_TO, mailboxOf(email), MANY_LINKS)
}

/**
 * Limits emails with a link for a new password. It counts by exact email address: similar addresses get no email, and must not
 * use up the owner's limit.
 */
export async function requireRoomToReset(context: AnyoneContext, email: string): Promise<void> {
  await requireRoom(context, RESETS_TO, folded(email), MANY_LINKS)
}

export async function requireRoomForInvitation(context: MemberContext, email: string): Promise<void> {
  const { viewer, org, options } = context
  await requireRoom(context, INVITATIONS_OF_ORG, String(org.org_id))
  await requireRoom(context, INVITATIONS_OF_PERSON, String(viewer.person_id))
  if (options.mailer) await requireRoomForMail(context.limiter, email)
}

/** Limits how many changes a signed-in person, and their organisation, can make. */
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
  const line = 'too many tests of alert settings in a short time'
  await requireRoom(context, REPLAYS_OF_ORG, String(org.org_id), line)
  await requireRoom(context, REPLAYS_OF_PERSON, String(viewer.person_id), line)
}
