// Adds, changes and removes the members of an organisation.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { deleteInvitationsBy, deleteInvitationsTo, listInvitations } from '@dogwatch/store/accounts/invitations'
import {
  countMembers,
  deleteMember,
  findMember,
  findOwner,
  insertMember,
  isMember,
  listMembers,
  lockOrganisation,
  type MemberRow,
  type OrganisationRow,
  updateOwner,
  updateRole,
} from '@dogwatch/store/accounts/organisations'
import { findPersonByEmail } from '@dogwatch/store/accounts/people'
import { updateTokensRevokedOf } from '@dogwatch/store/accounts/revoked-tokens'
import { updateSessionsLeft } from '@dogwatch/store/accounts/sessions'
import type { Db } from '@dogwatch/store/database'
import { updateEnrollmentTokensRevokedOf } from '@dogwatch/store/monitors/enrollment-tokens'
import type { Slice } from '@dogwatch/store/slice'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { requireHolds, requirePresence } from '../people/password.ts'
import { findOrCreatePerson, requireEmail } from '../people/person.ts'
import { requireNotImpersonated, type Viewer } from '../people/sessions.ts'
import { existing } from './existing.ts'
import { planOf } from './plans.ts'
import { type GivenRole, mayManage, onlyManagers, requireGivenRole, roleOf } from './roles.ts'

/** Returns the members, the owner first, then by address. */
export async function readMembers(deps: Pick<Deps, 'database'>, org_id: number, slice?: Slice): Promise<MemberRow[]> {
  return listMembers(deps.database.people, org_id, slice)
}

/** Makes a person a member, and creates the person if necessary. Adding a member again changes nothing. */
export async function addMember(
  deps: Deps,
  org_id: number,
  email: string,
  role: GivenRole = 'member',
): Promise<{ person_id: number }> {
  requireEmail('email', email)
  return deps.database.people.transaction().execute(async (trx) => {
    const organisation = existing(await lockOrganisation(trx, org_id))
    const { person_id } = await findOrCreatePerson(trx, email, null)
    if (await isMember(trx, org_id, person_id)) return { person_id }
    // An added member no longer needs an invitation, which would count as a second member.
    await deleteInvitationsTo(trx, { org_id, email })
    await requirePlace(trx, deps, organisation)
    await insertMember(trx, { org_id, person_id, is_owner: false, role })
    await recordAuditEntry(trx, deps, undefined, { org_id, action: 'member.add', subject: email, detail: { role } })
    return { person_id }
  })
}

/** Refuses one more member if members and open invitations fill the plan. The caller must hold the lock of the organisation. */
export async function requirePlace(trx: Db, deps: Pick<Deps, 'clock'>, organisation: OrganisationRow): Promise<void> {
  const { max_members } = planOf(organisation)
  if (max_members === 0) return
  const { org_id, plan } = organisation
  const invited = await listInvitations(trx, org_id, fromDate(deps.clock.now()))
  if ((await countMembers(trx, org_id)) + invited.length >= max_members) {
    const people = max_members === 1 ? 'member' : 'members'
    throw new DomainError(
      'invalid',
      `the ${plan} plan allows ${max_members} ${people}, including pending invitations; remove a member, withdraw an invitation or change the plan`,
    )
  }
}

/**
 * Ends a membership at once, with the tokens, invitations and sessions that depend on it. The owner cannot be removed.
 */
export async function removeMember(deps: Deps, org_id: number, email: string): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    existing(await lockOrganisation(trx, org_id))
    const person = await findPersonByEmail(trx, requireEmail('email', email))
    const member = person && (await findMember(trx, org_id, person.person_id))
    if (!member) throw new DomainError('missing', 'no member with that email')
    if (member.is_owner)
      throw new FieldError('invalid', 'email', 'must not be the address of the owner; transfer ownership first')
    await removeFromOrganisation(trx, deps, org_id, member.person_id)
    await recordAuditEntry(trx, deps, undefined, { org_id, action: 'member.remove', subject: member.email })
  })
}

/** Ends a membership like {@link removeMember}, by the owner or an admin. */
export async function removeMemberById(deps: Deps, org_id: number, person_id: number, by: Actor): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    existing(await lockOrganisation(trx, org_id))
    const member = await findMember(trx, org_id, person_id)
    if (!member) throw noSuchMember()
    if (member.is_owner) throw new DomainError('invalid', 'the owner cannot be removed; transfer ownership first')
    await requireManager(trx, org_id, by, member)
    await removeFromOrganisation(trx, deps, org_id, person_id)
    await recordAuditEntry(trx, deps, by, { org_id, action: 'member.remove', subject: member.email })
  })
}

/** Gives a member another role. `by`: the owner or an admin. Absent if an operator does it. */
export async function setRole(
  deps: Deps,
  org_id: number,
  which: { person_id: number } | { email: string },
  wanted: string,
  by?: Actor,
): Promise<{ email: string; role: GivenRole }> {
  return deps.database.people.transaction().execute(async (trx) => {
    existing(await lockOrganisation(trx, org_id))
    const person_id =
      'person_id' in which
        ? which.person_id
        : (await findPersonByEmail(trx, requireEmail('email', which.email)))?.person_id
    const member = person_id === undefined ? undefined : await findMember(trx, org_id, person_id)
    if (!member) throw noSuchMember()
    const role = requireGivenRole(wanted)
    if (member.is_owner)
      throw new DomainError('invalid', "the owner's role cannot be changed; transfer ownership first")
    if (by) await requireManager(trx, org_id, by, member, role)
    if (roleOf(member) === role) return { email: member.email, role }
    await updateRole(trx, { org_id, person_id: member.person_id }, role)
    await endWhatRoleAllowed(trx, deps, { org_id, person_id: member.person_id }, role)
    const detail = { role, before: roleOf(member) }
    await recordAuditEntry(trx, deps, by, { org_id, action: 'member.role', subject: member.email, detail })
    return { email: member.email, role }
  })
}

