// Stores the secret that signs the links in alerts, in one row for all processes.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Finds the secret. Returns undefined before the first link. */
export async function findLinkSecret(db: Db): Promise<Buffer | undefined> {
  const row = await db.selectFrom('link_secret').select('secret').executeTakeFirst()
  return row?.secret
}

/** Stores the first secret, unless another process was faster. Returns the one that counts. */
export async function ensureLinkSecret(db: Db, secret: Buffer, created_at: string): Promise<Buffer> {
  await sql`
    insert into link_secret (secret, created_at) values (${secret}, ${created_at}::timestamptz)
    on conflict (is_the_one) do nothing`.execute(db)
  const stored = await findLinkSecret(db)
  if (!stored) throw new Error('another process deleted the secret that signs links before this process could read it')
  return stored
}

/** Replaces the secret, so that only links under the new one work. */
export async function replaceLinkSecret(db: Db, secret: Buffer, created_at: string): Promise<void> {
  await sql`
    insert into link_secret (secret, created_at) values (${secret}, ${created_at}::timestamptz)
    on conflict (is_the_one) do update set secret = excluded.secret, created_at = excluded.created_at`.execute(db)
}
