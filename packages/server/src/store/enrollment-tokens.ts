// The tokens that let monitors in.
import type { Db } from './database.ts'

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

export async function updateRevoked(db: Db, token_hash: Buffer, revoked_at: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('enrollment_tokens')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.cast<string>(eb.val(revoked_at), 'timestamptz')) }))
    .where('token_hash', '=', token_hash)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
