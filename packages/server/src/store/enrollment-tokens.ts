// The tokens that let monitors in.
import type { Db } from './database.ts'
import { wireTime } from './wire-time.ts'

export async function insertEnrollmentToken(
  db: Db,
  row: { token_hash: Buffer; org_id: number | null; created_at: string; expires_at: string },
): Promise<void> {
  await db
    .insertInto('enrollment_tokens')
    .values({ ...row, revoked_at: null })
    .execute()
}

/** Whatever its state: the caller decides, so that the query costs the same for all three refusals. */
export async function findEnrollmentToken(
  db: Db,
  token_hash: Buffer,
  now: string,
): Promise<{ org_id: number | null; is_valid: boolean } | undefined> {
  return db
    .selectFrom('enrollment_tokens')
    .select((eb) => [
      'org_id',
      eb
        .and([eb('revoked_at', 'is', null), eb('expires_at', '>', now)])
        .$castTo<boolean>()
        .as('is_valid'),
    ])
    .where('token_hash', '=', token_hash)
    .executeTakeFirst()
}

export async function updateRevoked(
  db: Db,
  token_hash: Buffer,
  revoked_at: string,
): Promise<{ org_id: number | null } | undefined> {
  return db
    .updateTable('enrollment_tokens')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.cast<string>(eb.val(revoked_at), 'timestamptz')) }))
    .where('token_hash', '=', token_hash)
    .returning('org_id')
    .executeTakeFirst()
}

export interface OpenEnrollmentToken {
  /** In hex. It tells one token from another and lets nobody in. */
  token_hash: string
  created_at: string
  expires_at: string
}

/** An org's tokens that work (with null, the platform's), newest first. */
export async function listOpenEnrollmentTokens(
  db: Db,
  org_id: number | null,
  now: string,
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
    .execute()
}

/** Ends one of an org's own, unless that was done before. */
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
