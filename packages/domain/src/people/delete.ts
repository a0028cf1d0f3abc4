// Deletes people.

import { findMember, lockOrganisation } from '@dogwatch/store/accounts/organisations'
import type { PersonRow } from '@dogwatch/store/accounts/people'
import { deletePersonRows, lockPerson } from '@dogwatch/store/accounts/person-deletion'
import { listMemberships } from '@dogwatch/store/accounts/sessions'
import type { Db } from '@dogwatch/store/database'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { removeFromOrganisation } from '../organisations/members.ts'
import { findAnother, findByEmail } from './edit.ts'

/**
 * Deletes a person with all their access. Audit entries stay, with a neutral text instead of their address. Refuses the
 * owner of an organisation.
 */
export async function deletePerson(deps: Deps, email: string): Promise<{ email: string; person_id: number }> {
  return remove(deps, await findByEmail(deps, email))
}

/** Deletes a person like {@link deletePerson}, but for an admin, who cannot delete themselves. */
export async function deletePersonById(deps: Deps, admin: Actor, person_id: number): Promise<void> {
  await remove(deps, await findAnother(deps, admin, person_id, 'delete'), admin)
  deps.log.info({ admin: admin.email, person_id }, 'an admin deleted a user')
}

async function remove(
  deps: Deps,
  { person_id, email }: PersonRow,
  by?: Actor,
): Promise<{ email: string; person_id: number }> {
  const neutral = `deleted user ${person_id}`
  await deps.database.people.transaction().execute(async (trx) => {
    for (const { org_id } of await listMemberships(trx, person_id)) {
      await leave(trx, deps, org_id, person_id)
      await recordAuditEntry(trx, deps, by, { org_id, action: 'person.delete', subject: neutral })
    }
    // Locked from here on, so that no one makes them a member again.
    await lockPerson(trx, person_id)
    const [again] = await listMemberships(trx, person_id)
    if (again)
      throw new DomainError(
        'conflict',
        'the user was not deleted, because the user joined an organisation during the deletion; try again',
      )
    await deletePersonRows(trx, { person_id, email }, neutral)
  })
  return { email, person_id }
}

async function leave(trx: Db, deps: Deps, org_id: number, person_id: number): Promise<void> {
  const organisation = await lockOrganisation(trx, org_id)
  const member = organisation && (await findMember(trx, org_id, person_id))
  if (member?.is_owner) {
    const line = `the user owns organisation ${org_id} (${organisation?.name}); transfer or delete the organisation first`
    throw new DomainError('conflict', line)
  }
  if (member) await removeFromOrganisation(trx, deps, org_id, person_id)
}
