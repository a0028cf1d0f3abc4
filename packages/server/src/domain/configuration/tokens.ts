// Configuration tokens: creating, revoking and verifying them.
import ipaddr from 'ipaddr.js'
import { fromDate } from '../../runtime/timestamps.ts'
import { sealingKey } from '../../runtime/sealed.ts'
import { hashToken, looksLikeToken, newToken } from '../../runtime/tokens.ts'
import {
  type ConfigurationTokenRow,
  type ConfiguratorRow,
  countConfigurationTokens,
  findConfigurator,
  insertConfigurationToken,
  listConfigurationTokens,
  updateConfigurationTokenRevoked,
  updateConfigurationTokenRevokedByHash,
  updateTokenUsed,
} from '../../store/accounts/configuration-tokens.ts'
import { findMember, findOwner, lockOrganisation } from '../../store/accounts/organisations.ts'
import type { Db } from '../../store/database.ts'
import { type Actor, recordDeed } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { isAtLeast, onlyManagers, roleOf } from '../organisations/roles.ts'
import { mostTokensListed, requireRoomForToken } from '../organisations/token-bounds.ts'
import { requireNotImpersonated } from '../people/sessions.ts'
import { requireName } from '../text.ts'
import { allows, isScope, SCOPES } from './scopes.ts'

export type { ConfigurationTokenRow }

/** A valid token, and whose it is. */
export interface Configurator extends Omit<ConfiguratorRow, 'is_within' | 'is_use_new'> {
  /** Seals kept answers that hold a secret. It is made from the token's text, which is not stored. */
  answer_key: Buffer
}

const DAY_MS = 86_400_000
const MAX_DAYS = 3650

/**
 * The holder of a token that is used from an address. Token, person and membership are verified each time: whoever was removed or
 * disabled is refused from that moment on. All refusals look alike, but that of an address outside the token's range.
 */
export async function authenticateConfigurator(
  deps: Pick<Deps, 'database' | 'clock'>,
  token: string,
  address: string,
): Promise<Configurator> {
  const now = fromDate(deps.clock.now())
  const from = plainAddress(address)
  const found = looksLikeToken('cfg', token)
    ? await findConfigurator(deps.database, hashToken(token), { now, address: from })
    : undefined
  if (!found) throw new DomainError('unauthenticated', 'missing, malformed or unknown configuration token')
  const { is_within, is_use_new, ...configurator } = found
  if (!is_within) throw new DomainError('forbidden', 'this token cannot be used from your address')
  if (is_use_new) await updateTokenUsed(deps.database, found.token_id, { now, address: from })
  return { ...configurator, answer_key: sealingKey(token, 'kept answers') }
}

/** Refuses a token that lacks a scope. */
export function requireScope({ scopes }: Configurator, needed: string): void {
  if (!allows(scopes, needed)) throw new DomainError('forbidden', `this operation needs the scope ${needed}`)
}

/** An org's valid tokens, then the revoked ones, each newest first, without their texts, which are not stored. */
export async function readConfigurationTokens(
  deps: Pick<Deps, 'database' | 'bounds'>,
  org_id: number,
): Promise<ConfigurationTokenRow[]> {
  return listConfigurationTokens(deps.database.people, org_id, mostTokensListed(deps))
}

export interface WantedToken {
  name: string
  scopes: readonly string[]
  /** After how many days it stops working; undefined: never. */
  days?: number
  /** An address or a range, `192.0.2.0/24`; empty: all addresses. */
  address_range?: string
}

/**
 * Creates a token for a person of the org. This is the only time that its text can be read. `by` must be its owner or an admin of it,
 * and not somebody who impersonates them; left out, an operator does it for the owner.
 */
