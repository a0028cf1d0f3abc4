// What pages show of checks beside their content: how they stand, who runs them, what was seen last.
import { sql } from 'kysely'
import type { CheckKey } from './check-health.ts'
import type { Db } from './database.ts'
import type { EndReason } from './incidents.ts'

export interface OverviewRow extends CheckKey {
  guid: string
  name: string
  enabled: boolean
  /** Whether it is meant for all monitors. */
  all_monitors: boolean
  interval_sec: number
  created_at: string
  unmonitored_since: string | null
  /** Active ones. */
  monitors: number
  down_since: string | null
  /** Of the last incident that is over. */
  ended_at: string | null
  end_reason: EndReason | null
}

/** How an org's checks stand, or one of them. */
export async function listOverview(db: Db, org_id: number, guid?: string): Promise<OverviewRow[]> {
  const only = guid === undefined ? sql`` : sql`and c.guid = ${guid}`
  const { rows } = await sql<OverviewRow>`
    select c.org_id, c.check_id, c.guid, c.name, c.enabled, c.all_monitors, c.interval_sec, wire_time(c.created_at) as created_at,
      wire_time(s.unmonitored_since) as unmonitored_since, coalesce(a.monitors, 0) as monitors,
      wire_time(open.began_at) as down_since, wire_time(over.ended_at) as ended_at, over.end_reason
    from checks c
    left join check_states s on s.org_id = c.org_id and s.check_id = c.check_id
    left join (
      select a.check_id, count(*)::integer as monitors from assignments a
      join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
      where a.org_id = ${org_id} and a.active group by a.check_id) a on a.check_id = c.check_id
    left join incidents open on open.org_id = c.org_id and open.check_id = c.check_id and open.ended_at is null
    left join lateral (
      select ended_at, end_reason from incidents i
      where i.org_id = c.org_id and i.check_id = c.check_id and i.ended_at is not null
      order by i.began_at desc limit 1) over on true
    where c.org_id = ${org_id} and not c.deleted ${only}
    order by c.check_id`.execute(db)
  return rows
}

export interface MonitorOption {
  id: string
  name: string
  city: string
  country: string
  is_shared: boolean
  /** Enabled, and not disabled by the platform. */
  is_on: boolean
  is_assigned: boolean
}

/** The monitors that an org may give a check to, and those that have it: its own, then shared ones. */
export async function listMonitorOptions(db: Db, org_id: number, check_id: number | null): Promise<MonitorOption[]> {
  const { rows } = await sql<MonitorOption>`
    select m.id, m.name, m.city, m.country, m.org_id is null as is_shared, m.enabled and m.platform_enabled as is_on,
      a.monitor_id is not null as is_assigned
    from monitors m
    left join assignments a on a.org_id = ${org_id} and a.check_id = ${check_id}::bigint and a.monitor_id = m.id and a.active
    where m.org_id = ${org_id}
      or m.org_id is null and (m.enabled and m.platform_enabled or a.monitor_id is not null)
    order by m.org_id is null, m.id`.execute(db)
  return rows
}

export interface SeenResult {
  monitor_id: string
  ran_at: string
  success: boolean
  latency_ms: number
  http_status: number
  error: string | null
}

/** The newest result of each monitor that ran a check in a span. */
export async function listLatestByMonitor(
  db: Db,
  { org_id, check_id, result_detail_max_chars }: CheckKey & { result_detail_max_chars: number },
  { since, until }: { since: string; until: string },
): Promise<SeenResult[]> {
  const { rows } = await sql<SeenResult>`
    select r.monitor_id, wire_time(r.ran_at) as ran_at, r.success, r.latency_ms, r.http_status,
      nullif(left(r.error, ${result_detail_max_chars}), '') as error
    from (
      select monitor_id, max(ran_at) as ran_at from results
      where org_id = ${org_id} and check_id = ${check_id} and ran_at > ${since}::timestamptz
        and ran_at <= ${until}::timestamptz
      group by monitor_id) newest
    join results r on r.org_id = ${org_id} and r.check_id = ${check_id} and r.ran_at = newest.ran_at
      and r.monitor_id = newest.monitor_id and r.ran_at > ${since}::timestamptz and r.ran_at <= ${until}::timestamptz
    order by r.monitor_id`.execute(db)
  return rows
}

export interface IncidentRow {
  incident_id: string
  began_at: string
  ended_at: string | null
  end_reason: EndReason | null
}

/** The incidents of a check, newest first. */
export async function listCheckIncidents(
  db: Db,
  { org_id, check_id }: CheckKey,
  limit: number,
): Promise<IncidentRow[]> {
  const { rows } = await sql<IncidentRow>`
    select incident_id, wire_time(began_at) as began_at, wire_time(ended_at) as ended_at, end_reason from incidents
    where org_id = ${org_id} and check_id = ${check_id}
    order by incidents.began_at desc limit ${limit}`.execute(db)
  return rows
}

export interface BucketRow {
  at: string
  runs: number
  failures: number
  /** Of the successes; null when there were none. */
  latency_avg_ms: number | null
  latency_max_ms: number | null
}

/** A check's results summed up by spans shorter than an hour, oldest first; spans without a run are left out. */
export async function listBuckets(
  db: Db,
  { org_id, check_id }: CheckKey,
  { from, until, step_sec }: { from: string; until: string; step_sec: number },
): Promise<BucketRow[]> {
  const { rows } = await sql<BucketRow>`
    select wire_time(at) as at, count(*)::integer as runs, (count(*) filter (where not success))::integer as failures,
      (avg(latency_ms) filter (where success))::integer as latency_avg_ms,
      max(latency_ms) filter (where success) as latency_max_ms
    from (
      select date_bin(make_interval(secs => ${step_sec}), ran_at, timestamptz '1970-01-01 00:00:00+00') as at,
        success, latency_ms
      from results
      where org_id = ${org_id} and check_id = ${check_id}
        and ran_at >= ${from}::timestamptz and ran_at < ${until}::timestamptz) binned
    group by at order by at`.execute(db)
  return rows
}
