// People: who may sign in, and be a member.
import { sql } from 'kysely'
import type { Db } from './database.ts'

export interface PersonRow {
  person_id: number
  email: string
}

export async function findPersonByEmail(db: Db, email: string): Promise<PersonRow | undefined> {
  return db
    .selectFrom('people')
    .select(['person_id', 'email'])
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst()
}

/** False when there is a person of that address, in any case, already. */
export async function insertPerson(db: Db, row: { email: string; password_hash: string | null }): Promise<boolean> {
  const inserted = await db
    .insertInto('people')
    .values(row)
    .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
    .returning('person_id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function updatePasswordHash(db: Db, person_id: number, password_hash: string): Promise<void> {
  await db.updateTable('people').set({ password_hash }).where('person_id', '=', person_id).execute()
}

/** Disables or enables a person, or makes them an admin of the platform or not. */
export async function updatePerson(
  db: Db,
  person_id: number,
  change: { disabled_at: string | null } | { is_admin: boolean },
): Promise<void> {
  await db.updateTable('people').set(change).where('person_id', '=', person_id).execute()
}
