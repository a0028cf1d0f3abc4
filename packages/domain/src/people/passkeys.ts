// Adds, verifies and removes passkeys: a person's device proves who they are, and has checked that it is they who use it.
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  updatePasskeyName,
  updatePasskeyUsed,
} from '@dogwatch/store/accounts/passkeys'
import { lockCredentials } from '@dogwatch/store/accounts/people'
import { updateLastFactorGone } from '@dogwatch/store/accounts/second-factors'
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { requireName } from '../text.ts'
import { completeSignIn, type SignInStep } from './complete-sign-in.ts'
import { requirePresence } from './password.ts'
import { begin, take } from './pending.ts'
import { requireNotImpersonated, type SessionOrigin, type Viewer } from './sessions.ts'

export type { PasskeyRow }

/** Site of the passkeys. Browsers use them nowhere else. */
export interface Site {
  rp_id: string
  origin: string
}

const MOST = 20
const MAX_NAME = 50
const CHALLENGE_BYTES = 32

/**
 * Returns the site of a server. Returns undefined if browsers allow no passkeys: at addresses without a name, and without TLS.
 */
export function siteOf(public_url: string): Site | undefined {
  const { protocol, hostname, origin } = new URL(public_url)
  const isSafe = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')
  return isSafe && isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { rp_id: hostname, origin } : undefined
}

/** Challenge, and the request for the browser as JSON. */
export interface PasskeyChallenge {
  pending: string
  options: object
}

export async function readPasskeys(deps: Pick<Deps, 'database'>, person_id: number): Promise<PasskeyRow[]> {
  return listPasskeys(deps.database.people, person_id)
}

