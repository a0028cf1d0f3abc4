// Signs people in by the OpenID provider of this server: decides whose account it is here, and who gets a new one.
import {
  type OpenIdProvider,
  ProviderAway,
  type ProviderClaims,
  ProviderRefused,
  type SignInAttempt,
} from '@dogwatch/runtime/openid'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { findPersonByEmail, hasClaimedEmail, lockCredentials, updateEmailProved } from '@dogwatch/store/accounts/people'
import {
  deleteProviderAccounts,
  findPersonOfProvider,
  hasProviderAccount,
  insertProviderAccount,
  isInvited,
  updateProviderUsed,
} from '@dogwatch/store/accounts/provider-accounts'
import type { Db } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { completeSignIn, type SignInStep } from './complete-sign-in.ts'
import { requirePresence } from './password.ts'
import { begin, take } from './pending.ts'
import { findOrCreatePerson, requireEmail } from './person.ts'
import { requireNotImpersonated, type SessionOrigin, type Viewer } from './sessions.ts'
import type { SignUpMode } from './sign-up-mode.ts'

/** OpenID provider, and the rules that say whom this server lets in. */
export interface Provider {
  /** Name of the provider on the button for signing in. */
  name: string
  openid: OpenIdProvider
  /** Allowed domains, in lower case. Empty if any domain is allowed. */
  allowed_domains: readonly string[]
  /** Groups that a person must be in at least one of. Empty if no group is required. */
  required_groups: readonly string[]
  groups_claim: string
}

/** Purpose of a visit, as it is stored while the browser is at the provider. */
interface PendingVisit extends SignInAttempt {
  to: string
  /** Id of the person whose account will be linked. Absent if a person signs in. */
  link?: number
}

/** Address to send the browser to, and the token that identifies it when it comes back. */
export interface BegunVisit {
  address: string
  pending: string
}

/** Begins to sign in. `to`: page that the person sees afterwards. */
export function visitProvider(deps: Deps, provider: Provider, to: string): Promise<BegunVisit> {
  return visit(deps, provider, { to })
}

/** Begins to link the viewer's account with one at the provider. Requires the password, because the link grants access later. */
export async function visitProviderToLink(
  deps: Deps,
  provider: Provider,
  viewer: Viewer,
  password: string,
): Promise<BegunVisit> {
  await requirePresence(deps, viewer, password)
  return visit(deps, provider, { to: '/account', link: viewer.person_id })
}

async function visit(
  deps: Deps,
  { openid, name }: Provider,
  what: Pick<PendingVisit, 'to' | 'link'>,
): Promise<BegunVisit> {
  const text = () => Buffer.from(deps.random(32)).toString('base64url')
  const known: SignInAttempt = { state: text(), nonce: text(), verifier: text() }
  const address = await asked(deps, name, () => openid.addressFor(known))
  return { address, pending: await begin(deps, { kind: 'provider', detail: { ...known, ...what } }) }
}

/** Outcome of a visit. `to`: page that the person sees afterwards. */
export type Return = { kind: 'linked'; to: string } | { kind: 'step'; step: SignInStep; to: string }

/**
 * Completes a visit when the browser is back. `pending` is the browser's own cookie, so that another person's address with a
 * valid state has no use. A visit counts once, whatever its outcome.
 */
export async function returnFromProvider(
  deps: Deps,
  provider: Provider,
  {
    pending,
    query,
    viewer,
    sign_up,
  }: { pending: string; query: string; viewer: Viewer | undefined; sign_up: SignUpMode },
  beginning: SessionOrigin,
): Promise<Return> {
  const found = await take(deps, 'provider', pending)
  if (!found)
    throw new DomainError('unauthenticated', 'this sign-in has expired or was started in another browser; try again')
  const begun = found.detail as PendingVisit
  const claims = await asked(deps, provider.name, () => provider.openid.claimsOf(query, begun))
  requireAllowed(provider, claims)
  if (begun.link === undefined) {
    const step = await signIn(deps, provider, claims, sign_up, beginning)
    return { kind: 'step', step, to: begun.to }
  }
  if (viewer?.person_id !== begun.link)
    throw new DomainError('forbidden', 'you were signed out before the account was linked; sign in and try again')
  requireNotImpersonated(viewer)
  await link(deps, provider, claims, viewer)
  return { kind: 'linked', to: begun.to }
}

/** Whether the viewer's account is linked with one at the provider. */
export async function isLinked(deps: Deps, { openid }: Provider, person_id: number): Promise<boolean> {
  return hasProviderAccount(deps.database.people, person_id, openid.issuer)
}

export async function unlinkProvider(deps: Deps, viewer: Viewer, password: string): Promise<void> {
  await requirePresence(deps, viewer, password)
  await deleteProviderAccounts(deps.database.people, viewer.person_id)
}

