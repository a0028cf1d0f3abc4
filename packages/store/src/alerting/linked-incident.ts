// Finds the incident that a link in an alert leads to.
import { sql } from 'kysely'
import type { Verdict } from '../checks/incidents.ts'
import type { Db } from '../database.ts'

export interface LinkKey {
  org_id: number
  channel_id: number
  incident_id: string
}

/** Incident that a link leads to. Fields are null for whatever has been deleted. */
export interface LinkedIncident {
  org_name: string
  is_suspended: boolean
  channel_name: string | null
  kind: 'check' | 'heartbeat' | null
  guid: string | null
  name: string | null
  /** Subject of the incident, such as `check:7`. */
  subject: string | null
  began_at: string | null
  verdict: Partial<Verdict> | null
  ended_at: string | null
  end_reason: string | null
  acknowledged_at: string | null
  acknowledged_by: string | null
}

/** Finds the incident of a link. Returns undefined if the organisation itself was deleted. */
export async function findLinkedIncident(
  db: Db,
  { org_id, channel_id, incident_id }: LinkKey,
): Promise<LinkedIncident | undefined> {
  const { rows } = await sql<LinkedIncident>`
    select o.name as org_name, o.suspended_at is not null as is_suspended, c.name as channel_name,
      case when i.check_id is not null then 'check' when i.heartbeat_id is not null then 'heartbeat' end as kind,
      coalesce(k.guid, h.guid) as guid, coalesce(k.name, h.name) as name,
      case when i.check_id is not null then 'check:' || i.check_id when i.heartbeat_id is not null then 'heartbeat:' || i.heartbeat_id
        end as subject,
      i.verdict, wire_time(i.began_at) as began_at, wire_time(i.ended_at) as ended_at, i.end_reason,
      wire_time(i.acknowledged_at) as acknowledged_at, i.acknowledged_by
    from organisations o
    left join notification_channels c on c.org_id = o.org_id and c.id = ${channel_id}
    left join incidents i on i.org_id = o.org_id and i.incident_id = ${incident_id}
    left join checks k on k.org_id = i.org_id and k.check_id = i.check_id
    left join heartbeats h on h.org_id = i.org_id and h.heartbeat_id = i.heartbeat_id
    where o.org_id = ${org_id}`.execute(db)
  return rows[0]
}
