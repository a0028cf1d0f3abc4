// Lists which checks and heartbeats are acknowledged or muted, for the pages that list checks and heartbeats.

import { prepared } from '../builder-pool.ts'
import type { Db } from '../database.ts'
import { mutesOn } from './mutes.ts'

export interface CareRow {
  /** Guid of the check or heartbeat. */
  guid: string
  /** Time of the acknowledgement. Null if no incident is open, or no one acknowledged it. */
  acknowledged_at: string | null
  acknowledged_by: string | null
  /** Time until which the check or heartbeat is muted. Null if it is not muted. */
  muted_until: string | null
  muted_by: string | null
  /** Whether the mute ends with the incident. */
  until_resolved: boolean | null
}

/** Lists the checks and heartbeats of an organisation that are acknowledged or muted. */
export async function listCare(db: Db, org_id: number, now: string): Promise<CareRow[]> {
  const { rows } = await prepared<CareRow>`
    with held as (
      select case when check_id is null then 'heartbeat:' || heartbeat_id else 'check:' || check_id end as subject,
        acknowledged_at, acknowledged_by
      from incidents where org_id = ${org_id} and ended_at is null and acknowledged_at is not null
    ), muted as (
      select subject, muted_until, muted_by, until_resolved from ${mutesOn(org_id, now)} m
    ), care as (
      select subject, acknowledged_at, acknowledged_by, muted_until, muted_by, until_resolved from held full join muted using (subject)
    )
    select coalesce(k.guid, h.guid) as guid, wire_time(acknowledged_at) as acknowledged_at, acknowledged_by,
      wire_time(muted_until) as muted_until, muted_by, until_resolved
    from care
    left join checks k on care.subject like 'check:%' and k.org_id = ${org_id}
      and k.check_id = nullif(split_part(care.subject, ':', 2), '')::bigint
    left join heartbeats h on care.subject like 'heartbeat:%' and h.org_id = ${org_id}
      and h.heartbeat_id = nullif(split_part(care.subject, ':', 2), '')::bigint
    where coalesce(k.guid, h.guid) is not null`.execute(db)
  return rows
}
