// Revokes tokens of either kind. A revoked token keeps its first revocation time.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

type TokenTable = 'configuration_tokens' | 'personal_access_tokens'

export interface RevokedToken {
  org_id: number
  token_id: number
  name: string
  /** Whether the token was not revoked before. */
  is_new: boolean
}

/** Revokes one of an org's tokens. Returns undefined if the org has no such token. */
export function updateTokenRevoked(
  db: Db,
  table: TokenTable,
  { org_id, token_id }: { org_id: number; token_id: number },
  revoked_at: string,
): Promise<RevokedToken | undefined> {
  return updateRevokedWhere(db, table, sql`org_id = ${org_id} and token_id = ${token_id}`, revoked_at)
}

/** Revokes the token with this hash, in any org. */
export function updateTokenRevokedByHash(
  db: Db,
  table: TokenTable,
  token_hash: Buffer,
  revoked_at: string,
): Promise<RevokedToken | undefined> {
  return updateRevokedWhere(db, table, sql`token_hash = ${token_hash}`, revoked_at)
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

async function updateRevokedWhere(
  db: Db,
  table: TokenTable,
  which: RawBuilder<unknown>,
  revoked_at: string,
): Promise<RevokedToken | undefined> {
  const { rows } = await sql<RevokedToken>`
    update ${sql.table(table)} t set revoked_at = coalesce(t.revoked_at, ${revoked_at}::timestamptz)
    from (select token_id, revoked_at from ${sql.table(table)} where ${which} for update) was
    where t.token_id = was.token_id
    returning t.org_id, t.token_id, t.name, was.revoked_at is null as is_new`.execute(db)
  return rows[0]
}
