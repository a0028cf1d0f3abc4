// Heartbeats: jobs that call us, and the keys by which they and people find them.
import type { Db } from './database.ts'
import { wireTime } from './wire-time.ts'

export interface HeartbeatColumns {
  name: string
  interval_sec: number
  grace_sec: number
  resend_interval_sec: number
  show_on_status_page: boolean
}

export interface HeartbeatRow extends HeartbeatColumns {
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
): Promise<void> {
  const { org_id, guid } = row
  const { heartbeat_id } = await db
    .insertInto('heartbeats')
    .values(row)
    .returning('heartbeat_id')
    .executeTakeFirstOrThrow()
  await db.insertInto('heartbeat_keys').values({ guid, token, org_id, heartbeat_id }).execute()
}

/** An org's heartbeats, oldest first. The token is not among the columns: it is no part of the record. */
export async function listHeartbeats(db: Db, org_id: number): Promise<HeartbeatRow[]> {
  return db
    .selectFrom('heartbeats')
    .select((eb) => [
      'guid',
      'name',
      'interval_sec',
      'grace_sec',
      'resend_interval_sec',
      'show_on_status_page',
      'enabled',
      'platform_enabled',
      'state',
      wireTime(eb.ref('down_since')).as('down_since'),
      wireTime(eb.ref('last_heartbeat_at')).as('last_heartbeat_at'),
    ])
    .where('org_id', '=', org_id)
    .orderBy('heartbeat_id')
    .execute()
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

/** Moves one of its two switches. One that comes back after a pause begins anew: nobody knows what was missed. */
export async function updateHeartbeatSwitch(
  db: Db,
  { org_id, heartbeat_id }: HeartbeatPlace,
  which: 'enabled' | 'platform_enabled',
  on: boolean,
): Promise<void> {
  const begins = on ? ({ state: 'new', down_since: null, last_heartbeat_at: null } as const) : {}
  await db
    .updateTable('heartbeats')
    .set(which === 'enabled' ? { enabled: on, ...begins } : { platform_enabled: on, ...begins })
    .where('org_id', '=', org_id)
    .where('heartbeat_id', '=', heartbeat_id)
    // Switching on what is on must not wipe its state.
    .where(which, '=', !on)
    .execute()
}

export async function deleteHeartbeat(db: Db, { org_id, heartbeat_id }: HeartbeatPlace): Promise<void> {
  await db.deleteFrom('heartbeats').where('org_id', '=', org_id).where('heartbeat_id', '=', heartbeat_id).execute()
}
