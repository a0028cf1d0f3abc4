// Carries out what operators and admins do to a person.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { deletePasskeysOf } from '@dogwatch/store/accounts/passkeys'
import { deletePasswordResetsOf } from '@dogwatch/store/accounts/password-resets'
import { deletePendingOf } from '@dogwatch/store/accounts/pending-sign-ins'
import {
  findPersonByEmail,
  findPersonById,
  type PersonRow,
  type ShownPerson,
  searchPeople,
  updatePasswordHash,
  updatePerson,
} from '@dogwatch/store/accounts/people'
import { deleteTotp } from '@dogwatch/store/accounts/second-factors'
import { deleteSessionsOf, listMemberships } from '@dogwatch/store/accounts/sessions'
import type { Db } from '@dogwatch/store/database'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { AuditAction } from '../audit/sentences.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { isStorable } from '../text.ts'
import { hashPassword } from './person.ts'

export type { ShownPerson }

const PAGE_ROWS = 100

export interface PeoplePage {
  found: ShownPerson[]
  /** Position at which the next, older page begins. Absent on the last page. */
  before: number | undefined
}

/** Finds people whose address contains the text, newest first, a hundred at a time. */
export async function findPeople(
  { database }: Pick<Deps, 'database'>,
  text: string,
  before?: number,
): Promise<PeoplePage> {
  const limit = PAGE_ROWS + 1
  const rows = isStorable(text) ? await searchPeople(database.people, text.trim(), { before, limit }) : []
  const found = rows.slice(0, PAGE_ROWS)
  return { found, before: rows.length > PAGE_ROWS ? found.at(-1)?.person_id : undefined }
}

/** Enables or disables a person. The tokens and sessions of a disabled person stop working at once. */
export async function switchPerson(deps: Deps, email: string, enabled: boolean): Promise<void> {
  await switchOne(deps, await findByEmail(deps, email), enabled)
}

/** Enables or disables a person like {@link switchPerson}, but for an admin, who cannot disable themselves. */
export async function switchPersonById(deps: Deps, admin: Actor, person_id: number, enabled: boolean): Promise<void> {
  await switchOne(deps, await findAnother(deps, admin, person_id), enabled, admin)
}

export async function setAdmin(deps: Deps, email: string, is_admin: boolean): Promise<void> {
  const { person_id } = await findByEmail(deps, email)
  await updatePerson(deps.database.people, person_id, { is_admin })
}

/** Grants or revokes admin rights, for an admin. The last admin cannot lose them, because no admin can revoke their own. */
export async function setAdminById(deps: Deps, admin: Actor, person_id: number, is_admin: boolean): Promise<void> {
  const person = await findAnother(deps, admin, person_id)
  await updatePerson(deps.database.people, person_id, { is_admin })
  deps.log.info({ admin: admin.email, person: person.email, is_admin }, 'an admin granted or revoked admin rights')
}

/** Sets a new password, ends all sessions, and deletes links for setting a new password. */
export async function setPassword(deps: Deps, email: string, password: string): Promise<void> {
  const person = await findByEmail(deps, email)
  const password_hash = await hashPassword(password)
  await deps.database.people.transaction().execute(async (trx) => {
    await replacePassword(trx, person.person_id, password_hash)
    await recordEverywhere(trx, deps, undefined, person, 'person.set_password')
  })
}

/**
 * Removes lost second factors, so that the password alone suffices to sign in. Passkeys go as well, because they can be lost with
 * the same phone. Ends all sessions.
 */
export async function removeSecondFactors(
  deps: Deps,
  email: string,
): Promise<{ email: string; authenticator_app: boolean; passkeys: number }> {
  return takeSecondFactors(deps, await findByEmail(deps, email))
}

/** Removes second factors like {@link removeSecondFactors}, but for an admin, who cannot do it to themselves. */
export async function removeSecondFactorsById(deps: Deps, admin: Actor, person_id: number): Promise<void> {
  const person = await findAnother(deps, admin, person_id)
  await takeSecondFactors(deps, person, admin)
  deps.log.info({ admin: admin.email, person: person.email }, 'an admin removed the second factors of an account')
}

async function takeSecondFactors(
  deps: Deps,
  { person_id, email }: PersonRow,
  by?: Actor,
): Promise<{ email: string; authenticator_app: boolean; passkeys: number }> {
  return deps.database.people.transaction().execute(async (trx) => {
    const authenticator_app = await deleteTotp(trx, person_id)
    const passkeys = await deletePasskeysOf(trx, person_id)
    await deletePendingOf(trx, person_id)
    await deleteSessionsOf(trx, person_id)
    await recordEverywhere(trx, deps, by, { person_id, email }, 'person.remove_second_factor')
    return { email, authenticator_app, passkeys }
  })
}

/** Replaces the password, and signs out anyone who knew the old password or has an old link. `kept`: session that stays. */
export async function replacePassword(trx: Db, person_id: number, password_hash: string, kept?: Buffer): Promise<void> {
  await updatePasswordHash(trx, person_id, password_hash)
  await deletePasswordResetsOf(trx, person_id)
  await deletePendingOf(trx, person_id)
  await deleteSessionsOf(trx, person_id, kept)
}

async function switchOne(deps: Deps, { person_id, email }: PersonRow, enabled: boolean, by?: Actor): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    await updatePerson(trx, person_id, { disabled_at: enabled ? null : fromDate(deps.clock.now()) })
    // Without this, the sessions would be valid again once the person is enabled.
    if (!enabled) await deleteSessionsOf(trx, person_id)
    if (!enabled) await deletePendingOf(trx, person_id)
    await recordEverywhere(trx, deps, by, { person_id, email }, enabled ? 'person.enable' : 'person.disable')
  })
  if (by) deps.log.info({ admin: by.email, person: email, enabled }, 'an admin enabled or disabled an account')
}

/** Records an action in each organisation of the person. */
async function recordEverywhere(
  trx: Db,
  deps: Deps,
  by: Actor | undefined,
  { person_id, email }: PersonRow,
  action: AuditAction,
): Promise<void> {
  for (const { org_id } of await listMemberships(trx, person_id)) {
    await recordAuditEntry(trx, deps, by, { org_id, action, subject: email })
  }
}

export async function findByEmail(deps: Deps, email: string): Promise<PersonRow> {
  const person = await findPersonByEmail(deps.database.people, email)
  if (!person) throw new DomainError('missing', 'no user with that email')
  return person
}

/** Finds a person whom an admin wants to change or delete. Refuses the admin themselves. */
export async function findAnother(
  deps: Deps,
  admin: Actor,
  person_id: number,
  what: 'change' | 'delete' = 'change',
): Promise<PersonRow> {
  const person = await findPersonById(deps.database.people, person_id)
  if (!person) throw new DomainError('missing', 'no user with that id')
  if (person.person_id === admin.person_id) throw new DomainError('invalid', `you cannot ${what} your own account here`)
  return person
}
