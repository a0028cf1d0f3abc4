// Creates, revokes and verifies configuration tokens.

import { sealingKey } from '@dogwatch/runtime/sealed'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, looksLikeToken, newToken } from '@dogwatch/runtime/tokens'
import {
  type ConfigurationTokenRow,
  type ConfiguratorRow,
  countConfigurationTokens,
  findConfigurator,
  insertConfigurationToken,
  listConfigurationTokens,
  updateTokenUsed,
} from '@dogwatch/store/accounts/configuration-tokens'
import { findMember, findOwner, lockOrganisation } from '@dogwatch/store/accounts/organisations'
import type { Db } from '@dogwatch/store/database'
import ipaddr from 'ipaddr.js'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { existing } from '../organisations/existing.ts'
import { revokeToken } from '../organisations/revoke-token.ts'
import { isAtLeast, onlyManagers, roleOf } from '../organisations/roles.ts'
import { mostTokensListed, requireRoomForToken } from '../organisations/token-bounds.ts'
import { requireNotImpersonated } from '../people/sessions.ts'
import { requireName } from '../text.ts'
import { allows, isScope, SCOPES } from './scopes.ts'

export type { ConfigurationTokenRow }

/** A valid token and its holder. */
export interface Configurator extends Omit<ConfiguratorRow, 'is_within' | 'is_use_new'> {
  /** Key that seals stored responses with secrets. It is made from the text of the token, which the database does not contain. */
  answer_key: Buffer
}

const DAY_MS = 86_400_000
const MAX_DAYS = 3650

/**
 * Returns the holder of a token. Verifies token, person and membership each time, so that removed or disabled people lose access
 * at once. All refusals look alike, except for an address outside the token's range.
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
  if (!is_within) throw new DomainError('forbidden', 'this token cannot be used from your IP address')
  if (is_use_new) await updateTokenUsed(deps.database, found.token_id, { now, address: from })
  return { ...configurator, answer_key: sealingKey(token, 'kept answers') }
}

/** Refuses a token that lacks a scope. */
export function requireScope({ scopes }: Configurator, needed: string): void {
  if (!allows(scopes, needed)) throw new DomainError('forbidden', `this operation needs the scope ${needed}`)
}

/**
 * Returns an organisation's tokens without their texts, which are not stored: first the valid ones, then the revoked ones, each
 * newest first.
 */
export async function readConfigurationTokens(
  deps: Pick<Deps, 'database' | 'bounds'>,
  org_id: number,
): Promise<ConfigurationTokenRow[]> {
  return listConfigurationTokens(deps.database.people, org_id, mostTokensListed(deps))
}

export interface WantedToken {
  name: string
  scopes: readonly string[]
  /** Number of days until the token expires. Absent if it never expires. */
  days?: number
  /** Address or range that can use the token, such as `192.0.2.0/24`. Default: all addresses. */
  address_range?: string
}

/**
 * Creates a token and returns its text, which cannot be read later. `by` must be the owner or an admin of the organisation, and
 * not impersonated. If `by` is absent, an operator creates it for the owner.
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
    // The organisation is locked, so that a person who hands it over in the meantime creates no more tokens.
    existing(await lockOrganisation(trx, org_id))
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
    await recordAuditEntry(trx, deps, by, {
      org_id,
      action: 'configuration_token.create',
      subject: name,
      detail: { scopes: [...scopes] },
    })
  })
  return { token }
}

/** Revokes one of an organisation's tokens like {@link revokeToken}. */
export async function revokeConfigurationToken(
  deps: Deps,
  org_id: number,
  token_id: number,
  by?: Actor,
): Promise<void> {
  await revokeToken(deps, 'configuration_tokens', { org_id, token_id }, by)
}

/** Revokes a token like {@link revokeToken}, for operators. */
export async function revokeConfigurationTokenByText(deps: Deps, token: string): Promise<void> {
  await revokeToken(deps, 'configuration_tokens', { token_hash: hashToken(token) })
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

/**
 * Returns an address range in the form that Postgres uses for networks, or null for all addresses. Throws FieldError if it is
 * invalid.
 */
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

/** Returns an address in its canonical form, without a zone. Returns `::` if the caller has no valid address. */
function plainAddress(address: string): string {
  const [plain = ''] = address.split('%', 1)
  return ipaddr.isValid(plain) ? ipaddr.process(plain).toString() : '::'
}
