// Decides what members may do, by their role.
import { DomainError, FieldError } from '../errors.ts'

/** Roles, from the one that may do everything to the one that may only read. An organisation has one owner. */
export const ROLES = ['owner', 'admin', 'member', 'read_only'] as const
export type Role = (typeof ROLES)[number]

/** Roles that a member can be given. Ownership is transferred instead. */
export const GIVEN_ROLES = ['admin', 'member', 'read_only'] as const
export type GivenRole = (typeof GIVEN_ROLES)[number]

/** Names of the roles for people. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  read_only: 'Read-only',
}

/** Returns the role of a membership. A role that this version does not know may only read. */
export function roleOf({ is_owner, role }: { is_owner: boolean; role: string }): Role {
  if (is_owner) return 'owner'
  return isGivenRole(role) ? role : 'read_only'
}

/** Whether a role may do everything that the role `needed` may do. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(needed)
}

/** Whether a role may manage another. Admins manage members and those who may only read. Only the owner manages admins. */
export function mayManage(role: Role, other: Role): boolean {
  return isAtLeast(role, 'admin') && other !== 'owner' && (role === 'owner' || other !== 'admin')
}

export function requireGivenRole(text: string): GivenRole {
  if (!isGivenRole(text)) throw new FieldError('invalid', 'role', `must be one of ${GIVEN_ROLES.join(', ')}`)
  return text
}

function isGivenRole(text: string): text is GivenRole {
  return (GIVEN_ROLES as readonly string[]).includes(text)
}

export function onlyManagers(): DomainError {
  return new DomainError('forbidden', 'only owners and admins can do this')
}
