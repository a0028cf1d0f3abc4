// Stores what a browser has begun and must finish soon: a sign-in between its steps, a challenge, a visit to the provider.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { hashToken, looksLikeToken, newToken } from '@dogwatch/runtime/tokens'
import {
  deletePending,
  findPending as findRow,
  insertPending,
  type PendingRow,
} from '@dogwatch/store/accounts/pending-sign-ins'
import type { Db } from '@dogwatch/store/database'
import type { Deps } from '../deps.ts'

export const OPEN_MS = 600_000

/**
 * Kind of a pending action. `code`: the password was right, and a code must follow. `passkey-new`, `passkey`: a challenge.
 * `provider`: a visit to the OpenID provider.
 */
export type PendingKind = 'code' | 'passkey-new' | 'passkey' | 'provider'

/** Stores a pending action for ten minutes. Returns its token, which is for the browser alone. */
export async function begin(
  deps: Deps,
  what: { kind: PendingKind; person_id?: number; detail: object },
  db: Db = deps.database.people,
): Promise<string> {
  const token = newToken('pending', deps.random)
  const expires_at = fromDate(new Date(deps.clock.now().getTime() + OPEN_MS))
  const { kind, person_id = null, detail } = what
  await insertPending(db, { token_hash: hashToken(token), kind, person_id, detail, expires_at })
  return token
}

/** Finds a pending action, which stays open. */
export async function findBegun(deps: Deps, kind: PendingKind, token: string): Promise<PendingRow | undefined> {
  if (!looksLikeToken('pending', token)) return undefined
  return findRow(deps.database.people, { token_hash: hashToken(token), kind }, fromDate(deps.clock.now()))
}

/** Finds a pending action and deletes it, so that no one can use it again. */
export async function take(
  deps: Deps,
  kind: PendingKind,
  token: string,
  db: Db = deps.database.people,
): Promise<PendingRow | undefined> {
  if (!looksLikeToken('pending', token)) return undefined
  return deletePending(db, { token_hash: hashToken(token), kind }, fromDate(deps.clock.now()))
}
