// Stores the passkeys of people.
import type { Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'

export interface PasskeyRow {
  credential_id: string
  name: string
  created_at: string
  last_used_at: string | null
}

/** Lists a person's passkeys, oldest first. */
export async function listPasskeys(db: Db, person_id: number): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkeys')
    .select((eb) => [
      'credential_id',
      'name',
      wireTime(eb.ref('created_at')).as('created_at'),
      wireTime(eb.ref('last_used_at')).as('last_used_at'),
    ])
    .where('person_id', '=', person_id)
    .orderBy('passkeys.created_at')
    .orderBy('credential_id')
    .execute()
}

export interface NewPasskey {
  credential_id: string
  person_id: number
  name: string
  public_key: Buffer
  counter: number
  transports: string[]
  created_at: string
}

/** Stores a passkey. Returns false if a person already has it. */
export async function insertPasskey(db: Db, row: NewPasskey): Promise<boolean> {
  const inserted = await db
    .insertInto('passkeys')
    .values({ ...row, last_used_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('credential_id')
    .executeTakeFirst()
  return inserted !== undefined
}

type PasskeyKey = Pick<NewPasskey, 'credential_id' | 'person_id' | 'public_key' | 'counter'>

export async function findPasskey(db: Db, credential_id: string): Promise<PasskeyKey | undefined> {
  return db
    .selectFrom('passkeys')
    .select(['credential_id', 'person_id', 'public_key', 'counter'])
    .where('credential_id', '=', credential_id)
    .executeTakeFirst()
}

/**
 * Records a use of a passkey. Returns false if the passkey was deleted, or another sign-in changed its counter in the meantime.
 */
export async function updatePasskeyUsed(
  db: Db,
  { credential_id, counter }: { credential_id: string; counter: number },
  used: { counter: number; last_used_at: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set(used)
    .where('credential_id', '=', credential_id)
    .where('counter', '=', counter)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function updatePasskeyName(
  db: Db,
  { credential_id, person_id }: { credential_id: string; person_id: number },
  name: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ name })
    .where('credential_id', '=', credential_id)
    .where('person_id', '=', person_id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deletePasskey(
  db: Db,
  { credential_id, person_id }: { credential_id: string; person_id: number },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('passkeys')
    .where('credential_id', '=', credential_id)
    .where('person_id', '=', person_id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function deletePasskeysOf(db: Db, person_id: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('passkeys')
    .where('person_id', '=', person_id)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
