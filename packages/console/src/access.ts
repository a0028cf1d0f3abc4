// Decides who may use a route, for requests and for the links and forms of pages. No other file decides this.
import { DomainError } from '@dogwatch/domain/errors'
import { isAtLeast, onlyManagers, type Role } from '@dogwatch/domain/organisations/roles'
import type { Viewer } from '@dogwatch/domain/people/sessions'
import type { Access } from './route.ts'

/** Role in the selected organisation that each kind of access needs. */
const NEEDED: Readonly<Partial<Record<Access, Role>>> = {
  reader: 'read_only',
  member: 'member',
  org_admin: 'admin',
  owner: 'owner',
}

/** Whether a route with this access concerns the selected organisation. */
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

/** Returns the refusal for a viewer whose role does not suffice. */
export function roleRefusal(access: Access): DomainError {
  if (access === 'owner') return new DomainError('forbidden', 'only the organisation owner can do this')
  if (access === 'org_admin') return onlyManagers()
  return new DomainError('forbidden', 'you have read-only access. Ask an admin to change your role')
}

/** Whether the selected organisation requires a second factor and this session has none. An impersonation needs none. */
export function lacksSecondFactor({ org, has_second_factor, impersonator_id }: Viewer): boolean {
  return org?.requires_second_factor === true && !has_second_factor && impersonator_id === null
}
