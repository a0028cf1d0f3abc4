// Whether the service can be called, and when it could not.
import { sql } from 'kysely'
import type { Database, Db } from './database.ts'
import { wireTime } from './wire-time.ts'

export interface OutageRow {
  began_at: string
  ended_at: string
}

// Of several processes that come back at once, the first that holds the row notes the outage; the others find it fresh.
const TOUCH = {
  name: 'presence-touch',
  text: `
    with before as (
      select alive_at from service_presence for update
    ), told as (
      insert into service_presence (alive_at) values ($1)
      on conflict (is_the_one) do update set alive_at = case
        when service_presence.alive_at > excluded.alive_at + $3::integer * interval '1 millisecond' then excluded.alive_at
        else greatest(service_presence.alive_at, excluded.alive_at) end
    ), untrue as (
      delete from service_outages where ended_at > $1::timestamptz + $3::integer * interval '1 millisecond'
    )
    insert into service_outages (began_at, ended_at)
    select alive_at, $1::timestamptz from before where $1::timestamptz - alive_at > $2::integer * interval '1 millisecond'
    on conflict do nothing`,
}

/**
 * Tells that the service can be called at `now`; a pause longer than `gap_ms` becomes an outage. What was told of a time
 * further ahead than `ahead_ms` came by a wrong clock, and is taken back.
 */
export async function touchPresence(
  database: Database,
  { now, gap_ms, ahead_ms }: { now: string; gap_ms: number; ahead_ms: number },
): Promise<void> {
  await database.relaxed.query({ ...TOUCH, values: [now, gap_ms, ahead_ms] })
}

const EXTEND = {
  name: 'outage-extend',
  text: `
    with longer as (
      update service_outages set ended_at = greatest(ended_at, $2::timestamptz)
      where began_at <= $1::timestamptz and ended_at >= $1::timestamptz returning began_at
    )
    insert into service_outages (began_at, ended_at)
    select $1::timestamptz, $2::timestamptz where not exists (select from longer)
    on conflict (began_at) do update set ended_at = greatest(service_outages.ended_at, excluded.ended_at)`,
}

/** Notes an outage, or makes one longer that it follows on. */
export async function extendOutage({ relaxed }: Database, { began_at, ended_at }: OutageRow): Promise<void> {
  await relaxed.query({ ...EXTEND, values: [began_at, ended_at] })
}

/** Notes that checks were judged at `now`, where a process that takes requests has told its presence before. */
export async function updateJudgedAt(db: Db, now: string): Promise<void> {
  await db.updateTable('service_presence').set({ judged_at: now }).execute()
}

export async function readPresence(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('service_presence')
    .select((eb) => wireTime(eb.ref('alive_at')).as('alive_at'))
    .executeTakeFirst()
  return row?.alive_at
}

/** The outages that ended after an instant, oldest first. */
export async function listOutages(db: Db, since: string): Promise<OutageRow[]> {
  return db
    .selectFrom('service_outages')
    .select((eb) => [wireTime(eb.ref('began_at')).as('began_at'), wireTime(eb.ref('ended_at')).as('ended_at')])
    .where('ended_at', '>', sql<string>`${since}::timestamptz`)
    .orderBy('began_at')
    .execute()
}
