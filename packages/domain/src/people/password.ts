// Changes a person's own password, and sets a new one if it was forgotten.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, looksLikeToken, newToken } from '@dogwatch/runtime/tokens'
import { deletePasswordReset, findPasswordReset, insertPasswordReset } from '@dogwatch/store/accounts/password-resets'
import { findCredentials, findPasswordHash, lockCredentials, updateEmailProved } from '@dogwatch/store/accounts/people'
import type { Db } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { isStorable } from '../text.ts'
import { newDevice } from './device.ts'
import { replacePassword } from './edit.ts'
import { hashPassword, isPassword } from './person.ts'
import { requireNotImpersonated, type Viewer } from './sessions.ts'

export const RESET_MS = 3_600_000

/** Proof of a person's identity: the hash of their password at that time, or a recent sign-in if they have none. */
export interface Proof {
  person_id: number
  password_hash: string | null | undefined
}

/** Refuses a person who does not know the viewer's password. */
async function requirePassword(deps: Deps, viewer: Viewer, password: string): Promise<Proof> {
  requireNotImpersonated(viewer)
  const { person_id } = viewer
  const password_hash = await findPasswordHash(deps.database.people, person_id)
  if (!(await isPassword(password_hash, password))) throw wrongPassword()
  return { person_id, password_hash }
}

/** Maximum age of a session that replaces the password of a person who has none. */
const YOUNG_MS = 600_000

/**
 * Requires proof of identity before anything that grants access later or cannot be taken back: the password or, for a person
 * without one, a sign-in in the last ten minutes.
 */
export async function requirePresence(deps: Deps, viewer: Viewer, password: string): Promise<Proof> {
  requireNotImpersonated(viewer)
  const { person_id } = viewer
  if (await hasPassword(deps, person_id)) return requirePassword(deps, viewer, password)
  if (deps.clock.now().getTime() - Date.parse(viewer.created_at) > YOUNG_MS) {
    throw new DomainError(
      'invalid',
      'this change requires a recent sign-in; sign out, sign in again and repeat the change within 10 min',
    )
  }
  return { person_id, password_hash: null }
}

/** Whether a person has a password. A person who only signs in elsewhere has none. */
export async function hasPassword({ database }: Pick<Deps, 'database'>, person_id: number): Promise<boolean> {
  return (await findPasswordHash(database.people, person_id)) != null
}

/**
 * Whether the password of a proof is still the person's, and the person is enabled. Locks both until the transaction ends,
 * because proving a password takes a while.
 */
export async function holds(trx: Db, { person_id, password_hash }: Proof): Promise<boolean> {
  const now = await lockCredentials(trx, person_id)
  return now !== undefined && now.disabled_at === null && now.password_hash === password_hash
}

/** Refuses a proof if the password has changed since. */
export async function requireHolds(trx: Db, proof: Proof): Promise<void> {
  if (!(await holds(trx, proof))) throw wrongPassword()
}

/**
 * Changes the password, ends every other session of the person, and deletes links for setting a new password. Returns a new
 * device cookie for this browser, because those for the old password are void.
 */
export async function changePassword(
  deps: Deps,
  viewer: Viewer,
  { present, wanted }: { present: string; wanted: string },
): Promise<{ device: string }> {
  const proof = await requirePassword(deps, viewer, present)
  const password_hash = await hashPassword(wanted)
  await deps.database.people.transaction().execute(async (trx) => {
    await requireHolds(trx, proof)
    await replacePassword(trx, viewer.person_id, password_hash, viewer.session_hash)
  })
  return { device: newDevice(deps.random, password_hash) }
}

/**
 * Creates a link for setting a new password, valid for an hour, and returns the address for it. Returns undefined if no one who
 * may sign in has that address.
 */
export async function createPasswordReset(
  deps: Deps,
  email: string,
): Promise<{ token: string; email: string } | undefined> {
  if (email.length > 254 || !isStorable(email)) return undefined
  const person = await findCredentials(deps.database.people, email)
  if (!person || person.disabled_at !== null) return undefined
  const token = newToken('reset', deps.random)
  const expires_at = fromDate(new Date(deps.clock.now().getTime() + RESET_MS))
  const row = { token_hash: hashToken(token), person_id: person.person_id, expires_at }
  await insertPasswordReset(deps.database.people, row)
  return { token, email: person.email }
}

/** Returns the person whose password a link can set. Throws the same DomainError if the link is unknown, used or expired. */
export async function requirePasswordReset(deps: Deps, token: string): Promise<{ person_id: number }> {
  const now = fromDate(deps.clock.now())
  const found = looksLikeToken('reset', token)
    ? await findPasswordReset(deps.database.people, hashToken(token), now)
    : undefined
  if (!found) throw noSuchLink()
  return found
}

/**
 * Sets a new password by a link, once, and ends all sessions of the person. Their browser counts as known, because anyone with
 * the link can read their email.
 */
export async function resetPassword(deps: Deps, token: string, password: string): Promise<{ device: string }> {
  const { person_id } = await requirePasswordReset(deps, token)
  const password_hash = await hashPassword(password)
  await deps.database.people.transaction().execute(async (trx) => {
    // Runs before anything else: if two links are used at once, each deletes the other.
    await lockCredentials(trx, person_id)
    if (!(await deletePasswordReset(trx, hashToken(token)))) throw noSuchLink()
    await replacePassword(trx, person_id, password_hash)
    await updateEmailProved(trx, person_id, fromDate(deps.clock.now()))
  })
  return { device: newDevice(deps.random, password_hash) }
}

function wrongPassword(): DomainError {
  return new DomainError('invalid', 'incorrect password; try again')
}

function noSuchLink(): DomainError {
  return new DomainError('missing', 'this reset link is invalid or has expired; request a new link')
}
