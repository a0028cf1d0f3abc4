// Stores monitors: the agents of an org, or of the shared fleet (org_id null).
import { sql } from 'kysely'
import { type CallerKey, IS_ALLOWED, ofSuspended } from '../caller.ts'
import type { Database, Db } from '../database.ts'
import { IS_ASSIGNED_SQL } from '../is-assigned.ts'
import { ALL, type Slice } from '../slice.ts'
import { wireTime } from '../wire-time.ts'

export interface MonitorPlace {
  name: string
  region: string
  country: string
  city: string
}

/** Monitor that sent an authenticated request. */
export interface CallerRow {
  id: string
  org_id: number | null
  enabled: boolean
  /** Whether the monitor's organisation is suspended. */
  suspended: boolean
  clock_offset_ms: number | null
  /** Last offset of the monitor's clock that was so large that the server did not use the clock for the times of results. */
  clock_far_ms: number | null
  clock_behind_since: string | null
  catching_up: boolean
}

const SEEN = {
  name: 'monitor-seen',
  // Keeps the later time, because two simultaneous requests can be recorded in the wrong order.
  text: `update monitors set last_seen_at = greatest(last_seen_at, $2) where key_hash = $1
    returning id, org_id, enabled and platform_enabled as enabled, clock_offset_ms,
      clock_far_ms, wire_time(clock_behind_since) as clock_behind_since, catching_up,
      ${ofSuspended('monitors')} as suspended`,
}

/**
 * Finds the monitor of an API key, even a disabled one, and records the time of its request. Uses one statement, which does not
 * wait for the disk.
 */
export async function updateSeen(
  database: Database,
  key_hash: Buffer,
  seen_at: string,
): Promise<CallerRow | undefined> {
  const { rows } = await database.pools.asyncCommit.query<CallerRow>({ ...SEEN, values: [key_hash, seen_at] })
  return rows[0]
}

export type MeasuredClock = { clock_offset_ms: number } & Pick<CallerRow, 'clock_far_ms' | 'clock_behind_since'>

/**
 * Records the offset of a monitor's clock, and since when the clock seems to be further behind. Does not wait for the disk. Does
 * nothing if the key no longer belongs to the monitor.
 */
export async function updateClock(
  { pools }: Database,
  { id, key_hash }: CallerKey,
  { clock_offset_ms, clock_far_ms, clock_behind_since }: MeasuredClock,
): Promise<void> {
  const values = [id, key_hash, clock_offset_ms, clock_far_ms, clock_behind_since]
  await pools.asyncCommit.query(
    'update monitors set clock_offset_ms = $3, clock_far_ms = $4, clock_behind_since = $5 where id = $1 and key_hash = $2',
    values,
  )
}

/**
 * Records whether a monitor is still uploading results from the time when it was offline. Does not wait for the disk. Does nothing
 * if the key no longer belongs to the monitor.
 */
export async function updateCatchingUp(
  { pools }: Database,
  { id, key_hash }: CallerKey,
  catching_up: boolean,
): Promise<void> {
  const values = [id, key_hash, catching_up]
  await pools.asyncCommit.query('update monitors set catching_up = $3 where id = $1 and key_hash = $2', values)
}

/** Columns that an enrollment sets, of a new monitor or of one that was reset. */
export type MonitorEnrollment = MonitorPlace & {
  key_hash: Buffer
  enrolled_at: string
  enrolled_by: number | null
  enrolled_with: Buffer | null
  abilities: string[]
}

export async function insertMonitor(db: Db, row: MonitorEnrollment & MonitorKey): Promise<boolean> {
  const inserted = await db
    .insertInto('monitors')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Counts the monitors of an org that are not retired. */
export async function countLiveMonitors(db: Db, org_id: number): Promise<number> {
  const { rows } = await sql<{ live: number }>`
    select count(*)::integer as live from monitors where org_id = ${org_id} and retired_at is null`.execute(db)
  return rows[0]?.live ?? 0
}

/**
 * Returns when the nth newest monitor that an org enrolled in a span of time did so. Counts retired monitors, because their rows
 * stay. Returns undefined if fewer enrolled.
 */
export async function findEnrolledAt(
  db: Db,
  org_id: number,
  { after, until }: { after: string; until: string },
  nth: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ enrolled_at: string }>`
    select wire_time(enrolled_at) as enrolled_at from monitors
    where org_id = ${org_id} and enrolled_at > ${after}::timestamptz and enrolled_at <= ${until}::timestamptz
    order by monitors.enrolled_at desc offset ${nth - 1} limit 1`.execute(db)
  return rows[0]?.enrolled_at
}

