// Checks and heartbeats of which nobody is told for a while.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export interface MuteRow {
  /** `check:7` */
  subject: string
  muted_until: string
  muted_at: string
  muted_by: string
}

/** Those of the subjects that are muted at an instant. */
export async function listMutes(db: Db, org_id: number, subjects: readonly string[], now: string): Promise<MuteRow[]> {
  const { rows } = await sql<MuteRow>`
    select subject, wire_time(muted_until) as muted_until, wire_time(muted_at) as muted_at, muted_by from mutes
    where org_id = ${org_id} and subject = any(${[...subjects]}::text[]) and muted_until > ${now}::timestamptz`.execute(
    db,
  )
  return rows
}

/** Mutes a subject, or changes until when it is muted. Mutes of the organisation that are over are deleted. */
export async function putMute(db: Db, org_id: number, mute: MuteRow): Promise<void> {
  const { subject, muted_until, muted_at, muted_by } = mute
  await sql`
    insert into mutes (org_id, subject, muted_until, muted_at, muted_by)
    values (${org_id}, ${subject}, ${muted_until}::timestamptz, ${muted_at}::timestamptz, ${muted_by})
    on conflict (org_id, subject) do update set muted_until = excluded.muted_until, muted_at = excluded.muted_at,
      muted_by = excluded.muted_by`.execute(db)
  await sql`delete from mutes where org_id = ${org_id} and muted_until <= ${muted_at}::timestamptz`.execute(db)
}

/** False: it was not muted. */
export async function deleteMute(db: Db, org_id: number, subject: string): Promise<boolean> {
  const { rows } = await sql`
    delete from mutes where org_id = ${org_id} and subject = ${subject} returning subject`.execute(db)
  return rows.length > 0
}

/** The same for several subjects. */
export async function deleteMutes(db: Db, org_id: number, subjects: readonly string[]): Promise<void> {
  if (subjects.length === 0) return
  await sql`delete from mutes where org_id = ${org_id} and subject = any(${[...subjects]}::text[])`.execute(db)
}
