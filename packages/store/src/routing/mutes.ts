// Stores current mutes: checks and heartbeats whose alerts are withheld for a while. The audit log has the history of mutes.
import { type RawBuilder, sql } from 'kysely'
import { prepared, unseen } from '../builder-pool.ts'
import type { Db } from '../database.ts'

export interface MuteRow {
  /** Subject of the mute, such as `check:7`. */
  subject: string
  /** Latest time at which the mute ends. */
  muted_until: string
  muted_at: string
  muted_by: string
  /** Whether the mute ends together with the incident that was open when someone made it. */
  until_resolved: boolean
}

/** Maximum duration of a mute, in days. */
export const MOST_MUTED_DAYS = 90

/** Returns a subquery for the mutes of an organisation that are on at an instant, as rows of {@link MuteRow} with instants. */
export function mutesOn(org_id: number, now: string): RawBuilder<unknown> {
  return sql`(
    select subject, muted_until, muted_at, muted_by, false as until_resolved from mutes m
    where org_id = ${org_id} and m.incident_id is null and muted_until > ${now}::timestamptz
    union all
    select m.subject, m.muted_at + make_interval(days => ${MOST_MUTED_DAYS}), m.muted_at, m.muted_by, true
    from mutes m join incidents i on i.org_id = m.org_id and i.incident_id = m.incident_id
    where m.org_id = ${org_id} and i.ended_at is null
      and m.muted_at > ${now}::timestamptz - make_interval(days => ${MOST_MUTED_DAYS}))`
}

/** Lists the mutes of the given subjects that are on at an instant. */
export async function listMutes(db: Db, org_id: number, subjects: readonly string[], now: string): Promise<MuteRow[]> {
  const { rows } = await prepared<MuteRow>`
    select subject, wire_time(muted_until) as muted_until, wire_time(muted_at) as muted_at, muted_by, until_resolved
    from ${mutesOn(org_id, now)} m where subject = any(${unseen(sql`${[...subjects]}::text[]`)}::text[])`.execute(db)
  return rows
}

export type NewMute = Pick<MuteRow, 'subject' | 'muted_at' | 'muted_by'> &
  ({ muted_until: string } | { incident_id: string })

/** Mutes a subject, or changes the end of its mute. */
export async function putMute(db: Db, org_id: number, mute: NewMute): Promise<void> {
  const { subject, muted_at, muted_by } = mute
  const [muted_until, incident_id] = 'incident_id' in mute ? [muted_at, mute.incident_id] : [mute.muted_until, null]
  await sql`
    insert into mutes (org_id, subject, muted_until, muted_at, muted_by, incident_id)
    values (${org_id}, ${subject}, ${muted_until}::timestamptz, ${muted_at}::timestamptz, ${muted_by}, ${incident_id})
    on conflict (org_id, subject) do update set muted_until = excluded.muted_until, muted_at = excluded.muted_at,
      muted_by = excluded.muted_by, incident_id = excluded.incident_id`.execute(db)
}

/** Deletes a mute. Returns false if there was none. */
export async function deleteMute(db: Db, org_id: number, subject: string): Promise<boolean> {
  const { rows } = await sql`
    delete from mutes where org_id = ${org_id} and subject = ${subject} returning subject`.execute(db)
  return rows.length > 0
}

/** Deletes the mutes of several subjects. */
export async function deleteMutes(db: Db, org_id: number, subjects: readonly string[]): Promise<void> {
  if (subjects.length === 0) return
  await sql`delete from mutes where org_id = ${org_id} and subject = any(${[...subjects]}::text[])`.execute(db)
}