/** Begins to add a passkey. Requires the password, so that a stolen session cannot add one. */
export async function beginPasskey(
  deps: Deps,
  viewer: Viewer,
  site: Site,
  { password, name }: { password: string; name: string },
): Promise<PasskeyChallenge> {
  requireName('name', name, { max: MAX_NAME })
  await requirePresence(deps, viewer, password)
  const { person_id, email } = viewer
  const present = await listPasskeys(deps.database.people, person_id)
  if (present.length >= MOST)
    throw new DomainError('invalid', `you can have up to ${MOST} passkeys; remove a passkey to add another`)
  const options = await generateRegistrationOptions({
    rpName: 'Dogwatch',
    rpID: site.rp_id,
    userName: email,
    userDisplayName: email,
    userID: handleOf(person_id),
    challenge: Uint8Array.from(deps.random(CHALLENGE_BYTES)),
    attestationType: 'none',
    excludeCredentials: present.map(({ credential_id }) => ({ id: credential_id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  const detail = { challenge: options.challenge, name }
  return { pending: await begin(deps, { kind: 'passkey-new', person_id, detail }), options }
}

/** Adds the passkey that the browser made. */
export async function addPasskey(
  deps: Deps,
  viewer: Viewer,
  site: Site,
  { pending, response }: { pending: string; response: string },
): Promise<{ name: string }> {
  requireNotImpersonated(viewer)
  const { person_id } = viewer
  const begun = await take(deps, 'passkey-new', pending)
  if (begun?.person_id !== person_id) throw requestExpired()
  const { challenge, name } = begun.detail as { challenge: string; name: string }
  const { registrationInfo } = await verified(deps, () =>
    verifyRegistrationResponse({
      response: parsed(response) as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rp_id,
      requireUserVerification: true,
    }),
  )
  if (!registrationInfo) throw passkeyRefused()
  const { id, publicKey, counter, transports } = registrationInfo.credential
  const row = { credential_id: id, person_id, name, counter, public_key: Buffer.from(publicKey) }
  const created_at = fromDate(deps.clock.now())
  if (!(await insertPasskey(deps.database.people, { ...row, transports: transportsIn(transports), created_at }))) {
    throw new DomainError('conflict', 'this passkey is already added')
  }
  return { name }
}

export async function renamePasskey(deps: Deps, viewer: Viewer, credential_id: string, text: string): Promise<void> {
  requireNotImpersonated(viewer)
  const name = requireName('name', text.trim(), { max: MAX_NAME })
  const { person_id } = viewer
  if (!(await updatePasskeyName(deps.database.people, { credential_id, person_id }, name))) throw noSuchPasskey()
}

export async function removePasskey(
  deps: Deps,
  viewer: Viewer,
  credential_id: string,
  password: string,
): Promise<void> {
  await requirePresence(deps, viewer, password)
  const { person_id } = viewer
  if (!(await deletePasskey(deps.database.people, { credential_id, person_id }))) throw noSuchPasskey()
  await updateLastFactorGone(deps.database.people, person_id)
}

/** Creates a challenge for anyone who wants to sign in. The browser knows which passkeys it has. */
export async function beginPasskeySignIn(deps: Deps, site: Site): Promise<PasskeyChallenge> {
  const options = await generateAuthenticationOptions({
    rpID: site.rp_id,
    challenge: Uint8Array.from(deps.random(CHALLENGE_BYTES)),
    userVerification: 'required',
  })
  return { pending: await begin(deps, { kind: 'passkey', detail: { challenge: options.challenge } }), options }
}

/** Signs in by a passkey. It counts as two factors: the device, and the device's check of its owner. */
export async function signInByPasskey(
  deps: Deps,
  site: Site,
  { pending, response }: { pending: string; response: string },
  beginning: SessionOrigin,
): Promise<SignInStep> {
  const begun = await take(deps, 'passkey', pending)
  if (!begun) throw requestExpired()
  const { challenge } = begun.detail as { challenge: string }
  const answer = parsed(response) as AuthenticationResponseJSON
  const passkey = await findPasskey(deps.database.people, credentialOf(answer))
  if (!passkey)
    throw new DomainError('unauthenticated', 'this passkey is not linked to an account; sign in with your password')
  const { credential_id, person_id, public_key, counter } = passkey
  const { authenticationInfo } = await verified(deps, () =>
    verifyAuthenticationResponse({
      response: answer,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rp_id,
      credential: { id: credential_id, publicKey: Uint8Array.from(public_key), counter },
      requireUserVerification: true,
    }),
  )
  const used = { counter: authenticationInfo.newCounter, last_used_at: fromDate(deps.clock.now()) }
  return deps.database.people.transaction().execute(async (trx) => {
    const person = await lockCredentials(trx, person_id)
    if (!person || person.disabled_at !== null) throw passkeyRefused()
    if (!(await updatePasskeyUsed(trx, { credential_id, counter }, used))) throw passkeyRefused()
    return completeSignIn(trx, deps, person_id, { ...beginning, has_second_factor: true })
  })
}

/**
 * Returns the result of a verification, or refuses in one line and logs why. A counter that went back can mean that the passkey
 * was copied.
 */
async function verified<T extends { verified: boolean }>(deps: Deps, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work()
    if (result.verified) return result
  } catch (error) {
    deps.log.warn({ reason: error instanceof Error ? error.message.slice(0, 300) : 'unknown' }, 'a passkey was refused')
  }
  throw passkeyRefused()
}

/** Returns the names of ways to reach a passkey. Omits invalid ones, because a browser can send anything. */
export function transportsIn(given: unknown): string[] {
  const list: unknown[] = Array.isArray(given) ? given : []
  return list.filter((one) => typeof one === 'string' && /^[a-z-]{1,20}$/.test(one)).slice(0, 10) as string[]
}

/** Returns the id of a credential, or an empty text for an invalid one, because a browser can send anything. */
function credentialOf({ id }: { id: unknown }): string {
  return typeof id === 'string' && /^[\w-]{1,2048}$/.test(id) ? id : ''
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // A text that is no JSON is refused as well.
  }
  throw passkeyRefused()
}

/** Returns an identifier of a person for authenticators, which does not reveal who the person is. */
function handleOf(person_id: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(`dogwatch person ${person_id}`).digest())
}

function requestExpired(): DomainError {
  return new DomainError('unauthenticated', 'this request has expired; try again')
}

function passkeyRefused(): DomainError {
  return new DomainError('unauthenticated', 'the passkey was not accepted; try again or use your password')
}

function noSuchPasskey(): DomainError {
  return new DomainError('missing', 'passkey not found')
}
