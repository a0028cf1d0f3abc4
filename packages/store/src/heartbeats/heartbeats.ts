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
  enabled: boolean
  platform_enabled: boolean
  state: string
  down_since: string | null
  last_heartbeat_at: string | null
}

export async function insertHeartbeat(
  db: Db,
  row: HeartbeatColumns & { org_id: number; guid: string },
  token: string,
  created_by: number | null,
): Promise<void> {
  const { org_id, guid } = row
  const { heartbeat_id } = await db
    .insertInto('heartbeats')
    .values(row)
    .returning('heartbeat_id')
    .executeTakeFirstOrThrow()
  await db.insertInto('heartbeat_keys').values({ guid, token, org_id, heartbeat_id, created_by }).execute()
}

/** Filter for the heartbeats of an org. Absent fields match all. */
export interface SomeHeartbeats {
  tag?: string | undefined
  part?: RowPart | undefined
}

/** Lists an org's heartbeats, oldest first, without their tokens. */
export async function listHeartbeats(
  db: Db,
  org_id: number,
  { tag, part }: SomeHeartbeats = {},
): Promise<HeartbeatRow[]> {
  return db
    .selectFrom('heartbeats')
    .select((eb) => [
      'guid',
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
    .$if(tag !== undefined, (query) => query.where(sql<boolean>`${tag}::text = any(tags)`))
    .$if(part !== undefined, (query) => (part ? query.where(inPartSql(part)) : query))
    .orderBy('heartbeat_id')
    .execute()
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

/** Reads the configurable columns of a heartbeat. */
export async function findHeartbeatColumns(
  db: Db,
  { org_id, heartbeat_id }: HeartbeatPlace,
): Promise<Required<HeartbeatColumns> | undefined> {
  return db
    .selectFrom('heartbeats')
    .select([
      'name',
      'interval_sec',
      'grace_sec',
      'resend_interval_sec',
      'show_on_status_page',
      'tags',
      'cron',
      'cron_zone',
    ])
    .where('org_id', '=', org_id)
    .where('heartbeat_id', '=', heartbeat_id)
    .executeTakeFirst()
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

/**
 * Enables or disables a heartbeat, by its owner's or the platform's switch. A heartbeat that is enabled again starts from `new`,
 * because it might have missed pings.
 */
export async function updateHeartbeatSwitch(
  db: Db,
  { org_id, heartbeat_id }: HeartbeatPlace,
  which: 'enabled' | 'platform_enabled',
  on: boolean,
): Promise<void> {
  const begins = on ? ({ state: 'new', down_since: null, last_heartbeat_at: null } as const) : {}
  // The heartbeat cannot be overdue until its next ping.
  const moved = { ...begins, due_at: null }
  await db
    .updateTable('heartbeats')
    .set(which === 'enabled' ? { enabled: on, ...moved } : { platform_enabled: on, ...moved })
    .where('org_id', '=', org_id)
    .where('heartbeat_id', '=', heartbeat_id)
    // Enabling an enabled heartbeat must not wipe its state.
    .where(which, '=', !on)
    .execute()
}

/**
 * Replaces a heartbeat's settings. If they change its interval, grace period or cron expression, also replaces its deadline.
 */
export async function updateHeartbeatColumns(
  db: Db,
  { org_id, heartbeat_id }: HeartbeatPlace,
  {
    name,
    interval_sec,
    grace_sec,
    resend_interval_sec,
    show_on_status_page,
    tags,
    cron = null,
    cron_zone = null,
  }: HeartbeatColumns,
  due_at: string | null,
): Promise<void> {
  await db
    .updateTable('heartbeats')
    .set({
      ...{
        name,
        interval_sec,
        grace_sec,
        resend_interval_sec,
        show_on_status_page,
        cron,
        cron_zone,
        ...(tags && { tags }),
      },
      // Keeps the deadline if the schedule is unchanged, because an outage might have postponed it.
      due_at: sql<string | null>`case when interval_sec = ${interval_sec} and grace_sec = ${grace_sec}
        and cron is not distinct from ${cron} and cron_zone is not distinct from ${cron_zone} then due_at
        else ${due_at}::timestamptz end`,
    })
    .where('org_id', '=', org_id)
    .where('heartbeat_id', '=', heartbeat_id)
    .execute()
}

export async function deleteHeartbeat(db: Db, { org_id, heartbeat_id }: HeartbeatPlace): Promise<void> {
  await db.deleteFrom('heartbeats').where('org_id', '=', org_id).where('heartbeat_id', '=', heartbeat_id).execute()
}
