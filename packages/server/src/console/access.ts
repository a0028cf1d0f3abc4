// Who may use a route: the one place that decides it, for requests as for the links and forms of a page.
import { DomainError } from '../domain/errors.ts'
import { isAtLeast, onlyManagers, type Role } from '../domain/organisations/roles.ts'
import type { Viewer } from '../domain/people/sessions.ts'
import type { Access } from './route.ts'

/** The role in the selected organisation that a route needs. */
const NEEDED: Readonly<Partial<Record<Access, Role>>> = {
  reader: 'read_only',
  member: 'member',
  org_admin: 'admin',
  owner: 'owner',
}

/** Whether it is about the selected organisation. */
export function isOfOrg(access: Access): boolean {
  return NEEDED[access] !== undefined
}

export function mayUse(access: Access, viewer: Viewer | undefined): boolean {
  if (access === 'anyone') return true
  if (!viewer) return false
  if (access === 'person') return true
  if (access === 'admin') return viewer.is_admin && viewer.impersonator_id === null
  const needed = NEEDED[access]
  return viewer.org !== undefined && needed !== undefined && isAtLeast(viewer.org.role, needed)
}

/** Why a role does not suffice. */
export function roleRefusal(access: Access): DomainError {
  if (access === 'owner') return new DomainError('forbidden', 'only the organisation owner can do this')
  if (access === 'org_admin') return onlyManagers()
  return new DomainError('forbidden', 'you have read-only access. Ask an admin to change your role')
}

/** Whether its members must sign in with a second factor, and this session has none. */
export function lacksSecondFactor({ org, has_second_factor, impersonator_id }: Viewer): boolean {
  return org?.requires_second_factor === true && !has_second_factor && impersonator_id === null
}
