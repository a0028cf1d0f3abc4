// Stores heartbeats, which record the pings of jobs, and the keys with which pings and people find them.
import { type RawBuilder, sql } from 'kysely'
import { notSuspendedSql } from '../accounts/suspension.ts'
import { prepared } from '../builder-pool.ts'
import type { Db } from '../database.ts'
import { inPartSql, type RowPart } from '../part.ts'
import { wireTime } from '../wire-time.ts'

export interface HeartbeatColumns {
  name: string
  interval_sec: number
  grace_sec: number
  resend_interval_sec: number
  show_on_status_page: boolean
  tags?: readonly string[]
  /** Cron expression of the pings, in the time zone `cron_zone`. Null or absent if there is none. */
  cron?: string | null
  cron_zone?: string | null
}

export interface HeartbeatRow extends Required<HeartbeatColumns> {
  guid: string
  /** Name that clients of the configuration API chose. */
  key: string | null
  enabled: boolean
  platform_enabled: boolean
  state: string
  down_since: string | null
  last_heartbeat_at: string | null
}

/** Filter for the heartbeats of an org. Absent fields match all. */
export interface SomeHeartbeats {
  tag?: string | undefined
  part?: RowPart | undefined
  /** Guid of the heartbeat after which the list begins. */
  after?: string | undefined
  limit?: number
}

/** Lists an org's heartbeats, oldest first, without their tokens. */
export async function listHeartbeats(
  db: Db,
  org_id: number,
  { tag, part, after, limit }: SomeHeartbeats = {},
): Promise<HeartbeatRow[]> {
  return select(db, org_id)
    .$if(tag !== undefined, (query) => query.where(sql<boolean>`${tag}::text = any(tags)`))
    .$if(part !== undefined, (query) => (part ? query.where(inPartSql(part)) : query))
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`heartbeat_id > (select heartbeat_id from heartbeats before where before.org_id = ${org_id} and before.guid = ${after})`,
      ),
    )
    .orderBy('heartbeat_id')
    .$if(limit !== undefined, (query) => query.limit(limit as number))
    .execute()
}

/** Lists the heartbeats of an org with these guids. */
export async function listHeartbeatsOf(db: Db, org_id: number, guids: readonly string[]): Promise<HeartbeatRow[]> {
  return select(db, org_id)
    .where('guid', '=', sql<string>`any(${[...guids]}::text[])`)
    .execute()
}

export async function findHeartbeat(db: Db, org_id: number, guid: string): Promise<HeartbeatRow | undefined> {
  return select(db, org_id).where('guid', '=', guid).executeTakeFirst()
}

/** Finds a heartbeat, and locks its row until the transaction ends, so that no one else changes it. */
export async function lockHeartbeat(db: Db, org_id: number, guid: string): Promise<HeartbeatRow | undefined> {
  return select(db, org_id).where('guid', '=', guid).forNoKeyUpdate().executeTakeFirst()
}

function select(db: Db, org_id: number) {
  return db
    .selectFrom('heartbeats')
    .select((eb) => [
      'guid',
      'key',
      'name',
      'interval_sec',
      'grace_sec',
      'resend_interval_sec',
      'show_on_status_page',
      'tags',
      'cron',
      'cron_zone',
      'enabled',
      'platform_enabled',
      'state',
      wireTime(eb.ref('down_since')).as('down_since'),
      wireTime(eb.ref('last_heartbeat_at')).as('last_heartbeat_at'),
    ])
    .where('org_id', '=', org_id)
}

/** Finds the token of a heartbeat's ping URL. */
export async function findPingToken(db: Db, org_id: number, guid: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('heartbeat_keys')
    .select('token')
    .where('guid', '=', guid)
    .where('org_id', '=', org_id)
    .executeTakeFirst()
  return row?.token
}

