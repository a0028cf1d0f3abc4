// Stores links for setting a new password.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export async function insertPasswordReset(
  db: Db,
  row: { token_hash: Buffer; person_id: number; expires_at: string },
): Promise<void> {
  await db.insertInto('password_resets').values(row).execute()
}

/** Finds the person of a link. Returns undefined for an unknown or expired link, or a disabled person. */
export async function findPasswordReset(
  db: Db,
  token_hash: Buffer,
  now: string,
): Promise<{ person_id: number } | undefined> {
  return db
    .selectFrom('password_resets as r')
    .innerJoin('people as p', (join) => join.onRef('p.person_id', '=', 'r.person_id').on('p.disabled_at', 'is', null))
    .select('r.person_id')
    .where('r.token_hash', '=', token_hash)
    .where('r.expires_at', '>', sql<string>`${now}::timestamptz`)
    .executeTakeFirst()
}

/** Deletes a link when it is used. If two requests use it at once, one of them gets false. */
export async function deletePasswordReset(db: Db, token_hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('password_resets')
    .where('token_hash', '=', token_hash)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function deletePasswordResetsOf(db: Db, person_id: number): Promise<void> {
  await db.deleteFrom('password_resets').where('person_id', '=', person_id).execute()
}
