// Signs up a person and their first organisation. If email is configured, an emailed link proves the address first.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, looksLikeToken, newToken } from '@dogwatch/runtime/tokens'
import { insertMember, insertOrganisation } from '@dogwatch/store/accounts/organisations'
import { findPersonByEmail, insertPerson, updateEmailClaimed, updateEmailProved } from '@dogwatch/store/accounts/people'
import { deleteSignUpLinks, findSignUpLink, insertSignUpLink } from '@dogwatch/store/accounts/sign-up-links'
import type { Db } from '@dogwatch/store/database'
import { recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { type DefaultPlan, startOn } from '../organisations/plans.ts'
import { requireName } from '../text.ts'
import { newDevice } from './device.ts'
import { hashPassword, requireEmail, requireLength } from './person.ts'
import { openSession, type SignedIn } from './sessions.ts'

export const OPEN_MS = 86_400_000

export interface SignUp {
  email: string
  password: string
  org_name: string
}

/** Returns a function for each field that throws if that field is invalid by itself, for forms. */
export function refusalsOfSignUp({ email, password, org_name }: Partial<SignUp>): readonly (() => unknown)[] {
  return [
    ...(email === undefined ? [] : [() => requireEmail('email', email)]),
    ...(password === undefined ? [] : [() => requireLength(password)]),
    ...(org_name === undefined ? [] : [() => requireName('org_name', org_name)]),
  ]
}

/** Creates a person and their organisation, and signs them in. Does not verify the address. */
export async function signUp(deps: Deps, wanted: SignUp, plan: DefaultPlan): Promise<SignedIn> {
  requireEmail('email', wanted.email)
  if (await findPersonByEmail(deps.database.people, wanted.email)) throw addressTaken()
  return make(deps, wanted, plan, {
    after: (trx, person_id) => updateEmailClaimed(trx, person_id, fromDate(deps.clock.now())),
  })
}

/**
 * Creates a link for signing up, valid for a day, and returns the address for it. Returns no token if that address has an
 * account.
 */
export async function createSignUpLink(deps: Deps, email: string): Promise<{ email: string; token?: string }> {
  requireEmail('email', email)
  const person = await findPersonByEmail(deps.database.people, email)
  // Returns the address of the account, and not one that looks like it.
  if (person) return { email: person.email }
  const token = newToken('signup', deps.random)
  const expires_at = fromDate(new Date(deps.clock.now().getTime() + OPEN_MS))
  await insertSignUpLink(deps.database.people, { token_hash: hashToken(token), email, expires_at })
  return { email, token }
}

/** Returns the address that a link was sent to. Throws the same DomainError if the link is unknown, used or expired. */
export async function requireSignUpLink(deps: Deps, token: string): Promise<{ email: string }> {
  const now = fromDate(deps.clock.now())
  const found = looksLikeToken('signup', token)
    ? await findSignUpLink(deps.database.people, hashToken(token), now)
    : undefined
  if (!found) throw noSuchLink()
  return found
}

/** Signs up with the address that the link was sent to, once. */
export async function signUpByLink(
  deps: Deps,
  token: string,
  { password, org_name }: Omit<SignUp, 'email'>,
  plan: DefaultPlan,
): Promise<SignedIn> {
  const { email } = await requireSignUpLink(deps, token)
  return make(deps, { email, password, org_name }, plan, {
    before: async (trx) => {
      if (!(await deleteSignUpLinks(trx, { token_hash: hashToken(token), email }))) throw noSuchLink()
    },
    after: (trx, person_id) => updateEmailProved(trx, person_id, fromDate(deps.clock.now())),
  })
}

async function make(
  deps: Deps,
  { email, password, org_name }: SignUp,
  plan: DefaultPlan,
  {
    before,
    after,
  }: { before?: (trx: Db) => Promise<void>; after?: (trx: Db, person_id: number) => Promise<void> } = {},
): Promise<SignedIn> {
  const name = requireName('org_name', org_name)
  const password_hash = await hashPassword(password)
  const { person_id, org_id } = await deps.database.people.transaction().execute(async (trx) => {
    await before?.(trx)
    if (!(await insertPerson(trx, { email, password_hash }))) throw addressTaken()
    const person = await findPersonByEmail(trx, email)
    if (!person) throw new Error('the account was not found immediately after it was created')
    await after?.(trx, person.person_id)
    const made = await insertOrganisation(trx, { name, ...startOn(plan) })
    await insertMember(trx, { org_id: made, person_id: person.person_id, is_owner: true })
    const by = { person_id: person.person_id, email: person.email, impersonator_email: null }
    await recordAuditEntry(trx, deps, by, { org_id: made, action: 'organisation.create', subject: name })
    return { person_id: person.person_id, org_id: made }
  })
  return { session: await openSession(deps, person_id, org_id), device: newDevice(deps.random, password_hash) }
}

function addressTaken(): DomainError {
  return new DomainError('conflict', 'an account with this address already exists; sign in or reset your password')
}

function noSuchLink(): DomainError {
  return new DomainError('missing', 'this sign-up link is invalid or has expired; sign up again')
}
