// Invites people into an organisation and lets them accept.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, looksLikeToken, newToken } from '@dogwatch/runtime/tokens'
import {
  deleteInvitation,
  deleteInvitationsTo,
  type FoundInvitation,
  findInvitation,
  type InvitationRow,
  insertInvitation,
  listInvitations,
} from '@dogwatch/store/accounts/invitations'
import {
  countMembers,
  findMember,
  insertMember,
  isMember,
  lockOrganisation,
} from '@dogwatch/store/accounts/organisations'
import { findPersonByEmail, insertPerson, updateEmailClaimed } from '@dogwatch/store/accounts/people'
import { updateSession } from '@dogwatch/store/accounts/sessions'
import type { Db } from '@dogwatch/store/database'
import type { Slice } from '@dogwatch/store/slice'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { newDevice } from '../people/device.ts'
import { hashPassword, requireEmail } from '../people/person.ts'
import { openSession, requireNotImpersonated, type SignedIn, type Viewer } from '../people/sessions.ts'
import { existing } from './existing.ts'
import { requirePlace } from './members.ts'
import { planOf } from './plans.ts'
import { type GivenRole, mayManage, onlyManagers, roleOf } from './roles.ts'

export type { FoundInvitation, InvitationRow }

const OPEN_MS = 7 * 86_400_000

/** Returns the invitations that can still be accepted, newest first. */
export async function readInvitations(
  deps: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  slice?: Slice,
): Promise<InvitationRow[]> {
  return listInvitations(deps.database.people, org_id, fromDate(deps.clock.now()), slice)
}

/**
 * Invites an address for seven days. Returns the token for the link, which cannot be read again later. Inviting an address again
 * makes the earlier link void.
 */
export async function invite(
  deps: Deps,
  org_id: number,
  text: string,
  by: Actor,
  role: GivenRole = 'member',
): Promise<{ token: string }> {
  requireNotImpersonated(by)
  const email = requireEmail('email', text)
  // An invitation that only lets people read has a separate kind of link.
  const token = newToken(role === 'read_only' ? 'inviteread' : 'invite', deps.random)
  const now = deps.clock.now()
  await deps.database.people.transaction().execute(async (trx) => {
    const organisation = existing(await lockOrganisation(trx, org_id))
    // A person who is removed, or transfers ownership, while this request waits for the lock, must not invite.
    const own = await findMember(trx, org_id, by.person_id)
    if (!own || !mayManage(roleOf(own), 'member')) throw onlyManagers()
    if (!mayManage(roleOf(own), role)) {
      throw new DomainError('forbidden', 'only the organisation owner can invite admins')
    }
    const person = await findPersonByEmail(trx, email)
    if (person && (await isMember(trx, org_id, person.person_id))) {
      throw new DomainError('conflict', `${email} is already a member`)
    }
    await deleteInvitationsTo(trx, { org_id, email })
    await requirePlace(trx, deps, organisation)
    await insertInvitation(trx, {
      org_id,
      email,
      token_hash: hashToken(token),
      invited_by: by.person_id,
      created_at: fromDate(now),
      expires_at: fromDate(new Date(now.getTime() + OPEN_MS)),
      role,
    })
    await recordAuditEntry(trx, deps, by, { org_id, action: 'invitation.create', subject: email, detail: { role } })
  })
  return { token }
}

export async function withdrawInvitation(deps: Deps, org_id: number, invitation_id: number, by: Actor): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    const invitation = await deleteInvitation(trx, { org_id, invitation_id })
    if (!invitation) throw new DomainError('missing', 'invitation not found; the invitation may have been withdrawn')
    await recordAuditEntry(trx, deps, by, { org_id, action: 'invitation.withdraw', subject: invitation.email })
  })
}

/** Returns the invitation of a link. Throws the same DomainError if the link is unknown, used, withdrawn or expired. */
export async function requireInvitation(
  deps: Pick<Deps, 'database' | 'clock'>,
  token: string,
): Promise<FoundInvitation> {
  const now = fromDate(deps.clock.now())
  const found =
    looksLikeToken('invite', token) || looksLikeToken('inviteread', token)
      ? await findInvitation(deps.database.people, hashToken(token), now)
      : undefined
  if (!found) throw noSuchInvitation()
  return found
}

/** Whether the invitation is for the viewer. */
export function isFor({ email }: FoundInvitation, viewer: Viewer): boolean {
  return email.toLowerCase() === viewer.email.toLowerCase()
}

/** Makes the viewer a member and selects the organisation. */
export async function acceptInvitation(deps: Deps, viewer: Viewer, token: string): Promise<FoundInvitation> {
  requireNotImpersonated(viewer)
  const invitation = await requireInvitation(deps, token)
  if (!isFor(invitation, viewer)) {
    throw new DomainError(
      'forbidden',
      `this invitation is for ${invitation.email}; sign in with the invited address to accept`,
    )
  }
  await deps.database.people.transaction().execute(async (trx) => {
    await join(trx, deps, invitation, viewer)
    await updateSession(trx, viewer.session_hash, { org_id: invitation.org_id })
  })
  return invitation
}

/** Creates a person with the invited address, makes them a member, and signs them in. */
export async function signUpInvited(deps: Deps, token: string, password: string): Promise<SignedIn> {
  const invitation = await requireInvitation(deps, token)
  // A person who already has an account should not cost a password hash.
  if (await findPersonByEmail(deps.database.people, invitation.email)) throw addressTaken()
  const password_hash = await hashPassword(password)
  const person_id = await deps.database.people.transaction().execute(async (trx) => {
    const person = await insertPerson(trx, { email: invitation.email, password_hash })
    if (!person) throw addressTaken()
    // If the email is not sent, the inviter has the link as well, so using the link proves nothing about the address.
    await updateEmailClaimed(trx, person.person_id, fromDate(deps.clock.now()))
    await join(trx, deps, invitation, { ...person, impersonator_email: null })
    return person.person_id
  })
  const session = await openSession(deps, person_id, invitation.org_id)
  return { session, device: newDevice(deps.random, password_hash) }
}

async function join(trx: Db, deps: Deps, { org_id, email, role }: FoundInvitation, by: Actor): Promise<void> {
  const organisation = await lockOrganisation(trx, org_id)
  // If two requests use the invitation at once, the second finds it deleted.
  if (!organisation || !(await deleteInvitationsTo(trx, { org_id, email }))) throw noSuchInvitation()
  if (await isMember(trx, org_id, by.person_id)) return
  // The invitation was counted as a member. There is no room if the plan has become smaller since.
  const { max_members } = planOf(organisation)
  if (max_members > 0 && (await countMembers(trx, org_id)) >= max_members) {
    throw new DomainError(
      'invalid',
      `${organisation.name} already has ${max_members} ${max_members === 1 ? 'member' : 'members'}, the maximum of its plan; ask its owner to change the plan`,
    )
  }
  const given = roleOf({ is_owner: false, role })
  await insertMember(trx, { org_id, person_id: by.person_id, is_owner: false, role: given })
  await recordAuditEntry(trx, deps, by, { org_id, action: 'member.join', subject: email, detail: { role: given } })
}

function addressTaken(): DomainError {
  return new DomainError('conflict', 'this address already has an account; sign in to accept the invitation')
}

function noSuchInvitation(): DomainError {
  return new DomainError('missing', 'this invitation is invalid or has expired; ask for a new invitation')
}
