// Stores, enables, disables and deletes many heartbeats with statements for all of them. The callers hold the locks of
// the organisation and of the heartbeats.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { HeartbeatColumns } from './heartbeats.ts'

export type NewHeartbeatRow = Required<HeartbeatColumns> & {
  guid: string
  token: string
  key: string | null
  enabled: boolean
}

/** Inserts heartbeats with their ping tokens, in the given order. */
export async function insertHeartbeats(
  db: Db,
  org_id: number,
  rows: readonly NewHeartbeatRow[],
  created_by: number | null,
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    with given as (
      select * from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (
        guid text, token text, key text, enabled boolean, name text, interval_sec integer, grace_sec integer,
        resend_interval_sec integer, show_on_status_page boolean, tags text[], cron text, cron_zone text
      )) with ordinality
    ), stored as (
      insert into heartbeats (org_id, guid, key, enabled, name, interval_sec, grace_sec, resend_interval_sec, show_on_status_page,
        tags, cron, cron_zone)
      select ${org_id}::bigint, guid, key, enabled, name, interval_sec, grace_sec, resend_interval_sec, show_on_status_page,
        tags, cron, cron_zone
      from given order by ordinality returning heartbeat_id, guid
    )
    insert into heartbeat_keys (guid, token, org_id, heartbeat_id, created_by)
    select guid, token, ${org_id}::bigint, heartbeat_id, ${created_by}::bigint from stored join given using (guid)
    order by heartbeat_id`.execute(db)
}

export type EditedHeartbeatRow = Required<HeartbeatColumns> & {
  guid: string
  /** Deadline to store if the edit changes the heartbeat's schedule. */
  due_at: string | null
}

/**
 * Replaces the settings of heartbeats. Also replaces the deadlines of those whose interval, grace period or cron expression
 * changes.
 */
export async function updateHeartbeats(db: Db, org_id: number, rows: readonly EditedHeartbeatRow[]): Promise<void> {
  if (rows.length === 0) return
  // Keeps the deadline if the schedule is unchanged, because an outage might have postponed it.
  await sql`
    update heartbeats h set name = k.name, interval_sec = k.interval_sec, grace_sec = k.grace_sec,
      resend_interval_sec = k.resend_interval_sec, show_on_status_page = k.show_on_status_page, tags = k.tags, cron = k.cron,
      cron_zone = k.cron_zone, due_at = case when h.interval_sec = k.interval_sec and h.grace_sec = k.grace_sec
        and h.cron is not distinct from k.cron and h.cron_zone is not distinct from k.cron_zone then h.due_at else k.due_at end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as k(guid text, name text, interval_sec integer, grace_sec integer,
      resend_interval_sec integer, show_on_status_page boolean, tags text[], cron text, cron_zone text, due_at timestamptz)
    where h.org_id = ${org_id} and h.guid = k.guid`.execute(db)
}

/**
 * Enables or disables heartbeats, by their owner's or the platform's switch, and returns the ids of those that changed. Enabled
 * ones start from `new`, because they might have missed pings. None is overdue before its next ping.
 */
export async function updateHeartbeatsEnabled(
  db: Db,
  org_id: number,
  guids: readonly string[],
  on: boolean,
  which: 'enabled' | 'platform_enabled' = 'enabled',
): Promise<number[]> {
  if (guids.length === 0) return []
  const column = sql.ref(which)
  const begins = on ? sql`, state = 'new', down_since = null, last_heartbeat_at = null` : sql``
  const { rows } = await sql<{ heartbeat_id: number }>`
    update heartbeats set ${column} = ${on}, due_at = null ${begins}
    where org_id = ${org_id} and guid = any(${[...guids]}::text[]) and ${column} <> ${on} returning heartbeat_id`.execute(
    db,
  )
  return rows.map(({ heartbeat_id }) => heartbeat_id)
}

/** Reads the tags of heartbeats, and locks their rows until the transaction ends, in the same order as judging does. */
export async function lockHeartbeatTags(
  db: Db,
  org_id: number,
  guids: readonly string[],
): Promise<{ guid: string; name: string; tags: string[] }[]> {
  const { rows } = await sql<{ guid: string; name: string; tags: string[] }>`
    select guid, name, tags from heartbeats where org_id = ${org_id} and guid = any(${[...guids]}::text[])
    order by heartbeat_id for no key update`.execute(db)
  return rows
}

/** Replaces the tags of heartbeats. */
export async function updateHeartbeatTags(
  db: Db,
  org_id: number,
  changed: readonly { guid: string; tags: readonly string[] }[],
): Promise<void> {
  if (changed.length === 0) return
  await sql`
    update heartbeats h set tags = k.tags
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as k(guid text, tags text[])
    where h.org_id = ${org_id} and h.guid = k.guid`.execute(db)
}

/** Lists the ids of an org's heartbeats with these guids. */
export async function listHeartbeatIds(db: Db, org_id: number, guids: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ heartbeat_id: number }>`
    select heartbeat_id from heartbeats where org_id = ${org_id} and guid = any(${[...guids]}::text[])
    order by heartbeat_id`.execute(db)
  return rows.map(({ heartbeat_id }) => heartbeat_id)
}

/** Deletes heartbeats, their pings, and the times of their refused pings. */
export async function deleteHeartbeats(db: Db, org_id: number, ids: readonly number[]): Promise<void> {
  const its = sql`org_id = ${org_id} and heartbeat_id = any(${[...ids]}::bigint[])`
  await sql`delete from heartbeats where ${its}`.execute(db)
  await sql`delete from refused_pings where ${its}`.execute(db)
}
