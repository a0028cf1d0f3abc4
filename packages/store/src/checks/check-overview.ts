// Reads what pages show of checks in addition to their content: their state, their monitors, and their newest results.
import { sql } from 'kysely'
import type { CheckKey } from '../check-keys.ts'
import type { Database, Db } from '../database.ts'
import { IS_ASSIGNED, IS_ASSIGNED_SQL } from '../is-assigned.ts'
import { type FlatNewest, type NewestRun, withNewest } from '../results/newest-of-checks.ts'
import type { Acknowledgement } from './acknowledgements.ts'
import { type CheckRow, CONTENT } from './checks.ts'
import type { EndReason, PastIncident, Verdict } from './incidents.ts'

export interface OverviewRow extends CheckKey {
  guid: string
  name: string
  tags: string[]
  enabled: boolean
  /** Whether the check is assigned to all monitors. */
  all_monitors: boolean
  interval_sec: number
  created_at: string
  unmonitored_since: string | null
  /** Start of the oldest open degradation. `degraded_reasons`: why the check is degraded. Both are null while it is not. */
  degraded_since: string | null
  degraded_reasons: string[] | null
  /** Start of the open degradation that users of the target notice. Null if there is none. */
  slow_since: string | null
  /** Number of active monitors. 1 if the server judges the check. */
  monitors: number
  judged_by_server: boolean
  /** Time of the last judgement by the server. Null if monitors run the check. */
  judged_at: string | null
  down_since: string | null
  /** End of the last closed incident. */
  ended_at: string | null
  end_reason: EndReason | null
  /** Newest result of the check, if it is recent. Null if there is none, or if it might be in a sealed hour. */
  newest: NewestRun | null
}

type FlatRow = Omit<OverviewRow, 'newest'> & FlatNewest

const STANDING = `
  c.org_id, c.check_id, c.guid, c.name, c.tags, c.enabled, c.all_monitors, c.interval_sec,
  wire_time(c.created_at) as created_at,
  wire_time(coalesce(s.unmonitored_since, unjudged.since)) as unmonitored_since, wire_time(open.began_at) as down_since,
  wire_time(degraded.since) as degraded_since, degraded.reasons as degraded_reasons,
  wire_time(degraded.slow_since) as slow_since,
  wire_time(over.ended_at) as ended_at, over.end_reason, c.judged_by_server,
  case when c.judged_by_server then wire_time(s.judged_at) end as judged_at`

// If no worker has looked for unmonitored checks for three minutes, all checks count as unmonitored. $2 is ten minutes
// ahead, hence the thirteen minutes.
const STANDS = `
  left join lateral (
    select judged_at as since from service_presence
    where judged_at < (select $2::timestamptz) - interval '13 minutes') unjudged on true
  left join check_states s on s.org_id = c.org_id and s.check_id = c.check_id
  left join incidents open on open.org_id = c.org_id and open.check_id = c.check_id and open.ended_at is null
  left join lateral (
    select min(d.began_at) as since, min(d.began_at) filter (where d.kind in ('slow', 'members')) as slow_since, array_agg(d.reason order by d.kind desc) as reasons from degradations d
    where d.org_id = c.org_id and d.check_id = c.check_id and d.ended_at is null) degraded on true
  left join lateral (
    select ended_at, end_reason from incidents i
    where i.org_id = c.org_id and i.check_id = c.check_id and i.ended_at is not null
    order by i.began_at desc limit 1) over on true`

const MONITORS = `case when c.judged_by_server then 1 else (
  select count(*)::integer from assignments a join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
  where a.org_id = c.org_id and a.check_id = c.check_id and a.active) end`

const OVERVIEW = withNewest(
  'checks-overview',
  `
    select ${STANDING}, case when c.judged_by_server then 1 else coalesce(a.monitors, 0) end as monitors
    from checks c ${STANDS}
    left join (
      select a.check_id, count(*)::integer as monitors from assignments a
      join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
      where a.org_id = $1 and a.active group by a.check_id) a on a.check_id = c.check_id
    where c.org_id = $1 and not c.deleted`,
  '$3::timestamptz',
)

const OVERVIEW_OF_SOME = withNewest(
  'checks-standing',
  `
    select ${STANDING},
      ${MONITORS} as monitors
    from checks c ${STANDS}
    where c.org_id = $1 and c.check_id = any($3::bigint[]) and not c.deleted`,
  '$4::timestamptz',
)

/** Lists the state of all or some checks of an organisation, by results up to an instant. */
export async function listOverview(
  database: Database,
  org_id: number,
  until: string,
  check_ids?: readonly number[],
): Promise<OverviewRow[]> {
  const rows =
    check_ids === undefined
      ? await OVERVIEW<FlatRow>(database, org_id, until, [])
      : await OVERVIEW_OF_SOME<FlatRow>(database, org_id, until, [[...check_ids]])
  return rows.map(unflatten)
}

