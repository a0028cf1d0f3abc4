// What operators do to a person.
import { fromDate } from '../../runtime/timestamps.ts'
import { findPersonByEmail, type PersonRow, updatePasswordHash, updatePerson } from '../../store/people.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { hashPassword } from './person.ts'

/** A disabled person's tokens and sessions stop working at once. */
export async function switchPerson(deps: Deps, email: string, enabled: boolean): Promise<void> {
  const { person_id } = await findPerson(deps, email)
  await updatePerson(deps.database.db, person_id, { disabled_at: enabled ? null : fromDate(deps.clock.now()) })
}

export async function setAdmin(deps: Deps, email: string, is_admin: boolean): Promise<void> {
  const { person_id } = await findPerson(deps, email)
  await updatePerson(deps.database.db, person_id, { is_admin })
}

export async function setPassword(deps: Deps, email: string, password: string): Promise<void> {
  const { person_id } = await findPerson(deps, email)
  await updatePasswordHash(deps.database.db, person_id, await hashPassword(password))
}

async function findPerson(deps: Deps, email: string): Promise<PersonRow> {
  const person = await findPersonByEmail(deps.database.db, email)
  if (!person) throw new DomainError('missing', 'no user with that email')
  return person
}
