// Stores authenticator apps and recovery codes of people.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'

export interface TotpRow {
  secret: Buffer
  confirmed_at: string | null
  last_step: number
}

export async function findTotp(db: Db, person_id: number): Promise<TotpRow | undefined> {
  return db
    .selectFrom('totp_secrets')
    .select((eb) => ['secret', wireTime(eb.ref('confirmed_at')).as('confirmed_at'), 'last_step'])
    .where('person_id', '=', person_id)
    .executeTakeFirst()
}

/**
 * Stores a new secret of an authenticator app, which waits for its first code. Returns false if the person already has a confirmed
 * one.
 */
export async function upsertUnconfirmedTotp(
  db: Db,
  row: { person_id: number; secret: Buffer; created_at: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('totp_secrets')
    .values({ ...row, confirmed_at: null })
    .onConflict((conflict) =>
      conflict
        .column('person_id')
        .doUpdateSet({ secret: row.secret, created_at: row.created_at, last_step: 0 })
        .where('totp_secrets.confirmed_at', 'is', null),
    )
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function updateTotpConfirmed(db: Db, person_id: number, confirmed_at: string): Promise<void> {
  await db.updateTable('totp_secrets').set({ confirmed_at }).where('person_id', '=', person_id).execute()
}

/**
 * Records that a person used the code of a time step, so that it works only once. Returns false if that code or a later one was
 * already used.
 */
export async function updateTotpStep(db: Db, person_id: number, last_step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('totp_secrets')
    .set({ last_step })
    .where('person_id', '=', person_id)
    .where('last_step', '<', last_step)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteTotp(db: Db, person_id: number): Promise<boolean> {
  await db.deleteFrom('recovery_codes').where('person_id', '=', person_id).execute()
  const { numDeletedRows } = await db
    .deleteFrom('totp_secrets')
    .where('person_id', '=', person_id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Stores recovery codes in place of all earlier ones. */
export async function replaceRecoveryCodes(db: Db, person_id: number, hashes: readonly Buffer[]): Promise<void> {
  await db.deleteFrom('recovery_codes').where('person_id', '=', person_id).execute()
  const rows = hashes.map((code_hash) => ({ person_id, code_hash, used_at: null }))
  await db.insertInto('recovery_codes').values(rows).execute()
}

/** Marks a recovery code as used. Returns false if it does not exist, or was used before. */
export async function updateRecoveryCodeUsed(
  db: Db,
  { person_id, code_hash }: { person_id: number; code_hash: Buffer },
  used_at: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('recovery_codes')
    .set({ used_at })
    .where('person_id', '=', person_id)
    .where('code_hash', '=', code_hash)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Counts the unused codes of a person. */
export async function countRecoveryCodes(db: Db, person_id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from recovery_codes where person_id = ${person_id} and used_at is null`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Marks a person's sessions as without a second factor if the person has neither an authenticator app nor a passkey left. */
export async function updateLastFactorGone(db: Db, person_id: number): Promise<void> {
  await sql`
    update sessions set has_second_factor = false
    where person_id = ${person_id} and has_second_factor
      and not exists (select from totp_secrets t where t.person_id = sessions.person_id)
      and not exists (select from passkeys k where k.person_id = sessions.person_id)`.execute(db)
}
