// Stores which account at the OpenID provider belongs to whom.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export interface ProviderKey {
  issuer: string
  subject: string
}

export async function findPersonOfProvider(
  db: Db,
  { issuer, subject }: ProviderKey,
): Promise<{ person_id: number } | undefined> {
  return db
    .selectFrom('provider_accounts')
    .select('person_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

/** Stores an account. Returns false if it already belongs to a person. */
export async function insertProviderAccount(
  db: Db,
  row: ProviderKey & { person_id: number; created_at: string },
): Promise<boolean> {
  const inserted = await db
    .insertInto('provider_accounts')
    .values({ ...row, last_used_at: row.created_at })
    .onConflict((conflict) => conflict.doNothing())
    .returning('person_id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function updateProviderUsed(
  db: Db,
  { issuer, subject }: ProviderKey,
  last_used_at: string,
): Promise<void> {
  await db
    .updateTable('provider_accounts')
    .set({ last_used_at })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

export async function hasProviderAccount(db: Db, person_id: number, issuer: string): Promise<boolean> {
  const row = await db
    .selectFrom('provider_accounts')
    .select('person_id')
    .where('person_id', '=', person_id)
    .where('issuer', '=', issuer)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteProviderAccounts(db: Db, person_id: number): Promise<void> {
  await db.deleteFrom('provider_accounts').where('person_id', '=', person_id).execute()
}

/** Whether an address has an open invitation to an organisation that is not suspended, from an enabled person. */
export async function isInvited(db: Db, email: string, now: string): Promise<boolean> {
  const { rows } = await sql`
    select from invitations i
    join organisations o on o.org_id = i.org_id and o.suspended_at is null
    join people p on p.person_id = i.invited_by and p.disabled_at is null
    where lower(i.email) = lower(${email}) and i.expires_at > ${now}::timestamptz limit 1`.execute(db)
  return rows.length > 0
}
