// Completes every way of signing in: with a session, or with the request for a code before it.
import { findPasswordHash, findPersonById, lockCredentials } from '@dogwatch/store/accounts/people'
import type { Db } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { newDevice } from './device.ts'
import { begin, findBegun, take } from './pending.ts'
import { asksForCode, useCode, wrongCode } from './second-factor.ts'
import { openSession, type SessionOrigin } from './sessions.ts'

/** Next step for a browser: a session, or a token to send with the code that is still to come. */
export type SignInStep = { kind: 'in'; session: string; device?: string } | { kind: 'code'; pending: string }

/**
 * Signs in a person who has proved their identity, by a password or otherwise. Requests a code first if they have an
 * authenticator app and gave no second factor yet. The caller must hold the lock of the person's row.
 */
export async function completeSignIn(
  trx: Db,
  deps: Deps,
  person_id: number,
  beginning: SessionOrigin,
): Promise<SignInStep> {
  if (beginning.has_second_factor !== true && (await asksForCode(trx, person_id))) {
    return { kind: 'code', pending: await begin(deps, { kind: 'code', person_id, detail: {} }, trx) }
  }
  const session = await openSession(deps, person_id, undefined, trx, beginning)
  const password_hash = await findPasswordHash(trx, person_id)
  return { kind: 'in', session, ...(password_hash != null && { device: newDevice(deps.random, password_hash) }) }
}

/** Returns the person whose code is awaited, for limits. Throws DomainError if the token is unknown or too old. */
export async function requireAwaited(deps: Deps, pending: string): Promise<{ person_id: number; email: string }> {
  const found = await findBegun(deps, 'code', pending)
  const person = found?.person_id == null ? undefined : await findPersonById(deps.database.people, found.person_id)
  if (!person) throw signInExpired()
  return person
}

/** Signs in by the code of the second step. A wrong code leaves the first step valid. */
export async function signInByCode(
  deps: Deps,
  pending: string,
  code: string,
  beginning: SessionOrigin,
): Promise<SignInStep> {
  const { person_id } = await requireAwaited(deps, pending)
  return deps.database.people.transaction().execute(async (trx) => {
    const person = await lockCredentials(trx, person_id)
    if (!person || person.disabled_at !== null) throw signInExpired()
    if (!(await useCode(trx, deps, person_id, code))) throw wrongCode()
    if (!(await take(deps, 'code', pending, trx))) throw signInExpired()
    return completeSignIn(trx, deps, person_id, { ...beginning, has_second_factor: true })
  })
}

function signInExpired(): DomainError {
  return new DomainError('unauthenticated', 'this sign-in has expired; sign in again')
}
