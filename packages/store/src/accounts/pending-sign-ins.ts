// Stores sign-ins that browsers have begun and not finished. Each row works once, within minutes.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export interface PendingRow {
  person_id: number | null
  detail: object
}

export async function insertPending(
  db: Db,
  row: { token_hash: Buffer; kind: string; person_id: number | null; detail: object; expires_at: string },
): Promise<void> {
  await db
    .insertInto('pending_sign_ins')
    .values({ ...row, detail: JSON.stringify(row.detail) })
    .execute()
}

export async function findPending(
  db: Db,
  { token_hash, kind }: { token_hash: Buffer; kind: string },
  now: string,
): Promise<PendingRow | undefined> {
  return db
    .selectFrom('pending_sign_ins')
    .select(['person_id', 'detail'])
    .where('token_hash', '=', token_hash)
    .where('kind', '=', kind)
    .where('expires_at', '>', sql<string>`${now}::timestamptz`)
    .executeTakeFirst()
}

/** Deletes the row of a pending sign-in and returns it. If two requests use it at once, one of them gets undefined. */
export async function deletePending(
  db: Db,
  { token_hash, kind }: { token_hash: Buffer; kind: string },
  now: string,
): Promise<PendingRow | undefined> {
  return db
    .deleteFrom('pending_sign_ins')
    .where('token_hash', '=', token_hash)
    .where('kind', '=', kind)
    .where('expires_at', '>', sql<string>`${now}::timestamptz`)
    .returning(['person_id', 'detail'])
    .executeTakeFirst()
}

/** Deletes all pending sign-ins of a person, because a new password ends them. */
export async function deletePendingOf(db: Db, person_id: number): Promise<void> {
  await db.deleteFrom('pending_sign_ins').where('person_id', '=', person_id).execute()
}
