// Reads heartbeats for the configuration API, with their keys.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'

export interface ConfiguredHeartbeatRow {
  guid: string
  key: string | null
  name: string
  interval_sec: number
  grace_sec: number
  resend_interval_sec: number
  cron: string | null
  cron_zone: string | null
  tags: readonly string[]
  show_on_status_page: boolean
  enabled: boolean
  platform_enabled: boolean
  state: string
  down_since: string | null
  last_heartbeat_at: string | null
}

export interface WhichHeartbeats {
  limit: number
  /** Guid of the heartbeat after which the list begins. */
  after?: string | undefined
  tag?: string | undefined
}

/** Lists heartbeats of an org, oldest first. */
export async function listConfiguredHeartbeats(
  db: Db,
  org_id: number,
  { limit, after, tag }: WhichHeartbeats,
): Promise<ConfiguredHeartbeatRow[]> {
  return select(db, org_id)
    .$if(tag !== undefined, (query) => query.where(sql<boolean>`${tag} = any(tags)`))
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`heartbeat_id > (select heartbeat_id from heartbeats before where before.org_id = ${org_id} and before.guid = ${after})`,
      ),
    )
    .orderBy('heartbeat_id')
    .limit(limit)
    .execute()
}

export async function findConfiguredHeartbeat(
  db: Db,
  org_id: number,
  guid: string,
): Promise<ConfiguredHeartbeatRow | undefined> {
  return select(db, org_id).where('guid', '=', guid).executeTakeFirst()
}

/** Lists the heartbeats of an org with these guids. */
export async function listConfiguredHeartbeatsOf(
  db: Db,
  org_id: number,
  guids: readonly string[],
): Promise<ConfiguredHeartbeatRow[]> {
  return select(db, org_id)
    .where('guid', '=', sql<string>`any(${[...guids]}::text[])`)
    .execute()
}

/** Finds a heartbeat, and locks its row until the transaction ends, so that no one else changes it. */
export async function lockConfiguredHeartbeat(
  db: Db,
  org_id: number,
  guid: string,
): Promise<ConfiguredHeartbeatRow | undefined> {
  return select(db, org_id).where('guid', '=', guid).forNoKeyUpdate().executeTakeFirst()
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
      'cron',
      'cron_zone',
      'tags',
      'show_on_status_page',
      'enabled',
      'platform_enabled',
      'state',
      wireTime(eb.ref('down_since')).as('down_since'),
      wireTime(eb.ref('last_heartbeat_at')).as('last_heartbeat_at'),
    ])
    .where('org_id', '=', org_id)
}
