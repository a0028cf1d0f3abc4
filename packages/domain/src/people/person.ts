// Verifies email addresses and passwords, and creates people.

import { FairQueue, QueueFault } from '@dogwatch/runtime/fair-queue'
import { findPersonByEmail, insertPerson, type PersonRow } from '@dogwatch/store/accounts/people'
import type { Db } from '@dogwatch/store/database'
import { hash, verify } from 'argon2'
import { DomainError, FieldError } from '../errors.ts'
import { requireName } from '../text.ts'

// One @, something on both sides, no blanks. Whether it can be reached shows when an email is delivered.
const EMAIL = /^[^\s@]+@[^\s@]+$/
const MIN_PASSWORD = 10
const MAX_PASSWORD = 1024
// Each hash needs 64 MiB and four threads for at least a tenth of a second: three hashes at once left nothing of two processors
// to other work.
const ARGON2 = new FairQueue({ at_once: 1, waiting_of_client: 60 })

export function requireEmail(field: string, text: string): string {
  requireName(field, text, { max: 254 })
  if (!EMAIL.test(text)) throw new FieldError('invalid', field, 'must be an email address')
  return text
}

/**
 * Returns the argon2id hash of a password. Throws DomainError if the password is too short or too long, or if too many requests
 * wait.
 */
export async function hashPassword(password: string): Promise<string> {
  requireLength(password)
  return inTurn(() => hash(password))
}

/** Refuses a password that is too short or too long. */
export function requireLength(password: string): void {
  if (password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD) return
  throw new FieldError('invalid', 'password', `must be ${MIN_PASSWORD} to ${MAX_PASSWORD} characters long`)
}

// The hash of a password that no one has, because an account without a password must take as long to refuse.
const NOBODY = '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$qHmhLFyGyGUsVzFMlB9IaGT9yPvvLN9b5IvYjS5Rv5c'

/** Whether the password matches the hash. Never true without a hash. Throws DomainError if too many requests wait. */
export async function isPassword(password_hash: string | null | undefined, password: string): Promise<boolean> {
  const isRight = await inTurn(() =>
    verify(password_hash ?? NOBODY, password.slice(0, MAX_PASSWORD)).catch(() => false),
  )
  return isRight && password_hash != null
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await ARGON2.run({ client: 'all' }, work)
  } catch (error) {
    if (error instanceof QueueFault) throw new DomainError('limited', 'the server is busy; try again', 5)
    throw error
  }
}

/** Returns the person with that address, and creates them if necessary. If two requests create one at once, both get the same. */
export async function findOrCreatePerson(db: Db, email: string, password_hash: string | null): Promise<PersonRow> {
  const created = await insertPerson(db, { email, password_hash })
  if (!created && password_hash !== null) {
    throw new DomainError('conflict', 'this user already exists; change the password with user set-password')
  }
  const person = created ?? (await findPersonByEmail(db, email))
  if (!person) throw new Error('the account was not found, although it exists')
  return person
}
