// Stores personal access tokens: who may read which organisation.
import { sql } from 'kysely'
import type { Database, Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'

export interface ReaderRow {
  token_id: number
  org_id: number
}

// One statement checks the token, the person, the membership and the suspension, so that a change of any of them takes
// effect at once.
const VALID = `
    select t.token_id, t.org_id from personal_access_tokens t
    join people p on p.person_id = t.person_id and p.disabled_at is null
    join memberships m on m.org_id = t.org_id and m.person_id = t.person_id
    join organisations o on o.org_id = t.org_id and o.suspended_at is null
    where t.revoked_at is null`
const FIND = { name: 'reader-find', text: `${VALID} and t.token_hash = $1` }
const PROVE = { name: 'reader-prove', text: `${VALID} and t.token_id = $1` }

export async function findReader(database: Database, token_hash: Buffer): Promise<ReaderRow | undefined> {
  const { rows } = await database.pools.machines.query<ReaderRow>({ ...FIND, values: [token_hash] })
  return rows[0]
}

/** Whether a token that was found before is still valid. */
export async function hasReader(database: Database, token_id: number): Promise<boolean> {
  const { rows } = await database.pools.machines.query({ ...PROVE, values: [token_id] })
  return rows.length > 0
}

/**
 * Counts the tokens of an org that are not revoked, and those of a person in all orgs. Other transactions that count the person's
 * tokens wait until this one ends, so that two new tokens cannot both be the last one allowed.
 */
export async function countPersonalTokens(
  db: Db,
  { org_id, person_id }: { org_id: number; person_id: number },
): Promise<{ of_org: number; of_person: number }> {
  await sql`select pg_advisory_xact_lock(hashtextextended('personal tokens', ${person_id}))`.execute(db)
  const { rows } = await sql<{ of_org: number; of_person: number }>`
    select (select count(*)::integer from personal_access_tokens where org_id = ${org_id} and revoked_at is null) as of_org,
      (select count(*)::integer from personal_access_tokens where person_id = ${person_id} and revoked_at is null) as of_person`.execute(
    db,
  )
  return rows[0] ?? { of_org: 0, of_person: 0 }
}

export async function insertPersonalToken(
  db: Db,
  row: { token_hash: Buffer; org_id: number; person_id: number; name: string; created_at: string },
): Promise<number> {
  const { token_id } = await db
    .insertInto('personal_access_tokens')
    .values({ ...row, revoked_at: null })
    .returning('token_id')
    .executeTakeFirstOrThrow()
  return token_id
}

export interface PersonalTokenRow {
  token_id: number
  name: string
  /** Email address of the creator. */
  email: string
  created_at: string
  revoked_at: string | null
}

/** Lists an org's tokens: valid ones first, then revoked ones, each newest first. */
export async function listPersonalTokens(db: Db, org_id: number, limit: number): Promise<PersonalTokenRow[]> {
  return db
    .selectFrom('personal_access_tokens as t')
    .innerJoin('people as p', 'p.person_id', 't.person_id')
    .select((eb) => [
      't.token_id',
      't.name',
      'p.email',
      wireTime(eb.ref('t.created_at')).as('created_at'),
      wireTime(eb.ref('t.revoked_at')).as('revoked_at'),
    ])
    .where('t.org_id', '=', org_id)
    .orderBy(sql`t.revoked_at is not null`)
    .orderBy('t.token_id', 'desc')
    .limit(limit)
    .execute()
}
