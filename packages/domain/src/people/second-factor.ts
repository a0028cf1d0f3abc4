// Verifies the second step of signing in: codes of an authenticator app, and recovery codes for the day when the app is lost.
import { createHash } from 'node:crypto'
import type { Random } from '@dogwatch/runtime/random'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { lockCredentials } from '@dogwatch/store/accounts/people'
import {
  countRecoveryCodes,
  deleteTotp,
  findTotp,
  replaceRecoveryCodes,
  type TotpRow,
  updateLastFactorGone,
  updateRecoveryCodeUsed,
  updateTotpConfirmed,
  updateTotpStep,
  upsertUnconfirmedTotp,
} from '@dogwatch/store/accounts/second-factors'
import { deleteSessionsOf, updateSession } from '@dogwatch/store/accounts/sessions'
import type { Db } from '@dogwatch/store/database'
import { Secret, TOTP } from 'otpauth'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { requirePresence } from './password.ts'
import { requireNotImpersonated, type Viewer } from './sessions.ts'

const SECRET_BYTES = 20
const PERIOD_SEC = 30
/** Number of steps before and after the present one whose codes count as well, because clocks of phones are a little off. */
const WINDOW = 1
const CODES = 10
/** Number of random bytes in a recovery code. No one can try 80 bits, even with the hashes at hand. */
const CODE_BYTES = 10

export interface SecondFactor {
  /** Whether signing in requires a code. */
  isOn: boolean
  /** Number of recovery codes that are still unused. */
  codes_left: number
}

export async function readSecondFactor(deps: Pick<Deps, 'database'>, person_id: number): Promise<SecondFactor> {
  const { people } = deps.database
  const isOn = await asksForCode(people, person_id)
  return { isOn, codes_left: isOn ? await countRecoveryCodes(people, person_id) : 0 }
}

/** Whether this person needs a code to sign in. */
export async function asksForCode(db: Db, person_id: number): Promise<boolean> {
  const totp = await findTotp(db, person_id)
  return totp !== undefined && totp.confirmed_at !== null
}

/** Data for an authenticator app. */
export interface Enrolment {
  /** Secret in Base32, for typing. */
  secret: string
  /** Link for the app, which pages also show as a QR code. */
  uri: string
}

/** Begins to set up an authenticator app. Nothing changes before the person enters the app's first code. */
export async function beginTotp(deps: Deps, viewer: Viewer, password: string): Promise<void> {
  await requirePresence(deps, viewer, password)
  const secret = Buffer.from(deps.random(SECRET_BYTES))
  const row = { person_id: viewer.person_id, secret, created_at: fromDate(deps.clock.now()) }
  if (!(await upsertUnconfirmedTotp(deps.database.people, row))) throw appAlreadySetUp()
}

/** Returns the app that is being set up. Returns undefined if there is none, or its setup is complete. */
export async function readEnrolment(deps: Deps, viewer: Viewer): Promise<Enrolment | undefined> {
  requireNotImpersonated(viewer)
  const totp = await findTotp(deps.database.people, viewer.person_id)
  if (!totp || totp.confirmed_at !== null) return undefined
  const app = appOf(totp.secret, viewer.email)
  return { secret: app.secret.base32, uri: app.toString() }
}

/**
 * Completes the setup of an app by its first code, and ends every other session of the person. Returns the recovery codes, which
 * cannot be read again later.
 */
export async function confirmTotp(deps: Deps, viewer: Viewer, code: string): Promise<{ codes: string[] }> {
  requireNotImpersonated(viewer)
  const { person_id, session_hash } = viewer
  const codes = newCodes(deps.random)
  await deps.database.people.transaction().execute(async (trx) => {
    await lockCredentials(trx, person_id)
    const totp = await findTotp(trx, person_id)
    if (!totp) throw new DomainError('conflict', 'authenticator setup has expired; start again')
    if (totp.confirmed_at !== null) throw appAlreadySetUp()
    if (!(await useTotp(trx, deps, person_id, totp, code))) throw wrongCode()
    await updateTotpConfirmed(trx, person_id, fromDate(deps.clock.now()))
    await replaceRecoveryCodes(trx, person_id, codes.map(hashOf))
    await updateSession(trx, session_hash, { has_second_factor: true })
    await deleteSessionsOf(trx, person_id, session_hash)
  })
  return { codes }
}

/** Removes the app, so that signing in needs no code. Requires a code, so that a stolen session does not suffice. */
export async function removeTotp(deps: Deps, viewer: Viewer, code: string): Promise<void> {
  requireNotImpersonated(viewer)
  await deps.database.people.transaction().execute(async (trx) => {
    await lockCredentials(trx, viewer.person_id)
    if (!(await useCode(trx, deps, viewer.person_id, code))) throw wrongCode()
    await deleteTotp(trx, viewer.person_id)
    await updateLastFactorGone(trx, viewer.person_id)
  })
}

/** Replaces all recovery codes by new ones. */
export async function renewRecoveryCodes(deps: Deps, viewer: Viewer, code: string): Promise<{ codes: string[] }> {
  requireNotImpersonated(viewer)
  const codes = newCodes(deps.random)
  await deps.database.people.transaction().execute(async (trx) => {
    await lockCredentials(trx, viewer.person_id)
    if (!(await useCode(trx, deps, viewer.person_id, code))) throw wrongCode()
    await replaceRecoveryCodes(trx, viewer.person_id, codes.map(hashOf))
  })
  return { codes }
}

/** Uses up a code of the app, or a recovery code. Returns false if it is neither, or was used before. */
export async function useCode(trx: Db, deps: Deps, person_id: number, text: string): Promise<boolean> {
  const totp = await findTotp(trx, person_id)
  if (!totp || totp.confirmed_at === null) return false
  if (await useTotp(trx, deps, person_id, totp, text)) return true
  const code_hash = hashOf(text)
  return updateRecoveryCodeUsed(trx, { person_id, code_hash }, fromDate(deps.clock.now()))
}

async function useTotp(trx: Db, deps: Deps, person_id: number, { secret }: TotpRow, text: string): Promise<boolean> {
  const token = text.replaceAll(' ', '')
  if (!/^\d{6}$/.test(token)) return false
  const timestamp = deps.clock.now().getTime()
  const delta = appOf(secret, '').validate({ token, timestamp, window: WINDOW })
  if (delta === null) return false
  return updateTotpStep(trx, person_id, Math.floor(timestamp / 1000 / PERIOD_SEC) + delta)
}

function appOf(secret: Buffer, label: string): TOTP {
  // The buffer of a Buffer can contain other things as well.
  const { buffer } = Uint8Array.from(secret)
  return new TOTP({ issuer: 'Dogwatch', label, secret: new Secret({ buffer }), period: PERIOD_SEC })
}

/** Returns new recovery codes, such as `abcd-efgh-ijkl-mnop`. */
function newCodes(random: Random): string[] {
  return Array.from({ length: CODES }, () => {
    const { base32 } = new Secret({ buffer: Uint8Array.from(random(CODE_BYTES)).buffer })
    return (base32.toLowerCase().match(/.{4}/g) ?? []).join('-')
  })
}

/** Returns the hash of a code, however it is typed. A code of 80 random bits needs no slow hash. */
function hashOf(code: string): Buffer {
  const plain = code
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[^a-z2-7]/g, '')
  return createHash('sha256').update(`recovery:${plain}`).digest()
}

function appAlreadySetUp(): DomainError {
  return new DomainError('conflict', 'an authenticator app is already set up; remove the app first')
}

export function wrongCode(): DomainError {
  return new DomainError('invalid', 'this code is incorrect or already used; wait for a new code and try again')
}
