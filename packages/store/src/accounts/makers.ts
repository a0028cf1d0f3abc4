// Finds monitors, heartbeats and channels that former members created and that still work.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { ALL, type Slice } from '../slice.ts'

/**
 * Monitor, ping URL or channel that a person made. `id` is the monitor's id, the guid of the heartbeat, or the channel's id.
 */
export interface MadeRow {
  kind: 'monitor' | 'heartbeat' | 'channel'
  id: string
  name: string
}

/** Lists the monitors that enrolled with a person's tokens, and the ping URLs and channels that the person made. */
export async function listMadeBy(
  db: Db,
  { org_id, person_id }: { org_id: number; person_id: number },
  { limit, offset }: Slice = ALL,
): Promise<MadeRow[]> {
  const { rows } = await sql<MadeRow>`
    select 'monitor' as kind, id, name from monitors
    where org_id = ${org_id} and enrolled_by = ${person_id} and key_hash is not null
    union all
    select 'heartbeat', k.guid, h.name
    from heartbeat_keys k join heartbeats h on h.org_id = k.org_id and h.heartbeat_id = k.heartbeat_id
    where k.org_id = ${org_id} and k.created_by = ${person_id}
    union all
    select 'channel', id::text, name from notification_channels
    where org_id = ${org_id} and created_by = ${person_id}
    order by kind, name, id limit ${limit} offset ${offset}`.execute(db)
  return rows
}

export interface FormerMaker {
  person_id: number
  /** Email address. Null if the person was deleted. */
  email: string | null
}

/** Lists people who are no longer members of an organisation, and who created something in it that still works. */
export async function listFormerMakers(db: Db, org_id: number, { limit, offset }: Slice): Promise<FormerMaker[]> {
  const { rows } = await sql<FormerMaker>`
    select m.person_id, p.email from (
      select enrolled_by as person_id from monitors where org_id = ${org_id} and key_hash is not null
      union
      select created_by from heartbeat_keys where org_id = ${org_id}
      union
      select created_by from notification_channels where org_id = ${org_id}
    ) m left join people p on p.person_id = m.person_id
    where m.person_id is not null
      and not exists (select from memberships w where w.org_id = ${org_id} and w.person_id = m.person_id)
    order by p.email, m.person_id limit ${limit} offset ${offset}`.execute(db)
  return rows
}

export interface UnknownMakers {
  enrollment_tokens: number
  monitors: number
  heartbeats: number
  channels: number
}

/** Counts an organisation's tokens, monitors, ping URLs and channels that still work and whose creator is unknown. */
export async function countUnknownMakers(db: Db, org_id: number, now: string): Promise<UnknownMakers> {
  const { rows } = await sql<UnknownMakers>`
    select
      (select count(*) from enrollment_tokens where org_id = ${org_id} and created_by is null and revoked_at is null
        and expires_at > ${now}::timestamptz) as enrollment_tokens,
      (select count(*) from monitors where org_id = ${org_id} and enrolled_by is null and key_hash is not null) as monitors,
      (select count(*) from heartbeat_keys where org_id = ${org_id} and created_by is null) as heartbeats,
      (select count(*) from notification_channels where org_id = ${org_id} and created_by is null) as channels`.execute(
    db,
  )
  return rows[0] ?? { enrollment_tokens: 0, monitors: 0, heartbeats: 0, channels: 0 }
}
