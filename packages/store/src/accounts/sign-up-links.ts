// Stores the links for signing up with the address that the link was emailed to.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

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

/**
 * Deletes a sign-up link and all others for the same address. If two requests use a link at once, one of them gets false. Locks
 * the rows in a fixed order, so that two requests cannot deadlock.
 */
export async function deleteSignUpLinks(
  db: Db,
  { token_hash, email }: { token_hash: Buffer; email: string },
): Promise<boolean> {
  const { rows } = await sql<{ is_there: boolean }>`
    with held as (
      select token_hash from sign_up_links where lower(email) = lower(${email}) order by token_hash for update
    ), gone as (
      delete from sign_up_links l using held where l.token_hash = held.token_hash returning l.token_hash
    )
    select exists (select from gone where token_hash = ${token_hash}) as is_there`.execute(db)
  return rows[0]?.is_there === true
}
