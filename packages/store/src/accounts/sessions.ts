// Stores sessions: who is signed in, and which organisation they look at.
import { sql } from 'kysely'
import type { Database, Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'
import { newestChange } from './changes.ts'

export interface NewSession {
  session_hash: Buffer
  person_id: number
  org_id: number | null
  impersonator_id: number | null
  created_at: string
  expires_at: string
  has_second_factor: boolean
  address: string | null
  user_agent: string | null
}

export interface SessionRow {
  session_hash: Buffer
  person_id: number
  email: string
  is_admin: boolean
  /** Time zone of the person. Null if their browser decides. */
  time_zone: string | null
  hour_clock: number | null
  impersonator_id: number | null
  impersonator_email: string | null
  created_at: string
  last_used_at: string
  has_second_factor: boolean
  /** Selected org. Null if the person is a member of none. */
  org_id: number | null
  org_name: string | null
  plan: string | null
  is_owner: boolean | null
  role: string | null
  suspended: boolean | null
  hides_first_steps: boolean | null
  requires_second_factor: boolean | null
  /** Whether the org has an enabled channel. */
  has_channel: boolean
  /** Number of open incidents of the org: at most 100 of checks and 100 of heartbeats count. */
  down: number
  /** Whether a check of the org is unmonitored. */
  is_unwatched: boolean
  /** Value that differs if something changed that the org's pages show. */
  newest_change: string
  /** All orgs of the person, by name. */
  orgs: Membership[]
}

export interface Membership {
  org_id: number
  name: string
  is_owner: boolean
  /** Role as it is stored. It means nothing for the owner. */
  role: string
}

export async function insertSession(db: Db, session: NewSession): Promise<void> {
  await db
    .insertInto('sessions')
    .values({ ...session, last_used_at: session.created_at })
    .execute()
}

// A named statement, because every page runs it. An impersonator must still be an admin. If a person has an
// authenticator app, a session without a second factor is invalid, because a server that did not know of the app began
// it.
const FIND = {
  name: 'session-find',
  text: `
    select s.session_hash, s.person_id, p.email, p.is_admin, p.time_zone, p.hour_clock, s.impersonator_id,
      i.email as impersonator_email,
      wire_time(s.last_used_at) as last_used_at, o.org_id, o.name as org_name, o.plan, m.is_owner, m.role,
      s.has_second_factor, wire_time(s.created_at) as created_at, o.requires_second_factor,
      o.suspended_at is not null as suspended, o.first_steps_hidden_at is not null as hides_first_steps,
      exists (select from notification_channels c where c.org_id = o.org_id and c.enabled) as has_channel,
      (select count(*)::int from (select from incidents n
        where n.org_id = o.org_id and n.ended_at is null and n.check_id is not null limit 100) few_checks)
      + (select count(*)::int from (select from incidents n
        where n.org_id = o.org_id and n.ended_at is null and n.heartbeat_id is not null limit 100) few_heartbeats)
        as down,
      exists (select from check_states t where t.org_id = o.org_id and t.unmonitored_since is not null) as is_unwatched,
      ${newestChange('o.org_id')} as newest_change,
      (select coalesce(json_agg(json_build_object('org_id', o.org_id, 'name', o.name, 'is_owner', m.is_owner, 'role', m.role)
          order by o.name, o.org_id), '[]')
        from memberships m join organisations o using (org_id) where m.person_id = s.person_id) as orgs
    from sessions s
    join people p on p.person_id = s.person_id and p.disabled_at is null
    left join people i on i.person_id = s.impersonator_id
    left join memberships m on m.org_id = s.org_id and m.person_id = s.person_id
    left join organisations o on o.org_id = m.org_id
    where s.session_hash = $1 and s.expires_at > $2::timestamptz
      and (s.has_second_factor or s.impersonator_id is not null
        or not exists (select from totp_secrets t where t.person_id = s.person_id and t.confirmed_at is not null))
      and (s.impersonator_id is null or i.is_admin and i.disabled_at is null)`,
}

/** Finds session, person and membership in one statement, so that disabling or removing a person takes effect at once. */
export async function findSession(
  { pools }: Database,
  session_hash: Buffer,
  now: string,
): Promise<SessionRow | undefined> {
  const { rows } = await pools.machines.query<SessionRow>({ ...FIND, values: [session_hash, now] })
  return rows[0]
}

/** Lists the orgs of a person, by name. */
export async function listMemberships(db: Db, person_id: number): Promise<Membership[]> {
  return db
    .selectFrom('memberships')
    .innerJoin('organisations', 'organisations.org_id', 'memberships.org_id')
    .select(['organisations.org_id', 'organisations.name', 'memberships.is_owner', 'memberships.role'])
    .where('memberships.person_id', '=', person_id)
    .orderBy('organisations.name')
    .orderBy('organisations.org_id')
    .execute()
}

export async function updateSession(
  db: Db,
  session_hash: Buffer,
  change:
    | { org_id: number | null }
    | { last_used_at: string; expires_at: string; address?: string; user_agent?: string }
    | { has_second_factor: boolean },
): Promise<void> {
  await db.updateTable('sessions').set(change).where('session_hash', '=', session_hash).execute()
}

export async function deleteSession(db: Db, session_hash: Buffer): Promise<void> {
  await db.deleteFrom('sessions').where('session_hash', '=', session_hash).execute()
}

/** Signs a person out everywhere, including admins who impersonate them. `kept`: session that stays. */
export async function deleteSessionsOf(db: Db, person_id: number, kept?: Buffer): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where((eb) => eb.or([eb('person_id', '=', person_id), eb('impersonator_id', '=', person_id)]))
    .$if(kept !== undefined, (query) => query.where('session_hash', '<>', kept as Buffer))
    .execute()
}

export interface ListedSession {
  session_hash: Buffer
  address: string | null
  user_agent: string | null
  created_at: string
  last_used_at: string
}

/** Lists the sessions of a person, the last used one first, without those of admins who impersonate them. */
export async function listSessionsOf(db: Db, person_id: number, now: string, limit: number): Promise<ListedSession[]> {
  return db
    .selectFrom('sessions')
    .select((eb) => [
      'session_hash',
      'address',
      'user_agent',
      wireTime(eb.ref('created_at')).as('created_at'),
      wireTime(eb.ref('last_used_at')).as('last_used_at'),
    ])
    .where('person_id', '=', person_id)
    .where('impersonator_id', 'is', null)
    .where('expires_at', '>', sql<string>`${now}::timestamptz`)
    .orderBy('sessions.last_used_at', 'desc')
    .orderBy('session_hash')
    .limit(limit)
    .execute()
}

/** Deletes a session of a person. Returns false if there is no such session. */
export async function deleteSessionOf(db: Db, person_id: number, session_hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('person_id', '=', person_id)
    .where('session_hash', '=', session_hash)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Deselects an org in the sessions of a person who leaves it. */
export async function updateSessionsLeft(db: Db, org_id: number, person_id: number): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ org_id: null })
    .where('person_id', '=', person_id)
    .where('org_id', '=', org_id)
    .execute()
}
