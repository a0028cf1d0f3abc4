// Revokes tokens of either kind. A revoked token keeps its first revocation time.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type TokenTable = 'configuration_tokens' | 'personal_access_tokens'

export interface RevokedToken {
  org_id: number
  token_id: number
  name: string
  /** Whether the token was not revoked before. */
  is_new: boolean
}

/** One of an org's tokens, or the token with a hash, in any org. */
export type WhichToken = { org_id: number; token_id: number } | { token_hash: Buffer }

/** Revokes a token. Returns undefined if there is no such token. */
export async function updateTokenRevoked(
  db: Db,
  table: TokenTable,
  token: WhichToken,
  revoked_at: string,
): Promise<RevokedToken | undefined> {
  const which =
    'token_hash' in token
      ? sql`token_hash = ${token.token_hash}`
      : sql`org_id = ${token.org_id} and token_id = ${token.token_id}`
  const { rows } = await sql<RevokedToken>`
    update ${sql.table(table)} t set revoked_at = coalesce(t.revoked_at, ${revoked_at}::timestamptz)
    from (select token_id, revoked_at from ${sql.table(table)} where ${which} for update) was
    where t.token_id = was.token_id
    returning t.org_id, t.token_id, t.name, was.revoked_at is null as is_new`.execute(db)
  return rows[0]
}

/** Revokes all tokens that a person made for an org. */
export async function updateTokensRevokedOf(
  db: Db,
  table: TokenTable,
  { org_id, person_id }: { org_id: number; person_id: number },
  revoked_at: string,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set revoked_at = ${revoked_at}::timestamptz
    where org_id = ${org_id} and person_id = ${person_id} and revoked_at is null`.execute(db)
}
