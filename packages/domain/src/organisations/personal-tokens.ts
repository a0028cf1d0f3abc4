// Creates, revokes and verifies personal access tokens.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, looksLikeToken, newToken } from '@dogwatch/runtime/tokens'
import { findOwner, lockOrganisation } from '@dogwatch/store/accounts/organisations'
import {
  countPersonalTokens,
  findReader,
  hasReader,
  insertPersonalToken,
  listPersonalTokens,
  type PersonalTokenRow,
  type ReaderRow,
} from '@dogwatch/store/accounts/personal-tokens'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { requireNotImpersonated } from '../people/sessions.ts'
import { requireName } from '../text.ts'
import { existing } from './existing.ts'
import { revokeToken } from './revoke-token.ts'
import { mostTokensListed, requireRoomForToken } from './token-bounds.ts'

export type { PersonalTokenRow }

/** Valid token, which may read one organisation. */
export type Reader = ReaderRow

/**
 * Returns the holder of a token. Verifies token, person and membership each time, so that a person who was removed or disabled
 * has no access from that moment on. All refusals look alike.
 */
export async function authenticateReader(deps: Pick<Deps, 'database'>, token: string): Promise<Reader> {
  const reader = looksLikeToken('pat', token) ? await findReader(deps.database, hashToken(token)) : undefined
  if (!reader) throw new DomainError('unauthenticated', 'missing, malformed or unknown personal access token')
  return reader
}

/** Verifies a token again during a long request, and refuses it as if it were sent now. */
export async function requireReader(deps: Pick<Deps, 'database'>, reader: Reader): Promise<void> {
  if (!(await hasReader(deps.database, reader.token_id))) {
    throw new DomainError('unauthenticated', 'missing, malformed or unknown personal access token')
  }
}

/**
 * Returns an organisation's valid tokens, then the revoked ones, each newest first, without their texts, which are not stored.
 */
export async function readPersonalTokens(
  deps: Pick<Deps, 'database' | 'bounds'>,
  org_id: number,
): Promise<PersonalTokenRow[]> {
  return listPersonalTokens(deps.database.people, org_id, mostTokensListed(deps))
}

/**
 * Creates a token for the organisation's owner. Returns its text, which cannot be read again later. `by` must be the owner, and
 * no admin who impersonates them. It is absent if an operator creates the token.
 */
export async function createPersonalToken(
  deps: Deps,
  org_id: number,
  { name = '', by }: { name?: string; by?: Actor } = {},
): Promise<{ token: string }> {
  requireName('name', name, { mayBeBlank: by === undefined, max: 100 })
  requireNotImpersonated(by)
  const token = newToken('pat', deps.random)
  await deps.database.people.transaction().execute(async (trx) => {
    // Locked, so that a person who transfers the organisation in the meantime creates no more tokens.
    existing(await lockOrganisation(trx, org_id))
    const owner = await findOwner(trx, org_id)
    if (!owner) throw new Error(`organisation ${org_id} has no owner`)
    if (by && owner.person_id !== by.person_id) {
      throw new DomainError('forbidden', 'only the organisation owner can do this')
    }
    const counts = await countPersonalTokens(trx, { org_id, person_id: owner.person_id })
    requireRoomForToken(deps, 'API tokens', counts)
    const created_at = fromDate(deps.clock.now())
    const token_id = await insertPersonalToken(trx, {
      token_hash: hashToken(token),
      org_id,
      person_id: owner.person_id,
      name,
      created_at,
    })
    await recordAuditEntry(trx, deps, by, { org_id, action: 'api_token.create', subject: name || `number ${token_id}` })
  })
  return { token }
}

/** Revokes one of an organisation's tokens like {@link revokeToken}. */
export async function revokeOwnPersonalToken(deps: Deps, org_id: number, token_id: number, by: Actor): Promise<void> {
  await revokeToken(deps, 'personal_access_tokens', { org_id, token_id }, by)
}

/** Revokes a token like {@link revokeToken}, for operators. */
export async function revokePersonalToken(deps: Deps, token: string): Promise<void> {
  await revokeToken(deps, 'personal_access_tokens', { token_hash: hashToken(token) })
}
