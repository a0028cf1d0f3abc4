// Stores enrollment tokens, with which new agents enroll.
import { type Insertable, sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Slice } from '../slice.ts'
import type { Tables } from '../tables.ts'
import { wireTime } from '../wire-time.ts'

export async function insertEnrollmentToken(db: Db, row: Insertable<Tables['enrollment_tokens']>): Promise<void> {
  await db.insertInto('enrollment_tokens').values(row).execute()
}

/**
 * Finds an enrollment token in any state, so that the query costs the same for each reason to refuse it. The caller decides.
 */
export async function findEnrollmentToken(
  db: Db,
  token_hash: Buffer,
  now: string,
): Promise<{ org_id: number | null; created_by: number | null; is_valid: boolean } | undefined> {
  return db
    .selectFrom('enrollment_tokens as t')
    .leftJoin('organisations as o', 'o.org_id', 't.org_id')
    .leftJoin('people as p', 'p.person_id', 't.created_by')
    .select((eb) => [
      't.org_id',
      't.created_by',
      eb
        .and([
          eb('t.revoked_at', 'is', null),
          eb('t.expires_at', '>', now),
          eb('o.suspended_at', 'is', null),
          eb('p.disabled_at', 'is', null),
        ])
        .$castTo<boolean>()
        .as('is_valid'),
    ])
    .where('token_hash', '=', token_hash)
    .executeTakeFirst()
}

/** Revokes an enrollment token. If it was revoked before, keeps the first time, and `is_new` is false. */
export async function updateRevoked(
  db: Db,
  token_hash: Buffer,
  revoked_at: string,
): Promise<{ org_id: number | null; is_new: boolean } | undefined> {
  const { rows } = await sql<{ org_id: number | null; is_new: boolean }>`
    update enrollment_tokens t set revoked_at = coalesce(t.revoked_at, ${revoked_at}::timestamptz)
    from (select token_hash, revoked_at from enrollment_tokens where token_hash = ${token_hash} for update) was
    where t.token_hash = was.token_hash
    returning t.org_id, was.revoked_at is null as is_new`.execute(db)
  return rows[0]
}

export interface OpenEnrollmentToken {
  /** Hash of the enrollment token in hex. It identifies the token and grants no access. */
  token_hash: string
  created_at: string
  expires_at: string
}

/** Lists an org's valid tokens (with null, the shared fleet's), newest first. */
export async function listOpenEnrollmentTokens(
  db: Db,
  org_id: number | null,
  now: string,
  { limit, offset }: Slice,
): Promise<OpenEnrollmentToken[]> {
  return db
    .selectFrom('enrollment_tokens')
    .select((eb) => [
      eb.fn<string>('encode', ['token_hash', eb.val('hex')]).as('token_hash'),
      wireTime(eb.ref('created_at')).as('created_at'),
      wireTime(eb.ref('expires_at')).as('expires_at'),
    ])
    .where('org_id', 'is not distinct from', org_id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('token_hash')
    .limit(limit)
    .offset(offset)
    .execute()
}

/** Revokes one of an org's own enrollment tokens. Returns false if the org has no such valid token. */
export async function updateOwnRevoked(
  db: Db,
  { org_id, token_hash }: { org_id: number | null; token_hash: Buffer },
  revoked_at: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('enrollment_tokens')
    .set({ revoked_at })
    .where('token_hash', '=', token_hash)
    .where('org_id', 'is not distinct from', org_id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Revokes all tokens that a person created for an org. */
export async function updateEnrollmentTokensRevokedOf(
  db: Db,
  { org_id, person_id }: { org_id: number; person_id: number },
  revoked_at: string,
): Promise<void> {
  await db
    .updateTable('enrollment_tokens')
    .set({ revoked_at })
    .where('org_id', '=', org_id)
    .where('created_by', '=', person_id)
    .where('revoked_at', 'is', null)
    .execute()
}
