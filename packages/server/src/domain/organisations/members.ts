// Who belongs to an org.
import {
  countMembers,
  deleteMember,
  findOwner,
  insertMember,
  isMember,
  listMembers,
  lockOrganisation,
  type MemberRow,
} from '../../store/organisations.ts'
import { findPersonByEmail } from '../../store/people.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { findOrCreatePerson, requireEmail } from '../people/person.ts'
import { PLANS, type PlanName } from './plans.ts'

/** Owner first, then by address. */
export async function readMembers(deps: Pick<Deps, 'database'>, org_id: number): Promise<MemberRow[]> {
  return listMembers(deps.database.db, org_id)
}

/** Makes a person, known or new, a member. Adding a member again changes nothing. */
export async function addMember(deps: Deps, org_id: number, email: string): Promise<{ person_id: number }> {
  requireEmail('email', email)
  return deps.database.db.transaction().execute(async (trx) => {
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    const { person_id } = await findOrCreatePerson(trx, email, null)
    if (await isMember(trx, org_id, person_id)) return { person_id }
    const { max_members } = PLANS[organisation.plan as PlanName]
    if (max_members > 0 && (await countMembers(trx, org_id)) >= max_members) {
      throw new DomainError('invalid', `the ${organisation.plan} plan allows ${max_members} members`)
    }
    await insertMember(trx, { org_id, person_id, is_owner: false })
    return { person_id }
  })
}

/** Ends a membership at once, and with it the tokens that rest on it. The owner stays. */
export async function removeMember(deps: Deps, org_id: number, email: string): Promise<void> {
  await deps.database.db.transaction().execute(async (trx) => {
    if (!(await lockOrganisation(trx, org_id))) throw new DomainError('missing', 'no organisation with that id')
    const person = await findPersonByEmail(trx, requireEmail('email', email))
    if (!person || !(await isMember(trx, org_id, person.person_id))) {
      throw new DomainError('missing', 'no member with that email')
    }
    const owner = await findOwner(trx, org_id)
    if (owner?.person_id === person.person_id) throw new DomainError('invalid', 'email must not be that of the owner')
    await deleteMember(trx, org_id, person.person_id)
  })
}