export async function createConfigurationToken(
  deps: Deps,
  org_id: number,
  wanted: WantedToken,
  by?: Actor,
): Promise<{ token: string }> {
  requireNotImpersonated(by)
  const { name, days, scopes } = wanted
  requireName('name', name, { max: 100 })
  const address_range = readRange(wanted.address_range ?? '')
  const unknown = scopes.find((scope) => !isScope(scope))
  if (unknown !== undefined || scopes.length === 0) {
    throw new FieldError('invalid', 'scopes', `must be one or more of ${SCOPES.join(', ')}`)
  }
  if (days !== undefined && (!Number.isInteger(days) || days < 1 || days > MAX_DAYS)) {
    throw new FieldError('invalid', 'days', `must be a whole number from 1 to ${MAX_DAYS}`)
  }
  const token = newToken('cfg', deps.random)
  await deps.database.people.transaction().execute(async (trx) => {
    // Locked, so that whoever hands the org over meanwhile creates no more tokens.
    if (!(await lockOrganisation(trx, org_id))) throw new DomainError('missing', 'no organisation with that id')
    const maker = await findMaker(trx, org_id, by)
    const now = deps.clock.now()
    const created_at = fromDate(now)
    const of_org = await countConfigurationTokens(trx, org_id, created_at)
    requireRoomForToken(deps, 'configuration tokens', { of_org })
    await insertConfigurationToken(trx, {
      token_hash: hashToken(token),
      org_id,
      person_id: maker,
      name,
      scopes: SCOPES.filter((scope) => scopes.includes(scope)),
      address_range,
      created_at,
      expires_at: days === undefined ? null : fromDate(new Date(now.getTime() + days * DAY_MS)),
    })
    await recordDeed(trx, deps, by, {
      org_id,
      action: 'configuration_token.create',
      subject: name,
      detail: { scopes: [...scopes] },
    })
  })
  return { token }
}

/** Revokes one of an org's tokens at once. Revoking it again changes nothing. */
export async function revokeConfigurationToken(
  deps: Deps,
  org_id: number,
  token_id: number,
  by?: Actor,
): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    const found = await updateConfigurationTokenRevoked(trx, { org_id, token_id }, fromDate(deps.clock.now()))
    if (!found) throw new DomainError('missing', 'configuration token not found')
    if (!found.is_new) return
    await recordDeed(trx, deps, by, { org_id, action: 'configuration_token.revoke', subject: found.name })
  })
}

/** Revokes a token at once, for operators. Revoking it again changes nothing. */
export async function revokeConfigurationTokenByText(deps: Deps, token: string): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    const found = await updateConfigurationTokenRevokedByHash(trx, hashToken(token), fromDate(deps.clock.now()))
    if (!found) throw new DomainError('missing', 'configuration token not found')
    const { org_id, name, is_new } = found
    if (!is_new) return
    await recordDeed(trx, deps, undefined, { org_id, action: 'configuration_token.revoke', subject: name })
  })
}

async function findMaker(trx: Db, org_id: number, by: Actor | undefined): Promise<number> {
  if (by === undefined) {
    const owner = await findOwner(trx, org_id)
    if (!owner) throw new Error(`organisation ${org_id} has no owner`)
    return owner.person_id
  }
  const member = await findMember(trx, org_id, by.person_id)
  if (!member || !isAtLeast(roleOf(member), 'admin')) throw onlyManagers()
  return member.person_id
}

/** In the form that Postgres has for networks; null: all addresses. */
export function readRange(text: string): string | null {
  const given = text.trim()
  if (given === '') return null
  try {
    // A zone, as in fe80::1%eth0, means something on one machine alone, and no network has one.
    if (given.includes('%')) throw new Error('a zone')
    if (!given.includes('/')) {
      const address = ipaddr.process(given)
      return `${address.toString()}/${address.kind() === 'ipv4' ? 32 : 128}`
    }
    const [address, bits] = ipaddr.parseCIDR(given)
    const network = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
    return `${network.networkAddressFromCIDR(given).toString()}/${bits}`
  } catch {
    throw new FieldError('invalid', 'address_range', 'must be an IP address or range, such as 192.0.2.0/24')
  }
}

/** The same address has one form, without a zone; whoever has none is nowhere. */
function plainAddress(address: string): string {
  const [plain = ''] = address.split('%', 1)
  return ipaddr.isValid(plain) ? ipaddr.process(plain).toString() : '::'
}
