// Finds and stores failing monitors, where many checks fail that fail at no other monitor, and whether people were
// notified of them.
import { type RawBuilder, sql } from 'kysely'
import { notSuspendedSql } from '../accounts/suspension.ts'
import type { Db } from '../database.ts'
import { openReader, type ResultQuery } from '../results/reader.ts'
import { TURNED_AT, turnedAfter, WENT_DOWN_AT } from '../went-down.ts'
import { ACTIVE } from './monitor-presence.ts'

/** Newest result of a check at a monitor, if it is recent. */
export interface Sight {
  check_id: number
  monitor_id: string
  success: boolean
  /** Whether the check had succeeded at the monitor shortly before this failure. */
  was_well: boolean
}

/** Prefix of `held_by` for alerts that wait because a monitor might be failing. The monitor's id follows. */
export const GROUPING = 'grouping:'

/** Returns the `held_by` of alerts that wait because a monitor might be failing. */
export function heldByMonitor(monitor_id: string): string {
  return `${GROUPING}${monitor_id}`
}

/**
 * Lists the last result of each monitor of some checks, if it ran within three rounds, or within five minutes if that is longer.
 * `was_well` covers twice that time. Results of monitors whose clocks are wrong by more can be missing.
 */
export async function listSights(db: Db, org_id: number, check_ids: readonly number[], now: string): Promise<Sight[]> {
  if (check_ids.length === 0) return []
  const since = (rounds: number) => sql`${now}::timestamptz - greatest(${rounds / 3} * interval '5 minutes',
    ${rounds} * a.round_sec * interval '1 second')`
  const results = await openReader(db)
  const until = sql`${now}::timestamptz + interval '10 minutes'`
  const own = (rounds: number) => ({
    ...{ org: sql`${org_id}`, check: 'a.check_id', from: since(rounds), until },
    where: sql`r.ran_at <= ${until} and r.ran_at > ${since(rounds)}`,
  })
  const last: ResultQuery = {
    columns: ['ran_at', 'monitor_id', 'success'],
    ...{ ...own(3), which: 'r.monitor_id = a.monitor_id' },
    ...{ order: 'desc', limit: '1' },
  }
  const well: ResultQuery = {
    columns: ['ran_at', 'monitor_id', 'success'],
    ...{ ...own(6), which: 'r.monitor_id = a.monitor_id and r.success' },
  }
  const { rows } = await sql<Sight>`
    with active as materialized (
    select a.check_id, a.monitor_id, c.interval_sec::bigint * n.monitors as round_sec
    from unnest(${[...check_ids]}::bigint[]) as k(check_id)
    join checks c on c.org_id = ${org_id} and c.check_id = k.check_id and c.enabled and not c.deleted
    cross join lateral (
      select greatest(count(*), 1) as monitors from assignments b
      where b.org_id = ${org_id} and b.check_id = k.check_id and b.active) n
    join assignments a on a.org_id = ${org_id} and a.check_id = k.check_id and a.active
    join monitors m on m.id = a.monitor_id and ${ACTIVE})
    select a.check_id, a.monitor_id, last.success, case when last.success then false else exists (
      select 1 from (${results.of(well)}) r) end as was_well
    from active a
    cross join lateral (${results.of(last)}) last`.execute(db)
  return rows
}

/** Counts an organisation's enabled checks at each of the given monitors. Counts at most `most` of each. */
export async function listRunners(
  db: Db,
  org_id: number,
  monitor_ids: readonly string[],
  most: number,
): Promise<{ monitor_id: string; checks: number }[]> {
  if (monitor_ids.length === 0) return []
  const { rows } = await sql<{ monitor_id: string; checks: number }>`
    select m.id as monitor_id, (
      select count(*)::integer from (
        select from assignments a
        -- One check after the other, so that the limit ends the search: "offset" keeps Postgres from joining all of them first.
        cross join lateral (
          select from checks c
          where c.org_id = a.org_id and c.check_id = a.check_id and c.enabled and not c.deleted offset 0) c
        where a.monitor_id = m.id and a.org_id = ${org_id} and a.active limit ${most}) run) as checks
    from monitors m where m.id = any(${[...monitor_ids]}::text[])`.execute(db)
  return rows
}

/** Enabled check that a monitor runs. */
export interface RunCheck {
  check_id: number
  guid: string
  name: string
  /** Time since which the check is down. Null if it is not. */
  down_since: string | null
  tags: readonly string[]
}

