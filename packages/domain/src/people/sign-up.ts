// Signs up a person and their first organisation. If email is configured, an emailed link proves the address first.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, looksLikeToken, newToken } from '@dogwatch/runtime/tokens'
import { findPersonByEmail, insertPerson, updateEmailClaimed, updateEmailProved } from '@dogwatch/store/accounts/people'
import { deleteSignUpLinks, findSignUpLink, insertSignUpLink } from '@dogwatch/store/accounts/sign-up-links'
import type { Db } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { insertOwned } from '../organisations/organisation.ts'
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
  return createAccount(deps, wanted, plan, {
    taken: addressTaken,
    after: (trx, { person_id }) => updateEmailClaimed(trx, person_id, fromDate(deps.clock.now())),
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
  return createAccount(deps, { email, password, org_name }, plan, {
    taken: addressTaken,
    before: async (trx) => {
      if (!(await deleteSignUpLinks(trx, { token_hash: hashToken(token), email }))) throw noSuchLink()
    },
    after: (trx, { person_id }) => updateEmailProved(trx, person_id, fromDate(deps.clock.now())),
  })
}

/** Differences between the ways to create an account. */
interface AccountCreation {
  /** Returns the refusal of an address that has an account. */
  taken: () => DomainError
  before?: (trx: Db) => Promise<void>
  after: (trx: Db, created: { person_id: number; org_id: number }) => Promise<void>
}

/** Creates a person and their organisation in one transaction, and signs them in. */
export async function createAccount(
  deps: Deps,
  { email, password, org_name }: SignUp,
  plan: DefaultPlan,
  { taken, before, after }: AccountCreation,
): Promise<SignedIn> {
  const name = requireName('org_name', org_name)
  const password_hash = await hashPassword(password)
  const { person_id, org_id } = await deps.database.people.transaction().execute(async (trx) => {
    await before?.(trx)
    const person = await insertPerson(trx, { email, password_hash })
    if (!person) throw taken()
    const { person_id } = person
    const by = { ...person, impersonator_email: null }
    const created = { person_id, org_id: await insertOwned(trx, deps, { name, ...startOn(plan) }, person_id, by) }
    await after(trx, created)
    return created
  })
  return { session: await openSession(deps, person_id, org_id), device: newDevice(deps.random, password_hash) }
}

function addressTaken(): DomainError {
  return new DomainError('conflict', 'an account with this address already exists; sign in or reset your password')
}

function noSuchLink(): DomainError {
  return new DomainError('missing', 'this sign-up link is invalid or has expired; sign up again')
}