/** Counts the heartbeats of an org that match a filter. */
export async function countSomeHeartbeats(db: Db, org_id: number, { tag, part }: SomeHeartbeats): Promise<number> {
  const { count } = await db
    .selectFrom('heartbeats')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('org_id', '=', org_id)
    .$if(tag !== undefined, (query) => query.where(sql<boolean>`${tag}::text = any(tags)`))
    .$if(part !== undefined, (query) => (part ? query.where(inPartSql(part)) : query))
    .executeTakeFirstOrThrow()
  return count
}

export async function listHeartbeatNames(db: Db, org_id: number): Promise<{ heartbeat_id: number; name: string }[]> {
  return db.selectFrom('heartbeats').select(['heartbeat_id', 'name']).where('org_id', '=', org_id).execute()
}

export async function countHeartbeats(db: Db, org_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('heartbeats')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', org_id)
    .executeTakeFirstOrThrow()
  return count
}

export interface HeartbeatPlace {
  org_id: number
  heartbeat_id: number
}

export async function findHeartbeatPlace(db: Db, guid: string): Promise<HeartbeatPlace | undefined> {
  return db.selectFrom('heartbeat_keys').select(['org_id', 'heartbeat_id']).where('guid', '=', guid).executeTakeFirst()
}

/** Finds one of an org's own heartbeats by guid. */
export async function findOwnHeartbeatPlace(
  db: Db,
  { org_id, guid }: { org_id: number; guid: string },
): Promise<HeartbeatPlace | undefined> {
  return db
    .selectFrom('heartbeat_keys')
    .select(['org_id', 'heartbeat_id'])
    .where('guid', '=', guid)
    .where('org_id', '=', org_id)
    .executeTakeFirst()
}

/** Replaces the token of a heartbeat's ping URL. */
export async function updateHeartbeatToken(
  db: Db,
  { org_id, heartbeat_id }: HeartbeatPlace,
  token: string,
  created_by: number | null,
): Promise<void> {
  await db
    .updateTable('heartbeat_keys')
    .set({ token, created_by })
    .where('org_id', '=', org_id)
    .where('heartbeat_id', '=', heartbeat_id)
    .execute()
}

/** Finds the heartbeat of a token, and whether its organisation is suspended. */
export async function findPlaceOfToken(
  db: Db,
  token: string,
): Promise<(HeartbeatPlace & { suspended: boolean }) | undefined> {
  const { rows } = await prepared<HeartbeatPlace & { suspended: boolean }>`
    select k.org_id, k.heartbeat_id, o.suspended_at is not null as suspended
    from heartbeat_keys k join organisations o using (org_id) where k.token = ${token}`.execute(db)
  return rows[0]
}

/** Everything that judging a heartbeat and sending alerts about it needs. */
export interface HeartbeatCase extends HeartbeatPlace {
  guid: string
  name: string
  org_name: string
  interval_sec: number
  grace_sec: number
  cron: string | null
  cron_zone: string | null
  paused: boolean
  state: 'new' | 'up' | 'down'
  down_since: string | null
  last_heartbeat_at: string | null
}

/** Heartbeat that has been pinged at least once. Only such a heartbeat can be overdue. */
export type DueHeartbeat = HeartbeatCase & { last_heartbeat_at: string }

const CASE = sql`h.org_id, h.heartbeat_id, h.guid, h.name, o.name as org_name, h.interval_sec, h.grace_sec,
  h.cron, h.cron_zone, not (h.enabled and h.platform_enabled) as paused, h.state, wire_time(h.down_since) as down_since,
  wire_time(h.last_heartbeat_at) as last_heartbeat_at`

/** Reads a heartbeat, and locks its row until the transaction ends. All code locks a heartbeat before its incident. */
export async function lockHeartbeatCase(
  db: Db,
  { org_id, heartbeat_id }: HeartbeatPlace,
): Promise<HeartbeatCase | undefined> {
  const { rows } = await lockingCase({ org_id, heartbeat_id }).execute(db)
  return rows[0]
}