export async function listNames(
  db: Db,
  monitor_ids: readonly string[],
): Promise<{ monitor_id: string; name: string }[]> {
  if (monitor_ids.length === 0) return []
  const { rows } = await sql<{ monitor_id: string; name: string }>`
    select id as monitor_id, name from monitors where id = any(${[...monitor_ids]}::text[])`.execute(db)
  return rows
}

/** Counts the checks that a monitor runs for an organisation, including disabled ones. */
export async function countRunChecks(db: Db, org_id: number, monitor_id: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from assignments
    where monitor_id = ${monitor_id} and org_id = ${org_id} and active`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * A part of a monitor's checks: those whose hashed id leaves the remainder `part` when divided by `of`. Uses hashes, because ids
 * of checks that were created in a pattern would leave the same remainders.
 */
export interface HashPart {
  of: number
  part: number
}

function inHashPartSql(check_id: RawBuilder<unknown>, { of, part }: HashPart): RawBuilder<boolean> {
  return sql`(hashint8extended(${check_id}, 0) & 2147483647) % ${of}::bigint = ${part}::bigint`
}

export async function listRunChecks(db: Db, org_id: number, monitor_id: string, part: HashPart): Promise<RunCheck[]> {
  const { rows } = await sql<RunCheck>`
    select c.check_id, c.guid, c.name, c.tags, wire_time(i.began_at) as down_since
    from assignments a
    join checks c on c.org_id = a.org_id and c.check_id = a.check_id and c.enabled and not c.deleted
    left join incidents i on i.org_id = c.org_id and i.check_id = c.check_id and i.ended_at is null
    where a.monitor_id = ${monitor_id} and a.org_id = ${org_id} and a.active and ${inHashPartSql(sql`a.check_id`, part)}
    order by c.name, c.check_id`.execute(db)
  return rows
}

/** A check that is down, and the time of the result that took it down. */
export interface DownSince {
  check_id: number
  went_down_at: string
  /** Whether the check alerts about each change at once. */
  alert_every_change: boolean
}

/** Lists those of the given checks that are down. */
export async function listDownAmong(db: Db, org_id: number, check_ids: readonly number[]): Promise<DownSince[]> {
  const { rows } = await sql<DownSince>`
    select i.check_id, wire_time(${WENT_DOWN_AT}) as went_down_at, c.alert_every_change
    from incidents i join checks c on c.org_id = i.org_id and c.check_id = i.check_id
    where i.org_id = ${org_id} and i.ended_at is null and i.check_id = any(${[...check_ids]}::bigint[])`.execute(db)
  return rows
}

/** Checks that went down after an instant and are down. */
export interface RecentlyDownChecks {
  /** Sample of the counted checks, spread over all of them. */
  check_ids: number[]
  /** Number of checks that went down, up to the limit of the count. */
  count: number
}

/** Finds checks that went down recently. Counts at most the newest `most`, and returns at most `sample` of them. */
export async function findSuddenlyDown(
  db: Db,
  org_id: number,
  { since, most, sample }: { since: string; most: number; sample: number },
): Promise<RecentlyDownChecks> {
  const { rows } = await sql<{ check_id: number; count: number }>`
    with newest as (
      select check_id from incidents where ${turnedAfter(org_id, since)}
      order by ${TURNED_AT} desc limit ${most}),
    numbered as (select check_id, row_number() over () - 1 as n, count(*) over () as count from newest)
    select check_id, count::integer from numbered where n % greatest(ceil(count::numeric / ${sample}), 1) = 0`.execute(
    db,
  )
  return { check_ids: rows.map(({ check_id }) => check_id), count: rows[0]?.count ?? 0 }
}

export interface FailingMonitor {
  org_id: number
  monitor_id: string
  suspected_at: string
  /** Time at which people were notified. Null while the monitor is only suspected. */
  began_at: string | null
  /** Number of times that the server examined a part of the monitor's checks. */
  looks: number
  /** Number of the last examinations in a row that did not find the monitor failing. */
  quiet_looks: number
}

const COLUMNS = sql`org_id, monitor_id, wire_time(suspected_at) as suspected_at, wire_time(began_at) as began_at, looks, quiet_looks`

/** Lists the failing monitors that an organisation was notified about. */
export async function listFailingMonitors(db: Db, org_id: number): Promise<(FailingMonitor & { began_at: string })[]> {
  const { rows } = await sql<FailingMonitor & { began_at: string }>`
    select ${COLUMNS} from failing_monitors
    where org_id = ${org_id} and began_at is not null order by monitor_id`.execute(db)
  return rows
}

/** Whether any monitor is failing or suspected. */
export async function isAnyMonitorInDoubt(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is_any: boolean }>`
    select exists (select from failing_monitors) as is_any`.execute(db)
  return rows[0]?.is_any === true
}

/** Lists all monitors that are failing or suspected, without those of suspended organisations. */
export async function listMonitorsInDoubt(db: Db): Promise<FailingMonitor[]> {
  const { rows } = await sql<FailingMonitor>`
    select ${COLUMNS} from failing_monitors f where ${notSuspendedSql('f')} order by org_id, monitor_id`.execute(db)
  return rows
}

/** A monitor and an organisation as messages name them. */
export interface NamedMonitor {
  name: string
  org_name: string
}

export async function findNamedMonitor(db: Db, org_id: number, monitor_id: string): Promise<NamedMonitor | undefined> {
  const { rows } = await sql<NamedMonitor>`
    select m.name, o.name as org_name from monitors m, organisations o
    where m.id = ${monitor_id} and o.org_id = ${org_id}`.execute(db)
  return rows[0]
}

/** Records monitors that might be failing, because alerts wait for that decision. The caller must have locked these alerts. */
export async function insertSuspects(
  db: Db,
  org_id: number,
  monitor_ids: readonly string[],
  suspected_at: string,
): Promise<void> {
  await sql`
    insert into failing_monitors (org_id, monitor_id, suspected_at)
    select ${org_id}, id, ${suspected_at}::timestamptz from unnest(${[...monitor_ids]}::text[]) as k(id) order by id
    on conflict do nothing`.execute(db)
}

type Key = Pick<FailingMonitor, 'org_id' | 'monitor_id'>

/** Records that people were notified of a failing monitor. Returns false if another process was faster. */
export async function updateFailingBegan(db: Db, { org_id, monitor_id }: Key, began_at: string): Promise<boolean> {
  const { rows } = await sql`
    update failing_monitors set began_at = ${began_at}::timestamptz
    where org_id = ${org_id} and monitor_id = ${monitor_id} and began_at is null returning monitor_id`.execute(db)
  return rows.length > 0
}

/** Records that a part of a monitor's checks was examined. Returns false if another process did so in the meantime. */
export async function updateLooks(
  db: Db,
  { org_id, monitor_id, looks, quiet_looks }: Key & Pick<FailingMonitor, 'looks' | 'quiet_looks'>,
): Promise<boolean> {
  const { rows } = await sql`
    update failing_monitors set looks = (looks + 1) % 1000000, quiet_looks = ${quiet_looks}
    where org_id = ${org_id} and monitor_id = ${monitor_id} and looks = ${looks} returning monitor_id`.execute(db)
  return rows.length > 0
}

/** Deletes a failing monitor. Returns false if another process was faster. */
export async function deleteFailingMonitor(db: Db, { org_id, monitor_id }: Key): Promise<boolean> {
  const { rows } = await sql`
    delete from failing_monitors where org_id = ${org_id} and monitor_id = ${monitor_id} returning monitor_id`.execute(
    db,
  )
  return rows.length > 0
}

/**
 * Makes alerts due that wait because a monitor might be failing and that are about a part of its checks, except alerts about the
 * checks `still`.
 */
export async function wakeGrouped(
  db: Db,
  org_id: number,
  monitor_id: string,
  { of, part, still, now }: HashPart & { still: readonly number[]; now: string },
): Promise<void> {
  await sql`
    with woken as materialized (
      select event_id, channel_id from planned_alerts
      where org_id = ${org_id} and held_by = ${heldByMonitor(monitor_id)} and held_by like 'grouping:%'
        and due_at > ${now}::timestamptz
        and (${of}::bigint = 1 or ${inHashPartSql(sql`split_part(subject, ':', 2)::bigint`, { of, part })})
        and split_part(subject, ':', 2) <> all(${still.map(String)}::text[])
      -- In the order in which everybody locks them.
      order by event_id, channel_id for update
    )
    update planned_alerts p set due_at = ${now}::timestamptz from woken
    where p.org_id = ${org_id} and p.event_id = woken.event_id and p.channel_id = woken.channel_id`.execute(db)
}
