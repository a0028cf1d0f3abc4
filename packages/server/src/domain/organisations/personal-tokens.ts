// Personal access tokens: minting, revoking, and who holds one.
import { fromDate } from '../../runtime/timestamps.ts'
import { hashToken, looksLikeToken, newToken } from '../../runtime/tokens.ts'
import { findOwner } from '../../store/organisations.ts'
import {
  findReader,
  insertPersonalToken,
  type ReaderRow,
  updatePersonalTokenRevoked,
} from '../../store/personal-tokens.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'

/** The holder of a token: it reads one org. */
export type Reader = ReaderRow

/**
 * Whose token it is. Token, person and membership are proved each time: one that was removed or disabled is refused
 * from that moment on, and all refusals look alike.
 */
export async function authenticateReader(deps: Pick<Deps, 'database'>, token: string): Promise<Reader> {
  const reader = looksLikeToken('pat', token) ? await findReader(deps.database, hashToken(token)) : undefined
  if (!reader) throw new DomainError('unauthenticated', 'missing, malformed or unknown personal access token')
  return reader
}

/** A token for the org's owner. This is the only time that its text can be had. */
export async function createPersonalToken(deps: Deps, org_id: number): Promise<{ token: string }> {
  const owner = await findOwner(deps.database.db, org_id)
  if (!owner) throw new DomainError('missing', 'no organisation with that id')
  const token = newToken('pat', deps.random)
  await insertPersonalToken(deps.database.db, { token_hash: hashToken(token), org_id, person_id: owner.person_id })
  return { token }
}

/** Ends a token at once. Revoking one again changes nothing. */
export async function revokePersonalToken(deps: Deps, token: string): Promise<void> {
  const found = await updatePersonalTokenRevoked(deps.database.db, hashToken(token), fromDate(deps.clock.now()))
  if (!found) throw new DomainError('missing', 'no such personal access token')
}
