// Reads heartbeats for their pages.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'
import type { HeartbeatPlace, HeartbeatRow } from './heartbeats.ts'

export interface ShownHeartbeat extends Omit<HeartbeatRow, 'key'> {
  heartbeat_id: number
  /** Time at which the heartbeat becomes overdue. Null if it cannot become overdue. */
  due_at: string | null
  created_at: string
  /** Time of the heartbeat's last recovery. Null if it never was down. */
  recovered_at: string | null
  /** Newest duration that a ping reported, in milliseconds. */
  last_duration_ms: number | null
}

export type OneHeartbeat = ShownHeartbeat & HeartbeatPlace & { token: string }

const SHOWN = sql`h.heartbeat_id, h.guid, h.name, h.interval_sec, h.grace_sec, h.resend_interval_sec, h.show_on_status_page, h.tags, h.cron, h.cron_zone, h.enabled,
  h.platform_enabled, h.state, wire_time(h.down_since) as down_since, wire_time(h.last_heartbeat_at) as last_heartbeat_at,
  wire_time(h.due_at) as due_at, wire_time(h.created_at) as created_at, wire_time(i.ended_at) as recovered_at, p.duration_ms as last_duration_ms`
const NEWEST = sql`
  left join lateral (
    select ended_at from incidents
    where org_id = h.org_id and heartbeat_id = h.heartbeat_id and ended_at is not null order by began_at desc limit 1
  ) i on true
  left join lateral (
    select duration_ms from pings
    where org_id = h.org_id and heartbeat_id = h.heartbeat_id and duration_ms is not null order by n desc limit 1
  ) p on true`

/** Lists an org's heartbeats, oldest first. */
export async function listShownHeartbeats(db: Db, org_id: number): Promise<ShownHeartbeat[]> {
  const { rows } = await sql<ShownHeartbeat>`
    select ${SHOWN} from heartbeats h ${NEWEST} where h.org_id = ${org_id} order by h.heartbeat_id`.execute(db)
  return rows
}

/** Finds one heartbeat, with the token of its ping URL. */
export async function findShownHeartbeat(db: Db, org_id: number, guid: string): Promise<OneHeartbeat | undefined> {
  const { rows } = await sql<OneHeartbeat>`
    select ${SHOWN}, h.org_id, k.token
    from heartbeats h join heartbeat_keys k on k.guid = h.guid and k.org_id = h.org_id ${NEWEST}
    where h.org_id = ${org_id} and h.guid = ${guid}`.execute(db)
  return rows[0]
}

export interface HeartbeatIncident {
  incident_id: string
  began_at: string
  ended_at: string | null
  end_reason: string | null
  reminders: number
  acknowledged_at: string | null
  acknowledged_by: string | null
}

/** Lists the newest incidents of a heartbeat, newest first. */
export async function listIncidentsOfHeartbeat(
  db: Db,
  { org_id, heartbeat_id }: HeartbeatPlace,
  limit: number,
): Promise<HeartbeatIncident[]> {
  return db
    .selectFrom('incidents')
    .select((eb) => [
      'incident_id',
      wireTime(eb.ref('began_at')).as('began_at'),
      wireTime(eb.ref('ended_at')).as('ended_at'),
      'end_reason',
      'reminders',
      wireTime(eb.ref('acknowledged_at')).as('acknowledged_at'),
      'acknowledged_by',
    ])
    .where('org_id', '=', org_id)
    .where('heartbeat_id', '=', heartbeat_id)
    .orderBy('began_at', 'desc')
    .limit(limit)
    .execute()
}