/** Ends the invitations, enrollment tokens and configuration tokens that a member may no longer create. */
async function endWhatRoleAllowed(
  trx: Db,
  deps: Pick<Deps, 'clock'>,
  whose: { org_id: number; person_id: number },
  role: GivenRole,
): Promise<void> {
  if (role === 'admin') return
  const now = fromDate(deps.clock.now())
  await deleteInvitationsBy(trx, whose)
  await updateTokensRevokedOf(trx, 'configuration_tokens', whose, now)
  if (role === 'read_only') await updateEnrollmentTokensRevokedOf(trx, whose, now)
}

/**
 * Makes a person the owner. The former owner becomes a member and loses their configuration tokens. Their invitations stay for
 * the new owner to judge. The caller must hold the lock of the organisation.
 */
export async function makeOwner(trx: Db, deps: Pick<Deps, 'clock'>, org_id: number, person_id: number): Promise<void> {
  const former = await findOwner(trx, org_id)
  await updateOwner(trx, org_id, person_id)
  if (former && former.person_id !== person_id) {
    const whose = { org_id, person_id: former.person_id }
    await updateTokensRevokedOf(trx, 'configuration_tokens', whose, fromDate(deps.clock.now()))
  }
}

/**
 * Refuses an actor who may not manage such a member. Reads the actor's present role, which can have changed while the request
 * waited for the lock. The caller must hold the lock of the organisation. `wanted`: role to give.
 */
async function requireManager(
  trx: Db,
  org_id: number,
  by: Actor,
  member: { is_owner: boolean; role: string },
  wanted?: GivenRole,
): Promise<void> {
  const own = await findMember(trx, org_id, by.person_id)
  if (!own) throw onlyManagers()
  const role = roleOf(own)
  if (role !== 'owner' && role !== 'admin') throw onlyManagers()
  if (mayManage(role, roleOf(member)) && (wanted === undefined || mayManage(role, wanted))) return
  throw new DomainError('forbidden', 'only the organisation owner can add or remove admins')
}

/** Ends the viewer's own membership, as if the owner had removed them. */
export async function leaveOrganisation(deps: Deps, viewer: Viewer, org_id: number): Promise<void> {
  requireNotImpersonated(viewer)
  await deps.database.people.transaction().execute(async (trx) => {
    existing(await lockOrganisation(trx, org_id))
    const member = await findMember(trx, org_id, viewer.person_id)
    if (!member) throw noSuchMember()
    if (member.is_owner)
      throw new DomainError('invalid', 'you are the organisation owner; transfer ownership before leaving')
    await removeFromOrganisation(trx, deps, org_id, member.person_id)
    await recordAuditEntry(trx, deps, viewer, { org_id, action: 'member.leave', subject: member.email })
  })
}

/**
 * Transfers ownership to another member. Requires the owner to prove their identity again, because the owner cannot undo the
 * transfer.
 */
export async function handOver(
  deps: Deps,
  viewer: Viewer,
  { org_id, person_id, password }: { org_id: number; person_id: number; password: string },
): Promise<void> {
  if (!(await isMember(deps.database.people, org_id, person_id))) throw noSuchMember()
  const proof = await requirePresence(deps, viewer, password)
  await deps.database.people.transaction().execute(async (trx) => {
    await requireHolds(trx, proof)
    existing(await lockOrganisation(trx, org_id))
    // Both rows are locked, so this is their present state.
    const [owner, heir] = [await findMember(trx, org_id, viewer.person_id), await findMember(trx, org_id, person_id)]
    if (!owner?.is_owner) throw new DomainError('forbidden', 'only the organisation owner can do this')
    if (!heir) throw noSuchMember()
    if (heir.is_owner) throw new DomainError('invalid', 'you already own this organisation')
    await makeOwner(trx, deps, org_id, person_id)
    await recordAuditEntry(trx, deps, viewer, { org_id, action: 'organisation.hand_over', subject: heir.email })
  })
}

/** Ends a membership and what depends on it. The caller must hold the lock of the organisation. */
export async function removeFromOrganisation(
  trx: Db,
  deps: Pick<Deps, 'clock'>,
  org_id: number,
  person_id: number,
): Promise<void> {
  await deleteMember(trx, org_id, person_id)
  // Revokes the tokens for good: a person who is added again later has none of them.
  const now = fromDate(deps.clock.now())
  await updateTokensRevokedOf(trx, 'personal_access_tokens', { org_id, person_id }, now)
  await updateTokensRevokedOf(trx, 'configuration_tokens', { org_id, person_id }, now)
  await updateEnrollmentTokensRevokedOf(trx, { org_id, person_id }, now)
  await deleteInvitationsBy(trx, { org_id, person_id })
  await updateSessionsLeft(trx, org_id, person_id)
}

function noSuchMember(): DomainError {
  return new DomainError('missing', 'member not found')
}
