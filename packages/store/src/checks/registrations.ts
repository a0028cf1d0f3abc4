// Stores the registrations of domain names, and when to query the registry about each next.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { rowsSql } from '../rows-sql.ts'

export interface RegistrationRow {
  name: string
  asked_at: string | null
  answered_at: string | null
  fault: string | null
  expires_at: string | null
  registrar: string | null
  name_servers: string[]
  statuses: string[]
}

/**
 * Adds domain names that checks watch, and records that known names are still watched. A new name becomes due for a query at a
 * random time soon.
 */
export async function putWanted(db: Db, names: readonly { name: string; tld: string }[], now: string): Promise<void> {
  if (names.length === 0) return
  await sql`
    insert into registrations as r (name, tld, due_at, wanted_at)
    select name, tld, ${now}::timestamptz + random() * interval '20 seconds', ${now}::timestamptz
    from ${rowsSql(names, { name: 'text', tld: 'text' })}
    order by name
    on conflict (name) do update set wanted_at = excluded.wanted_at
      where r.wanted_at < excluded.wanted_at - interval '1 day'`.execute(db)
}

export async function listRegistrations(db: Db, names: readonly string[]): Promise<RegistrationRow[]> {
  const { rows } = await sql<RegistrationRow>`
    select name, wire_time(asked_at) as asked_at, wire_time(answered_at) as answered_at, fault,
      wire_time(expires_at) as expires_at, registrar, name_servers, statuses
    from registrations where name = any(${[...names]}::text[])`.execute(db)
  return rows
}

/** Domain name that is due for a query. `failures`: number of queries in a row that got no response. */
export interface DueName {
  name: string
  tld: string
  failures: number
}

export interface AskingLimits {
  /** Maximum number of names to claim. `most_of_tld`: maximum number of queries per minute to one registry. */
  limit: number
  most_of_tld: number
  /** Length of a claim, in seconds. No other process queries the registry about the name during that time. */
  lease_sec: number
}

/**
 * Claims names that are due, so that no other process queries a registry about them. Counts the queries of the last minute to each
 * registry, by any process.
 */
export async function claimDueNames(
  db: Db,
  now: string,
  { limit, most_of_tld, lease_sec }: AskingLimits,
): Promise<DueName[]> {
  const { rows } = await sql<DueName>`
    with candidates as (
      select name, tld, row_number() over (partition by tld order by due_at, name) as n
      from registrations
      where due_at <= ${now}::timestamptz and wanted_at > ${now}::timestamptz - interval '3 days'
    ), claimed as (
      select r.name from registrations r
      join candidates c on c.name = r.name
      where c.n + (
          select count(*) from registrations a
          where a.tld = c.tld and a.asked_at > ${now}::timestamptz - interval '1 minute') <= ${most_of_tld}
        and r.due_at <= ${now}::timestamptz
      order by r.due_at, r.name limit ${limit} for update of r skip locked
    )
    update registrations r set asked_at = ${now}::timestamptz,
      due_at = ${now}::timestamptz + make_interval(secs => ${lease_sec})
    from claimed where r.name = claimed.name
    returning r.name, r.tld, r.failures`.execute(db)
  return rows
}

/** Response of a registry about a name. `fault`: why the response does not say when the registration expires. */
export interface RegistryAnswer {
  fault: string | null
  expires_at: string | null
  registrar: string | null
  name_servers: readonly string[]
  statuses: readonly string[]
}

/** Stores a response. If it does not say when the registration expires, the last known time stays. */
export async function updateAnswered(
  db: Db,
  name: string,
  { fault, expires_at, registrar, name_servers, statuses }: RegistryAnswer,
  { now, due_at }: { now: string; due_at: string },
): Promise<void> {
  await sql`
    update registrations set answered_at = ${now}::timestamptz, due_at = ${due_at}::timestamptz, failures = 0, fault = ${fault},
      expires_at = coalesce(${expires_at}::timestamptz, expires_at), registrar = ${registrar},
      name_servers = ${[...name_servers]}::text[], statuses = ${[...statuses]}::text[]
    where name = ${name}`.execute(db)
}

/** Records that a query got no response, and when to repeat it. */
export async function updateUnanswered(db: Db, name: string, due_at: string): Promise<void> {
  await sql`
    update registrations set failures = failures + 1, due_at = ${due_at}::timestamptz where name = ${name}`.execute(db)
}

/** Postpones all queries to a registry, because the registry asked for fewer. */
export async function putOffRegistry(db: Db, tld: string, until: string): Promise<void> {
  await sql`
    with held as (
      select name from registrations where tld = ${tld} and due_at < ${until}::timestamptz order by name for update skip locked)
    update registrations r set due_at = ${until}::timestamptz + random() * interval '10 minutes'
    from held where r.name = held.name`.execute(db)
}

/** Returns the time of the next query. Returns undefined if no name is watched. */
export async function readNextDue(db: Db, now: string): Promise<string | undefined> {
  const { rows } = await sql<{ due_at: string | null }>`
    select wire_time(min(due_at)) as due_at from registrations
    where wanted_at > ${now}::timestamptz - interval '3 days'`.execute(db)
  return rows[0]?.due_at ?? undefined
}
