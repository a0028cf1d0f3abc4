// What operators do to an organisation.
import {
  findOrganisation,
  insertMember,
  insertOrganisation,
  isMember,
  listOrganisations,
  lockOrganisation,
  updateOrganisation,
  updateOwner,
} from '../../store/organisations.ts'
import { findPersonByEmail } from '../../store/people.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { findOrCreatePerson, hashPassword, requireEmail } from '../people/person.ts'
import { requireName } from '../text.ts'
import { isPlanName, PLANS, type PlanName } from './plans.ts'

export interface NewOrganisation {
  name: string
  plan: string
  owner_email: string
  /** Left out, the owner cannot sign in until one is set. */
  owner_password?: string
}

/** Makes an org and its owner, who may exist already; a password is for one who does not. */
export async function createOrganisation(
  deps: Deps,
  wanted: NewOrganisation,
): Promise<{ org_id: number; owner_id: number }> {
  const name = requireName('name', wanted.name)
  const plan = requirePlan(wanted.plan)
  const email = requireEmail('owner_email', wanted.owner_email)
  const password_hash = wanted.owner_password === undefined ? null : await hashPassword(wanted.owner_password)
  return deps.database.db.transaction().execute(async (trx) => {
    const { person_id } = await findOrCreatePerson(trx, email, password_hash)
    const org_id = await insertOrganisation(trx, { name, plan })
    await insertMember(trx, { org_id, person_id, is_owner: true })
    return { org_id, owner_id: person_id }
  })
}

/** Moves an org to another plan. What exists keeps running; the new limits bind what is made or changed from now on. */
export async function setPlan(deps: Deps, org_id: number, plan: string): Promise<void> {
  await update(deps, org_id, { plan: requirePlan(plan) })
}

export async function setStatusPage(deps: Deps, org_id: number, enabled: boolean): Promise<void> {
  const organisation = await findOrganisation(deps.database.db, org_id)
  if (enabled && organisation && !PLANS[organisation.plan as PlanName].allows_status_page) {
    throw new DomainError('invalid', `the ${organisation.plan} plan has no status page`)
  }
  await update(deps, org_id, { status_page_enabled: enabled })
}

/** Hands an org to another of its members. */
export async function setOwner(deps: Deps, org_id: number, email: string): Promise<void> {
  await deps.database.db.transaction().execute(async (trx) => {
    if (!(await lockOrganisation(trx, org_id))) throw noSuchOrganisation()
    const person = await findPersonByEmail(trx, requireEmail('email', email))
    if (!person || !(await isMember(trx, org_id, person.person_id))) {
      throw new DomainError('invalid', 'email must be that of a member of the organisation')
    }
    await updateOwner(trx, org_id, person.person_id)
  })
}

export async function listAllOrganisations(deps: Deps): ReturnType<typeof listOrganisations> {
  return listOrganisations(deps.database.db)
}

async function update(deps: Deps, org_id: number, change: Parameters<typeof updateOrganisation>[2]): Promise<void> {
  if (!(await updateOrganisation(deps.database.db, org_id, change))) throw noSuchOrganisation()
}

function requirePlan(text: string): PlanName {
  if (!isPlanName(text)) throw new DomainError('invalid', `plan must be one of ${Object.keys(PLANS).join(', ')}`)
  return text
}

function noSuchOrganisation(): DomainError {
  return new DomainError('missing', 'no organisation with that id')
}
