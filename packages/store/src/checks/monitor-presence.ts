// Stores which monitors are online, and which are offline.
import { sql } from 'kysely'
import type { CheckKey } from '../check-keys.ts'
import type { Db } from '../database.ts'

export interface WatchedMonitor {
  id: string
  /** Organisation of the monitor. Null for the shared fleet. */
  org_id: number | null
  name: string
  org_name: string | null
  last_seen_at: string
  /** Start of the monitor's silence: the latest time at which it was seen, enrolled, enabled or found to be online again. */
  silent_since: string
  offline_since: string | null
  /** Time of the monitor's newest request that this server could not accept through its own fault. */
  refused_at: string | null
}

const SILENT_SINCE = sql`greatest(m.last_seen_at, m.enrolled_at, m.watched_since)`
/** SQL condition for monitors (`m`) that are enabled, both by their owner and by the platform. */
export const ACTIVE = sql`m.enabled and m.platform_enabled`
const IS_SETTLED = sql`${ACTIVE} and m.key_hash is not null and m.last_seen_at is not null`
/**
 * SQL condition for private monitors (`m`) that are enabled and have been online. People are notified when these go offline.
 */
export const IS_WATCHED = sql`m.org_id is not null and ${IS_SETTLED}`

/** Lists monitors that might have gone offline, and offline monitors that have been seen since they went offline. */
export async function listMonitorsToSettle(db: Db, silentBefore: string): Promise<WatchedMonitor[]> {
  const { rows } = await sql<WatchedMonitor>`
    select m.id, m.org_id, m.name, o.name as org_name, wire_time(m.last_seen_at) as last_seen_at,
      wire_time(${SILENT_SINCE}) as silent_since, wire_time(m.offline_since) as offline_since,
      wire_time(r.refused_at) as refused_at
    from monitors m left join organisations o on o.org_id = m.org_id
    left join refused_requests r on r.monitor_id = m.id
    where ${IS_SETTLED} and o.suspended_at is null and (
      m.offline_since is null and ${SILENT_SINCE} <= ${silentBefore}::timestamptz
      or m.last_seen_at > m.offline_since)
    order by m.org_id, m.id`.execute(db)
  return rows
}

/**
 * Records that monitors are offline, and returns those that were online before. Skips monitors that another statement is just
 * recording as seen.
 */
export async function updateOffline(db: Db, ids: readonly string[], silentBefore: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with held as (
      select m.id from monitors m
      where m.id = any(${[...ids]}::text[]) and ${IS_SETTLED} and m.offline_since is null
        and ${SILENT_SINCE} <= ${silentBefore}::timestamptz
      order by m.id for no key update skip locked
    )
    update monitors m set offline_since = ${SILENT_SINCE} from held where m.id = held.id
    returning m.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Records that monitors are online again, and returns those that were offline before. */
export async function updateOnline(db: Db, ids: readonly string[], now: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with held as (
      select m.id from monitors m
      where m.id = any(${[...ids]}::text[]) and ${IS_SETTLED} and m.last_seen_at > m.offline_since
      order by m.id for no key update
    )
    update monitors m set offline_since = null, watched_since = ${now}::timestamptz from held where m.id = held.id
    returning m.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Lists an organisation's offline monitors, the one that went offline first at the top. */
export async function listOffline(db: Db, org_id: number): Promise<{ id: string; name: string; since: string }[]> {
  const { rows } = await sql<{ id: string; name: string; since: string }>`
    select id, name, wire_time(offline_since) as since from monitors
    where org_id = ${org_id} and offline_since is not null order by offline_since, id`.execute(db)
  return rows
}

export interface LeftCheck extends CheckKey {
  guid: string
  name: string
  monitor_id: string
  /** Whether another monitor of the check is online. */
  is_watched: boolean
  down_since: string | null
}

/** Lists the enabled checks that the given monitors run, and whether other monitors also run them. */
export async function listChecksLeft(db: Db, ids: readonly string[], onlineSince: string): Promise<LeftCheck[]> {
  const { rows } = await sql<LeftCheck>`
    select c.org_id, c.check_id, c.guid, c.name, a.monitor_id, wire_time(i.began_at) as down_since,
      exists (
        select from assignments b join monitors m on m.id = b.monitor_id and ${ACTIVE}
        where b.org_id = a.org_id and b.check_id = a.check_id and b.active
          and m.last_seen_at > ${onlineSince}::timestamptz) as is_watched
    from assignments a
    join checks c on c.org_id = a.org_id and c.check_id = a.check_id and c.enabled and not c.deleted
    left join incidents i on i.org_id = a.org_id and i.check_id = a.check_id and i.ended_at is null
    where a.monitor_id = any(${[...ids]}::text[]) and a.active
    order by a.org_id, a.check_id`.execute(db)
  return rows
}