function unflatten<Row extends FlatRow>({ at, ran_at, success, latency_ms, ...row }: Row) {
  return { ...row, newest: ran_at === null ? null : ({ at, ran_at, success, latency_ms } as NewestRun) }
}

/** A check with everything that its page shows except the history. */
export type DetailRow = OverviewRow &
  CheckRow & {
    /** Monitors that the check is assigned to: the organisation's own, then shared ones. */
    its_monitors: MonitorOfCheck[]
    /** Incidents, newest first. */
    incidents: IncidentRow[]
    /** Plan of the organisation, which decides how long results are kept. */
    org_plan: { plan: string; custom_limits: object | null }
    /** Time since which the check is flapping. Null if it is not. */
    flapping_since: string | null
  }

const IN_STANDING: ReadonlySet<string> = new Set(['check_id', 'guid', 'name', 'tags', 'enabled', 'interval_sec'])

const DETAIL = withNewest(
  'check-detail',
  `
    select ${STANDING}, ${CONTENT.filter((column) => !IN_STANDING.has(column))
      .map((column) => `c.${column}`)
      .join()},
      ${MONITORS} as monitors,
      (select coalesce(json_agg(json_build_object('id', m.id, 'name', m.name, 'city', m.city, 'country', m.country,
            'is_shared', m.org_id is null, 'is_on', m.enabled and m.platform_enabled,
            'last_seen_at', wire_time(m.last_seen_at), 'is_able', a.active, 'abilities', m.abilities) order by m.org_id is null, m.id), '[]')
        from assignments a join monitors m on m.id = a.monitor_id
        where a.org_id = c.org_id and a.check_id = c.check_id and ${IS_ASSIGNED}
          and (m.org_id = c.org_id or m.org_id is null)) as its_monitors,
      (select coalesce(json_agg(json_build_object('incident_id', i.incident_id, 'began_at', wire_time(i.began_at),
            'ended_at', wire_time(i.ended_at), 'end_reason', i.end_reason, 'verdict', i.verdict, 'held_by', i.held_by,
            'acknowledged_at', wire_time(i.acknowledged_at), 'acknowledged_by', i.acknowledged_by) order by i.began_at desc), '[]')
        from (
          select incident_id, began_at, ended_at, end_reason, verdict, held_by, acknowledged_at, acknowledged_by from incidents
          where org_id = c.org_id and check_id = c.check_id order by began_at desc limit $4) i) as incidents,
      (select json_build_object('plan', o.plan, 'custom_limits', o.custom_limits) from organisations o
        where o.org_id = c.org_id) as org_plan,
      wire_time(s.flapping_since) as flapping_since
    from checks c ${STANDS}
    where c.org_id = $1 and c.guid = $3 and not c.deleted`,
  '$5::timestamptz',
)

/** Finds one check with everything that its page shows, by results up to an instant, and with its newest incidents. */
export async function findDetail(
  database: Database,
  org_id: number,
  guid: string,
  { until, incidents }: { until: string; incidents: number },
): Promise<DetailRow | undefined> {
  type Row = FlatRow & Omit<DetailRow, keyof OverviewRow>
  const [row] = await DETAIL<Row>(database, org_id, until, [guid, incidents])
  return row && unflatten(row)
}

export interface MonitorOption {
  id: string
  name: string
  city: string
  country: string
  is_shared: boolean
  /** Whether the monitor is enabled, and the platform has not disabled it. */
  is_on: boolean
  is_assigned: boolean
  abilities: string[]
}

/** A monitor that a check is assigned to. `is_able`: whether it has all abilities that the check needs. */
export type MonitorOfCheck = Omit<MonitorOption, 'is_assigned'> & { last_seen_at: string | null; is_able: boolean }

/**
 * Lists the monitors that an organisation may assign a check to, and those that run the check already: the organisation's own,
 * then shared ones.
 */
export async function listMonitorOptions(db: Db, org_id: number, check_id: number | null): Promise<MonitorOption[]> {
  const { rows } = await sql<MonitorOption>`
    select m.id, m.name, m.city, m.country, m.org_id is null as is_shared, m.enabled and m.platform_enabled as is_on,
      a.monitor_id is not null as is_assigned, m.abilities
    from monitors m
    left join assignments a on a.org_id = ${org_id} and a.check_id = ${check_id}::bigint and a.monitor_id = m.id
      and ${IS_ASSIGNED_SQL}
    where m.retired_at is null and (m.org_id = ${org_id}
      or m.org_id is null and (m.enabled and m.platform_enabled or a.monitor_id is not null))
    order by m.org_id is null, m.id`.execute(db)
  return rows
}

export interface IncidentRow extends PastIncident, Acknowledgement {
  end_reason: EndReason | null
  /** Hold that withholds alerts about the incident. Null if there is none. */
  held_by: string | null
  /** Reason why the check was down. Null if it was not recorded. */
  verdict: Partial<Verdict> | null
}
