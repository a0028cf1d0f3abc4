// Records when the server was reachable and when it was not.
import { sql } from 'kysely'
import { ABILITIES } from '../abilities.ts'
import type { Database, Db } from '../database.ts'
import { wireTime } from '../wire-time.ts'
import type { ServerProcess } from './processes.ts'

export interface OutageRow {
  began_at: string
  ended_at: string
}

/** Report of a process that accepts pings. All times are by the clock that the process carries. */
export interface Touch {
  now: string
  /** Pause between reports, in milliseconds, beyond which it counts as an outage. */
  gap_ms: number
  /**
   * Lead of a stored time over `now`, in milliseconds, beyond which the time might come from a wrong clock. A smaller lead only
   * shows that this report is late.
   */
  ahead_ms: number
  /** Time without a report, in milliseconds, after which a process counts as ended. */
  gone_ms: number
  /** Reporting process. Absent if its identity does not matter. */
  self?: ServerProcess & {
    port: number | undefined
    public_url: string | undefined
    /**
     * Time of the process's last report. Undefined if it has not reported yet, or has since reported that it accepts no pings.
     */
    told_at: string | undefined
    /** Whether the process has just started, so that an older process with the same port has ended. */
    isStart: boolean
  }
}

// When several processes report again after an outage, the first to lock `service_presence` records the outage of the
// whole service. Each also records its own outage. All lock that row before the rows of processes that have ended.
const TOUCH = {
  name: 'presence-touch',
  text: `
    with before as (
      select alive_at from service_presence for update
    ), told as (
      insert into service_presence as p (alive_at) values ($1)
      on conflict (is_the_one) do update set alive_at = greatest(p.alive_at, excluded.alive_at)
    ), mine as (
      insert into processes as p (process_id, role, host, pid, port, started_at, seen_at, alive_at, abilities, public_url)
      select $5, $6, $7, $8, $9, $1, $1, $1, $12, $13 where $5::text is not null
      on conflict (process_id) do update set port = excluded.port, public_url = excluded.public_url, alive_at = case
        when p.alive_at = $10::timestamptz then excluded.alive_at else greatest(p.alive_at, excluded.alive_at) end
    ), gone as (
      delete from processes p
      where (select count(*) from before) >= 0 and p.alive_at is not null and p.process_id is distinct from $5
        and (p.alive_at < $1::timestamptz - $4::integer * interval '1 millisecond'
          or $11::boolean and p.host = $7 and p.port = $9 and p.alive_at <= $1::timestamptz)
      returning p.alive_at
    ), pauses as (
      select alive_at as began_at, $1::timestamptz as ended_at from before
      union all
      select alive_at, least($1::timestamptz, alive_at + $4::integer * interval '1 millisecond') from gone
      union all
      select $10::timestamptz, $1::timestamptz
    ), noted as (
      insert into service_outages (began_at, ended_at)
      select began_at, max(ended_at) from pauses
      where ended_at - began_at > $2::integer * interval '1 millisecond' group by began_at
      on conflict (began_at) do update set ended_at = greatest(service_outages.ended_at, excluded.ended_at)
    )
    select exists (
      select from (
        select alive_at as at from before union all select alive_at from processes union all select ended_at from service_outages) times
      where at > $1::timestamptz + $3::integer * interval '1 millisecond') as finds_ahead`,
}

/**
 * Reports that the service is reachable at `now`. Records long pauses as outages: of the service, this process, and processes that
 * have ended. Moves no time back, because the report can be late. Returns whether any stored time is ahead.
 */
export async function touchPresence(
  database: Database,
  { now, gap_ms, ahead_ms, gone_ms, self }: Touch,
): Promise<boolean> {
  const { process_id, role, host, pid, port, told_at, public_url, isStart = false } = self ?? {}
  const own = [process_id, role, host, pid, port, told_at].map((value) => value ?? null)
  const values = [now, gap_ms, ahead_ms, gone_ms, ...own, isStart, ABILITIES, public_url ?? null]
  const { rows } = await database.pools.asyncCommit.query<{ finds_ahead: boolean }>({ ...TOUCH, values })
  return rows[0]?.finds_ahead ?? false
}

/** Recorded time: the last report of the service or of a process, or the end of an outage. */
export interface RecordedAt {
  kind: 'service' | 'process' | 'outage'
  /** Id of the process, or the beginning of the outage. Empty for the service. */
  name: string
  at: string
}

/** Lists recorded times that are later than an instant. */
export async function listRecordedAfter({ pools }: Database, limit: string): Promise<RecordedAt[]> {
  const { rows } = await pools.asyncCommit.query<RecordedAt>(
    `select 'service' as kind, '' as name, wire_time(alive_at) as at from service_presence where alive_at > $1
     union all select 'process', process_id, wire_time(alive_at) from processes where alive_at > $1
     union all select 'outage', wire_time(began_at), wire_time(ended_at) from service_outages where ended_at > $1`,
    [limit],
  )
  return rows
}

/**
 * Reverts recorded times that came from a wrong clock, unless they changed since. Sets the last report of the service to `now`.
 */
export async function takeBackRecorded({ pools }: Database, wrong: readonly RecordedAt[], now: string): Promise<void> {
  await pools.asyncCommit.query(
    `with wrong as (
       select * from unnest($1::text[], $2::text[], $3::timestamptz[]) as w(kind, name, at)
     ), service as (
       update service_presence p set alive_at = $4, was_ahead_until = w.at, set_back_to = $4
       from wrong w where w.kind = 'service' and p.alive_at = w.at
     ), process as (
       delete from processes p using wrong w where w.kind = 'process' and p.process_id = w.name and p.alive_at = w.at
     )
     delete from service_outages o using wrong w
     where w.kind = 'outage' and wire_time(o.began_at) = w.name and o.ended_at = w.at`,
    [wrong.map(({ kind }) => kind), wrong.map(({ name }) => name), wrong.map(({ at }) => at), now],
  )
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

/** Records an outage, or extends the recorded outage that it overlaps. */
export async function extendOutage({ pools }: Database, { began_at, ended_at }: OutageRow): Promise<void> {
  await pools.asyncCommit.query({ ...EXTEND, values: [began_at, ended_at] })
}

/**
 * Records that a worker looked for unmonitored checks at `now`. Does nothing if no process has ever reported that it accepts
 * requests.
 */
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

/**
 * Reads the earliest of the last reports of all processes that accept pings. Until then, all of them certainly accepted pings.
 */
export async function readLeastAlive(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('processes')
    .select((eb) => wireTime(eb.fn.min('alive_at')).as('alive_at'))
    .executeTakeFirst()
  return row?.alive_at ?? undefined
}

/** Lists the outages that ended after an instant, oldest first. */
export async function listOutages(db: Db, since: string): Promise<OutageRow[]> {
  return db
    .selectFrom('service_outages')
    .select((eb) => [wireTime(eb.ref('began_at')).as('began_at'), wireTime(eb.ref('ended_at')).as('ended_at')])
    .where('ended_at', '>', sql<string>`${since}::timestamptz`)
    .orderBy('began_at')
    .execute()
}