/** Builds the statement of {@link lockHeartbeatCase}. */
export function lockingCase({ org_id, heartbeat_id }: HeartbeatPlace): RawBuilder<HeartbeatCase> {
  return prepared<HeartbeatCase>`
    select ${CASE}
    from heartbeats h join organisations o using (org_id)
    where h.org_id = ${org_id} and h.heartbeat_id = ${heartbeat_id} for update of h`
}

/** Lists the heartbeats that are due by now, the longest overdue first. */
export async function listDueHeartbeats(db: Db, now: string): Promise<HeartbeatPlace[]> {
  return db
    .selectFrom('heartbeats')
    .select(['org_id', 'heartbeat_id'])
    .where('due_at', '<=', now)
    .where(notSuspendedSql('heartbeats'))
    .orderBy('due_at')
    .execute()
}

/**
 * Claims heartbeats that are due by now, the longest overdue first, or just the heartbeat `only`. Skips rows that another process
 * has locked.
 */
export async function claimDueHeartbeats(
  db: Db,
  now: string,
  limit: number,
  only?: HeartbeatPlace,
): Promise<DueHeartbeat[]> {
  const given = only ? sql`and org_id = ${only.org_id} and heartbeat_id = ${only.heartbeat_id}` : sql``
  const { rows } = await sql<DueHeartbeat>`
    with due as (
      select * from heartbeats h where due_at <= ${now}::timestamptz ${given} and ${notSuspendedSql('h')} order by due_at limit ${limit} for update skip locked
    )
    select ${CASE} from due h join organisations o using (org_id) order by h.due_at`.execute(db)
  return rows
}

/** Reads when the next heartbeat is or was due. Returns undefined if none waits for a ping. */
export async function readNextDueAt(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('heartbeats')
    .select((eb) => wireTime(eb.ref('due_at')).as('due_at'))
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  return row?.due_at ?? undefined
}

export interface HeartbeatStateColumns {
  state: string
  down_since: string | null
  last_heartbeat_at: string | null
  due_at: string | null
}

/** Returns a statement that stores the state of a heartbeat. */
export function updatingState(
  { org_id, heartbeat_id }: HeartbeatPlace,
  { state, down_since, last_heartbeat_at, due_at }: HeartbeatStateColumns,
): RawBuilder<unknown> {
  return prepared`
    update heartbeats set state = ${state}, down_since = ${down_since}::timestamptz, last_heartbeat_at = ${last_heartbeat_at}::timestamptz,
      due_at = ${due_at}::timestamptz
    where org_id = ${org_id} and heartbeat_id = ${heartbeat_id}`
}

/** Marks heartbeats as down that received no ping in time. `since` is when each was due. */
export async function updateHeartbeatsOverdue(
  db: Db,
  overdue: readonly (HeartbeatPlace & { since: string })[],
): Promise<void> {
  await sql`
    update heartbeats h set state = 'down', down_since = k.at, due_at = null
    from ${placesWith(overdue, ({ since }) => since)}
    where h.org_id = k.org_id and h.heartbeat_id = k.heartbeat_id`.execute(db)
}

/** Postpones the deadlines of heartbeats that are due later than recorded. */
export async function updateHeartbeatsDueAt(
  db: Db,
  moved: readonly (HeartbeatPlace & { due_at: string })[],
): Promise<void> {
  await sql`
    update heartbeats h set due_at = k.at
    from ${placesWith(moved, ({ due_at }) => due_at)}
    where h.org_id = k.org_id and h.heartbeat_id = k.heartbeat_id`.execute(db)
}

function placesWith<Place extends HeartbeatPlace>(places: readonly Place[], at: (place: Place) => string) {
  return sql`unnest(${places.map(({ org_id }) => org_id)}::bigint[],
    ${places.map(({ heartbeat_id }) => heartbeat_id)}::bigint[], ${places.map(at)}::timestamptz[])
    as k(org_id, heartbeat_id, at)`
}