async function link(deps: Deps, { name }: Provider, key: ProviderClaims, { person_id }: Viewer): Promise<void> {
  const { issuer, subject } = key
  const created_at = fromDate(deps.clock.now())
  if (await insertProviderAccount(deps.database.people, { issuer, subject, person_id, created_at })) return
  const owner = await findPersonOfProvider(deps.database.people, key)
  if (owner?.person_id !== person_id) {
    throw new DomainError('conflict', `this ${name} account is already linked to another user`)
  }
}

async function signIn(
  deps: Deps,
  provider: Provider,
  claims: ProviderClaims,
  sign_up: SignUpMode,
  beginning: SessionOrigin,
): Promise<SignInStep> {
  const now = fromDate(deps.clock.now())
  return deps.database.people.transaction().execute(async (trx) => {
    const known = await findPersonOfProvider(trx, claims)
    const person_id = known?.person_id ?? (await findOrCreate(trx, deps, provider, claims, sign_up))
    const person = await lockCredentials(trx, person_id)
    if (!person || person.disabled_at !== null) {
      throw new DomainError('forbidden', 'this account is disabled; contact the operator of this server')
    }
    await updateProviderUsed(trx, claims, now)
    // The provider has requested a second factor only if it says so. Otherwise, a person who has a second factor here must use it
    // here.
    const has_second_factor = textsOf(claims.claims.amr).includes('mfa')
    return completeSignIn(trx, deps, person_id, { ...beginning, has_second_factor })
  })
}

/**
 * Finds the person who has proved the address, or creates one. Links them from now on, because the address can change at the
 * provider.
 */
async function findOrCreate(
  trx: Db,
  deps: Deps,
  { name }: Provider,
  claims: ProviderClaims,
  sign_up: SignUpMode,
): Promise<number> {
  const now = fromDate(deps.clock.now())
  const email = provedEmail(name, claims)
  const { issuer, subject } = claims
  const known = await findPersonByEmail(trx, email)
  if (known && (await hasClaimedEmail(trx, known.person_id))) {
    // The person who signed up with this address never proved that it is theirs, and must not get into the account of its owner.
    const line = `${email} already has an account; sign in with its password and link it with ${name} under Account`
    throw new DomainError('conflict', line)
  }
  if (!known) await requireMayCreate(trx, email, sign_up, now)
  const { person_id } = known ?? (await findOrCreatePerson(trx, email, null))
  await updateEmailProved(trx, person_id, now)
  await insertProviderAccount(trx, { issuer, subject, person_id, created_at: now })
  deps.log.info({ person_id, is_new: !known }, 'an account is linked with the OpenID provider')
  return person_id
}

async function requireMayCreate(trx: Db, email: string, sign_up: SignUpMode, now: string): Promise<void> {
  if (sign_up === 'open' || (sign_up === 'invited' && (await isInvited(trx, email, now)))) return
  const how =
    sign_up === 'invited' ? 'ask the owner of an organisation for an invitation' : 'contact the operator of this server'
  throw new DomainError('forbidden', `there is no account for ${email} on this server; ${how}`)
}

function provedEmail(name: string, { claims: { email, email_verified } }: ProviderClaims): string {
  if (typeof email !== 'string' || email_verified !== true) {
    throw new DomainError(
      'forbidden',
      `your email address is not verified at ${name}; verify the address there and sign in again`,
    )
  }
  try {
    return requireEmail('email', email)
  } catch {
    throw new DomainError(
      'forbidden',
      `your email address at ${name} is not valid on this server; change the address at ${name}`,
    )
  }
}

function requireAllowed(
  { name, allowed_domains, required_groups, groups_claim }: Provider,
  given: ProviderClaims,
): void {
  if (allowed_domains.length > 0) {
    const domain = provedEmail(name, given).toLowerCase().split('@').at(-1) ?? ''
    if (!allowed_domains.includes(domain)) {
      throw new DomainError('forbidden', `email addresses at ${domain} cannot be used to sign in to this server`)
    }
  }
  if (required_groups.length === 0) return
  const groups = textsOf(given.claims[groups_claim])
  if (required_groups.some((group) => groups.includes(group))) return
  throw new DomainError('forbidden', `your ${name} account is not in a group that can sign in to this server`)
}

/** Returns one text, or a list of texts, as a list. Omits everything else. */
function textsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((one) => typeof one === 'string')
}

/** Requests something from the provider. Logs the reason of a failure, and throws a line that says what the person can do. */
async function asked<T>(deps: Deps, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProviderAway) {
      deps.log.warn({ reason: error.message }, 'the OpenID provider does not answer')
      throw new DomainError('unauthenticated', `${name} is not responding; try again or sign in with your password`)
    }
    if (error instanceof ProviderRefused) {
      deps.log.warn({ reason: error.message }, 'a sign-in by the OpenID provider was refused')
      throw new DomainError('unauthenticated', `${name} did not confirm the sign-in; try again`)
    }
    throw error
  }
}
