// People by their email address.
import { hash } from 'argon2'
import type { Db } from '../../store/database.ts'
import { findPersonByEmail, insertPerson, type PersonRow, updatePasswordHash } from '../../store/people.ts'
import { DomainError } from '../errors.ts'
import { requireName } from '../text.ts'

// One @, something on both sides, no blanks: what is deliverable, only a delivery tells.
const EMAIL = /^[^\s@]+@[^\s@]+$/
const MIN_PASSWORD = 10
const MAX_PASSWORD = 1024

export function requireEmail(field: string, text: string): string {
  requireName(field, text, { max: 254 })
  if (!EMAIL.test(text)) throw new DomainError('invalid', `${field} must be an email address`)
  return text
}

/** The argon2id hash of a password; refuses one that is too short or too long to be one. */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < MIN_PASSWORD || password.length > MAX_PASSWORD) {
    throw new DomainError('invalid', `password must have ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`)
  }
  return hash(password)
}

/** The person of that address, made if there is none. */
export async function findOrCreatePerson(db: Db, email: string, password_hash: string | null): Promise<PersonRow> {
  const found = await findPersonByEmail(db, email)
  if (!found) return { person_id: await insertPerson(db, { email, password_hash }), email }
  if (password_hash !== null) await updatePasswordHash(db, found.person_id, password_hash)
  return found
}
