// Personal access tokens: who reads which org.
import type { Database, Db } from './database.ts'

export interface ReaderRow {
  token_id: number
  org_id: number
}

// One statement proves the token, the person and the membership, so that none of them can lag behind.
const FIND = {
  name: 'reader-find',
  text: `
    select t.token_id, t.org_id from personal_access_tokens t
    join people p on p.person_id = t.person_id and p.disabled_at is null
    join members m on m.org_id = t.org_id and m.person_id = t.person_id
    where t.token_hash = $1 and t.revoked_at is null`,
}

export async function findReader(database: Database, token_hash: Buffer): Promise<ReaderRow | undefined> {
  const { rows } = await database.durable.query<ReaderRow>({ ...FIND, values: [token_hash] })
  return rows[0]
}

export async function insertPersonalToken(
  db: Db,
  row: { token_hash: Buffer; org_id: number; person_id: number },
): Promise<void> {
  await db
    .insertInto('personal_access_tokens')
    .values({ ...row, revoked_at: null })
    .execute()
}

export async function updatePersonalTokenRevoked(db: Db, token_hash: Buffer, revoked_at: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('personal_access_tokens')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.cast<string>(eb.val(revoked_at), 'timestamptz')) }))
    .where('token_hash', '=', token_hash)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
