// People by their email address.
import { hash } from 'argon2'
import type { Db } from '../../store/database.ts'
import { findPersonByEmail, insertPerson, type PersonRow } from '../../store/people.ts'
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

/** The person of that address, made if there is none. Of two that make one at once, both get the same. */
export async function findOrCreatePerson(db: Db, email: string, password_hash: string | null): Promise<PersonRow> {
  const isNew = await insertPerson(db, { email, password_hash })
  const person = await findPersonByEmail(db, email)
  if (!person) throw new Error('a person is gone who was just made')
  if (!isNew && password_hash !== null) {
    throw new DomainError('conflict', 'this person exists already: change their password by user set-password')
  }
  return person
}
