// Links by which somebody signs up with the address that a link was sent to.
import { sql } from 'kysely'
import type { Db } from './database.ts'

export async function insertSignUpLink(
  db: Db,
  row: { token_hash: Buffer; email: string; expires_at: string },
): Promise<void> {
  await db.insertInto('sign_up_links').values(row).execute()
}

export async function findSignUpLink(db: Db, token_hash: Buffer, now: string): Promise<{ email: string } | undefined> {
  return db
    .selectFrom('sign_up_links')
    .select('email')
    .where('token_hash', '=', token_hash)
    .where('expires_at', '>', sql<string>`${now}::timestamptz`)
    .executeTakeFirst()
}

/** Of two that use a link at once, one finds it gone: false. The other links to that address go with it. */
export async function deleteSignUpLinks(
  db: Db,
  { token_hash, email }: { token_hash: Buffer; email: string },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sign_up_links')
    .where('token_hash', '=', token_hash)
    .executeTakeFirstOrThrow()
  await db.deleteFrom('sign_up_links').where(sql`lower(email)`, '=', sql`lower(${email})`).execute()
  return numDeletedRows > 0n
}

export async function deleteExpiredSignUpLinks(db: Db, now: string): Promise<void> {
  await db.deleteFrom('sign_up_links').where('expires_at', '<=', sql<string>`${now}::timestamptz`).execute()
}