/** Stores a new API key for a monitor that was reset. If two agents enroll at once, one of them gets false. */
export async function updateReclaimed(db: Db, key: MonitorKey, change: MonitorEnrollment): Promise<boolean> {
  const { numUpdatedRows } = await live(db, key).set(change).where('key_hash', 'is', null).executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Begins an update of a monitor that is not retired. */
function live(db: Db, { id, org_id }: MonitorKey) {
  return db
    .updateTable('monitors')
    .where('id', '=', id)
    .where('org_id', 'is not distinct from', org_id)
    .where('retired_at', 'is', null)
}

/** Finds a monitor by id among those of an org, or of the shared fleet if `org_id` is null. */
export async function findMonitorInOrg(
  db: Db,
  id: string,
  org_id: number | null,
): Promise<{ id: string; name: string; is_retired: boolean } | undefined> {
  return db
    .selectFrom('monitors')
    .select((eb) => ['id', 'name', eb('retired_at', 'is not', null).$castTo<boolean>().as('is_retired')])
    .where('id', '=', id)
    .where('org_id', 'is not distinct from', org_id)
    .executeTakeFirst()
}

/** Finds the org of a monitor, and whether an agent can still enroll as this monitor. */
export async function findMonitorState(
  db: Db,
  id: string,
): Promise<{ org_id: number | null; is_retired: boolean; is_reset: boolean } | undefined> {
  return db
    .selectFrom('monitors')
    .select((eb) => [
      'org_id',
      eb('retired_at', 'is not', null).$castTo<boolean>().as('is_retired'),
      eb('key_hash', 'is', null).$castTo<boolean>().as('is_reset'),
    ])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Lists the orgs of these monitors. Unknown and retired monitors are absent. */
export async function listMonitorOwners(
  db: Db,
  ids: readonly string[],
): Promise<{ id: string; org_id: number | null }[]> {
  return db
    .selectFrom('monitors')
    .select(['id', 'org_id'])
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .where('retired_at', 'is', null)
    .execute()
}

/** Lists the monitors that an org may use and that enrolled after an instant. */
export async function listEnrolledSince(db: Db, org_id: number, since: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from monitors
    where (org_id = ${org_id} or org_id is null) and retired_at is null and enrolled_at > ${since}::timestamptz
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Abilities of a monitor, and the time at which they last changed. */
export interface MonitorAbilities {
  abilities: string[]
  abilities_at: string | null
}

export interface MonitorSnapshot {
  version: string
  uptime_sec: number
  unsent_results: number
  last_outage_sec: number | null
  last_outage_ended_at: string | null
}

/**
 * Replaces all that the monitor reported about itself, so that omitted values become unknown. Returns the monitor's abilities, or
 * undefined if the monitor may no longer report.
 */
export async function updateSnapshot(
  db: Db,
  { id, key_hash }: CallerKey,
  snapshot: MonitorSnapshot,
  reported_at: string,
): Promise<MonitorAbilities | undefined> {
  return db
    .updateTable('monitors as m')
    .set({ ...snapshot, reported_at })
    .where('m.id', '=', id)
    .where('m.key_hash', '=', key_hash)
    .where(sql<boolean>`${sql.raw(IS_ALLOWED)}`)
    .returning((eb) => ['m.abilities', wireTime(eb.ref('m.abilities_at')).as('abilities_at')])
    .executeTakeFirst()
}

/**
 * Replaces the abilities of a monitor, unless another request has changed them since they were read. Advances the sync clock,
 * because the checks that the monitor runs can change.
 */
export async function updateAbilities(
  db: Db,
  { id, key_hash }: CallerKey,
  { abilities, abilities_at }: MonitorAbilities,
  read_at: string | null,
): Promise<void> {
  await db
    .updateTable('monitors')
    .set({ abilities, abilities_at })
    .where('id', '=', id)
    .where('key_hash', '=', key_hash)
    .where('abilities_at', 'is not distinct from', read_at)
    .execute()
}

/** Id of a monitor, and its org. `org_id` is null for the shared fleet. */
export interface MonitorKey {
  id: string
  org_id: number | null
}

/**
 * Enables or disables a monitor. A disabled monitor does not have to be online. A monitor that is enabled again gets three minutes
 * to come online.
 */
export async function updateSwitch(
  db: Db,
  key: MonitorKey,
  which: 'enabled' | 'platform_enabled',
  on: boolean,
  now: string,
): Promise<boolean> {
  const { numUpdatedRows } = await live(db, key)
    .set((eb) => ({
      [which]: on,
      ...(on
        ? { watched_since: sql<string>`case when ${eb.ref(which)} then watched_since else ${now}::timestamptz end` }
        : { offline_since: null }),
    }))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function updateReset(db: Db, key: MonitorKey): Promise<boolean> {
  const { numUpdatedRows } = await live(db, key).set({ key_hash: null, offline_since: null }).executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Retires a monitor for good: deletes its key, disables it, and ends its assignments. Returns false if it was already retired.
 */
export async function updateRetired(db: Db, key: MonitorKey, now: string): Promise<boolean> {
  const { numUpdatedRows } = await live(db, key)
    // The other monitors take over its turns, as if it were disabled.
    .set({ retired_at: now, enabled: false, key_hash: null, offline_since: null, catching_up: false })
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await db
    .updateTable('assignments as a')
    .set({ active: false, unable: false })
    .where('monitor_id', '=', key.id)
    .where(IS_ASSIGNED_SQL)
    .execute()
  return true
}

export async function updateMonitorName(db: Db, key: MonitorKey, name: string): Promise<boolean> {
  const { numUpdatedRows } = await live(db, key).set({ name }).executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Lists the monitors of an org (a number), of the shared fleet (null), or all (undefined). Retired ones are absent. */
export async function listMonitors(db: Db, org_id: number | null | undefined, { limit, offset }: Slice = ALL) {
  return db
    .selectFrom('monitors')
    .select((eb) => [
      'id',
      'org_id',
      'name',
      'region',
      'country',
      'city',
      'enabled',
      'platform_enabled',
      eb('key_hash', 'is not', null).$castTo<boolean>().as('enrolled'),
      wireTime(eb.ref('last_seen_at')).as('last_seen_at'),
      'version',
      'uptime_sec',
      'unsent_results',
      'clock_offset_ms',
      'last_outage_sec',
      wireTime(eb.ref('last_outage_ended_at')).as('last_outage_ended_at'),
      wireTime(eb.ref('reported_at')).as('reported_at'),
    ])
    .where('retired_at', 'is', null)
    .$if(org_id !== undefined, (query) => query.where('org_id', 'is not distinct from', org_id as number | null))
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
}

export type VisibleMonitorRow = MonitorPlace & {
  id: string
  org_id: number | null
  enabled: boolean
  /** Whether the monitor is enabled, and has sent a request since an instant. */
  online: boolean
  last_seen_at: string | null
}

/** Lists the monitors that an org may see: its own, then the enabled shared ones, each by id. */
export async function listVisibleMonitors(db: Db, org_id: number, onlineSince: string): Promise<VisibleMonitorRow[]> {
  return visible(db, onlineSince)
    .where((eb) =>
      eb.or([
        eb('org_id', '=', org_id),
        eb.and([eb('org_id', 'is', null), eb('enabled', '=', true), eb('platform_enabled', '=', true)]),
      ]),
    )
    .orderBy(sql`org_id is null`)
    .orderBy('id')
    .execute()
}

export interface AbilitiesRow {
  id: string
  is_shared: boolean
  abilities: string[]
}

/** Lists the abilities of the enabled monitors that an organisation may use. */
export async function listAbilities(db: Db, org_id: number): Promise<AbilitiesRow[]> {
  const { rows } = await sql<AbilitiesRow>`
    select id, org_id is null as is_shared, abilities from monitors
    where (org_id = ${org_id} or org_id is null) and retired_at is null and enabled and platform_enabled`.execute(db)
  return rows
}

/** Lists the enabled shared monitors, one page at a time. */
export async function listSharedMonitors(
  db: Db,
  onlineSince: string,
  { limit, offset }: Slice,
): Promise<VisibleMonitorRow[]> {
  return visible(db, onlineSince)
    .where('org_id', 'is', null)
    .where('enabled', '=', true)
    .where('platform_enabled', '=', true)
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
}

function visible(db: Db, onlineSince: string) {
  return db
    .selectFrom('monitors')
    .select((eb) => [
      'id',
      'org_id',
      'name',
      'region',
      'country',
      'city',
      eb
        .and([eb('enabled', '=', true), eb('platform_enabled', '=', true)])
        .$castTo<boolean>()
        .as('enabled'),
      sql<boolean>`enabled and platform_enabled and coalesce(last_seen_at > ${onlineSince}::timestamptz, false)`.as(
        'online',
      ),
      wireTime(eb.ref('last_seen_at')).as('last_seen_at'),
    ])
    .where('retired_at', 'is', null)
}
