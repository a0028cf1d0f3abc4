// Stores people, who can sign in and be members.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'

export interface PersonRow {
  person_id: number
  email: string
}

export async function findPersonByEmail(db: Db, email: string): Promise<PersonRow | undefined> {
  return db
    .selectFrom('people')
    .select(['person_id', 'email'])
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .executeTakeFirst()
}

/** Stores a person. Returns undefined if a person with that address already exists, in any case of its letters. */
export async function insertPerson(
  db: Db,
  row: { email: string; password_hash: string | null },
): Promise<PersonRow | undefined> {
  return db
    .insertInto('people')
    .values(row)
    .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
    .returning(['person_id', 'email'])
    .executeTakeFirst()
}

/** Records that a person opened a link that was emailed to their address. */
export async function updateEmailProved(db: Db, person_id: number, email_proved_at: string): Promise<void> {
  await db.updateTable('people').set({ email_proved_at }).where('person_id', '=', person_id).execute()
}

/** Records that a person signed up with an address that might belong to anyone. */
export async function updateEmailClaimed(db: Db, person_id: number, claimed_at: string): Promise<void> {
  await db.updateTable('people').set({ claimed_at }).where('person_id', '=', person_id).execute()
}

/** Whether a person signed up with an address and never proved that it is theirs. */
export async function hasClaimedEmail(db: Db, person_id: number): Promise<boolean> {
  const row = await db
    .selectFrom('people')
    .select('person_id')
    .where('person_id', '=', person_id)
    .where('claimed_at', 'is not', null)
    .where('email_proved_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Lists which of the addresses belong to a person who has opened a link that was emailed there. */
export async function listProvedEmails(db: Db, person_id: number, emails: readonly string[]): Promise<string[]> {
  if (emails.length === 0) return []
  const { rows } = await sql<{ email: string }>`
    select given.email from unnest(${[...emails]}::text[]) as given(email)
    join people p on p.person_id = ${person_id} and lower(p.email) = lower(given.email) and p.email_proved_at is not null`.execute(
    db,
  )
  return rows.map(({ email }) => email)
}

export async function updatePasswordHash(db: Db, person_id: number, password_hash: string): Promise<void> {
  await db.updateTable('people').set({ password_hash }).where('person_id', '=', person_id).execute()
}

/** Disables or enables a person, or changes whether they are an admin of the installation. */
export async function updatePerson(
  db: Db,
  person_id: number,
  change: { disabled_at: string | null } | { is_admin: boolean },
): Promise<void> {
  await db.updateTable('people').set(change).where('person_id', '=', person_id).execute()
}

export interface CredentialsRow extends PersonRow {
  password_hash: string | null
  disabled_at: string | null
}

/** Finds the stored values that a sign-in is checked against. */
export async function findCredentials(db: Db, email: string): Promise<CredentialsRow | undefined> {
  return db
    .selectFrom('people')
    .select(['person_id', 'email', 'password_hash', 'disabled_at'])
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .executeTakeFirst()
}

export interface ShownPerson extends PersonRow {
  is_admin: boolean
  disabled_at: string | null
  created_at: string
}

function selectShown(db: Db) {
  return db
    .selectFrom('people')
    .select((eb) => [
      ...(['person_id', 'email', 'is_admin'] as const),
      wireTime(eb.ref('disabled_at')).as('disabled_at'),
      wireTime(eb.ref('created_at')).as('created_at'),
    ])
}

export async function findPersonById(db: Db, person_id: number): Promise<ShownPerson | undefined> {
  return selectShown(db).where('person_id', '=', person_id).executeTakeFirst()
}

/** Finds people whose address contains the text, newest first. With `before`, finds only older ones. */
export async function searchPeople(
  db: Db,
  text: string,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<ShownPerson[]> {
  return selectShown(db)
    .where(sql<boolean>`strpos(lower(email), ${text.toLowerCase()}) > 0`)
    .$if(before !== undefined, (query) => query.where('person_id', '<', before as number))
    .orderBy('person_id', 'desc')
    .limit(limit)
    .execute()
}

/** Reads the credentials of a person, and locks the row until the transaction ends. */
export async function lockCredentials(
  db: Db,
  person_id: number,
): Promise<Pick<CredentialsRow, 'password_hash' | 'disabled_at'> | undefined> {
  return db
    .selectFrom('people')
    .select(['password_hash', 'disabled_at'])
    .where('person_id', '=', person_id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export async function findPasswordHash(db: Db, person_id: number): Promise<string | null | undefined> {
  const row = await db
    .selectFrom('people')
    .select('password_hash')
    .where('person_id', '=', person_id)
    .executeTakeFirst()
  return row?.password_hash
}

/** Stores the time zone and clock (12 or 24 hours) that pages use for a person. Null if the person's browser decides. */
export async function updateTimes(
  db: Db,
  person_id: number,
  times: { time_zone: string | null; hour_clock: number | null },
): Promise<void> {
  await db.updateTable('people').set(times).where('person_id', '=', person_id).execute()
}
