// Stores tokens of the configuration API: who may change what in which organisation.
import { sql } from 'kysely'
import type { Database, Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'

export interface ConfiguratorRow {
  token_id: number
  org_id: number
  /** Person who made the token. The audit log records the token's actions under the person's address. */
  person_id: number
  email: string
  name: string
  scopes: string[]
  expires_at: string | null
  /** Whether the token may be used from the IP address of the request. */
  is_within: boolean
  /** Whether the last recorded use of the token was more than a minute ago, or came from another IP address. */
  is_use_new: boolean
}

// One statement checks the token, the person, the membership and the suspension, so that a change of any of them takes
// effect at once.
const FIND = {
  name: 'configurator-find',
  text: `
    select t.token_id, t.org_id, t.person_id, p.email, t.name, t.scopes, wire_time(t.expires_at) as expires_at,
      t.address_range is null or $3::inet <<= t.address_range as is_within,
      t.last_used_at is null or t.last_used_at < $2::timestamptz - interval '1 minute'
        or t.last_used_from is distinct from $3::inet as is_use_new
    from configuration_tokens t
    join people p on p.person_id = t.person_id and p.disabled_at is null
    join memberships m on m.org_id = t.org_id and m.person_id = t.person_id and (m.is_owner or m.role = 'admin')
    join organisations o on o.org_id = t.org_id and o.suspended_at is null
    where t.token_hash = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > $2::timestamptz)`,
}

export async function findConfigurator(
  database: Database,
  token_hash: Buffer,
  { now, address }: { now: string; address: string },
): Promise<ConfiguratorRow | undefined> {
  const { rows } = await database.pools.machines.query<ConfiguratorRow>({ ...FIND, values: [token_hash, now, address] })
  return rows[0]
}

/** Records the time and IP address of a token's use, without waiting for the disk. A crash can lose the newest uses. */
export async function updateTokenUsed(
  database: Database,
  token_id: number,
  { now, address }: { now: string; address: string },
): Promise<void> {
  await database.pools.asyncCommit.query(
    'update configuration_tokens set last_used_at = $2, last_used_from = $3::inet where token_id = $1',
    [token_id, now, address],
  )
}

/**
 * Counts an org's tokens that are neither revoked nor expired. Other transactions that count them wait until this one ends, so
 * that two new tokens cannot both be the last one allowed.
 */
export async function countConfigurationTokens(db: Db, org_id: number, now: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('configuration tokens', ${org_id}))`.execute(db)
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from configuration_tokens
    where org_id = ${org_id} and revoked_at is null and (expires_at is null or expires_at > ${now}::timestamptz)`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export interface NewConfigurationToken {
  token_hash: Buffer
  org_id: number
  person_id: number
  name: string
  scopes: string[]
  address_range: string | null
  created_at: string
  expires_at: string | null
}

export async function insertConfigurationToken(db: Db, row: NewConfigurationToken): Promise<void> {
  await db.insertInto('configuration_tokens').values(row).execute()
}

export interface ConfigurationTokenRow {
  token_id: number
  name: string
  email: string
  scopes: string[]
  address_range: string | null
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  last_used_from: string | null
}

/** Lists an org's tokens: those that are not revoked first, each newest first. */
export async function listConfigurationTokens(db: Db, org_id: number, limit: number): Promise<ConfigurationTokenRow[]> {
  return db
    .selectFrom('configuration_tokens as t')
    .innerJoin('people as p', 'p.person_id', 't.person_id')
    .select((eb) => [
      't.token_id',
      't.name',
      'p.email',
      't.scopes',
      sql<string | null>`t.address_range::text`.as('address_range'),
      wireTime(eb.ref('t.created_at')).as('created_at'),
      wireTime(eb.ref('t.expires_at')).as('expires_at'),
      wireTime(eb.ref('t.revoked_at')).as('revoked_at'),
      wireTime(eb.ref('t.last_used_at')).as('last_used_at'),
      sql<string | null>`host(t.last_used_from)`.as('last_used_from'),
    ])
    .where('t.org_id', '=', org_id)
    .orderBy(sql`t.revoked_at is not null`)
    .orderBy('t.token_id', 'desc')
    .limit(limit)
    .execute()
}
