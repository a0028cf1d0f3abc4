// Reads what pages show of checks in addition to their content: their state, their monitors, their newest results.
import { sql } from 'kysely'
import { fromDate } from '../../runtime/timestamps.ts'
import type { CheckKey } from './check-health.ts'
import { type CheckRow, CONTENT } from './checks.ts'
import type { Database, Db } from '../database.ts'
import { readSealedBoundary, type SealedBoundary } from '../layout.ts'
import { readHowStoredAfter, type ResultStorage } from './shifted.ts'
import { inBothForms, OPEN_FROM, resultsOf, resultsText, TOGETHER } from '../stored/results-of.ts'
import type { EndReason, Verdict } from './incidents.ts'

export interface OverviewRow extends CheckKey {
  guid: string
  name: string
  enabled: boolean
  /** Whether the check is assigned to all monitors. */
  all_monitors: boolean
  interval_sec: number
  created_at: string
  unmonitored_since: string | null
  /** Start of the oldest open degradation. `degraded_reasons`: why the check is degraded. Both are null while it is not. */
  degraded_since: string | null
  degraded_reasons: string[] | null
  /** Start of the open degradation for slowness. Null if there is none. */
  slow_since: string | null
  /** Number of active monitors. */
  monitors: number
  down_since: string | null
  /** End of the last closed incident. */
  ended_at: string | null
  end_reason: EndReason | null
  /** Newest result, if it ran lately. Null also if it might be in a sealed hour. */
  newest: NewestRun | null
}

export interface NewestRun {
  /** Time of the run by the server's clock. */
  at: string
  /** Time of the run as the agent sent it. */
  ran_at: string
  success: boolean
  latency_ms: number
}

type FlatRow = Omit<OverviewRow, 'newest'> & { [Field in keyof NewestRun]: NewestRun[Field] | null }

const STANDING = `
  c.org_id, c.check_id, c.guid, c.name, c.enabled, c.all_monitors, c.interval_sec, wire_time(c.created_at) as created_at,
  wire_time(coalesce(s.unmonitored_since, unjudged.since)) as unmonitored_since, wire_time(open.began_at) as down_since,
  wire_time(degraded.since) as degraded_since, degraded.reasons as degraded_reasons,
  wire_time(degraded.slow_since) as slow_since,
  wire_time(over.ended_at) as ended_at, over.end_reason`

const LATELY_MS = 20 * 60_000
const LATELY_INTERVALS = 2
/** Start of the search for the newest result of a check `c`, which goes up to $2. */
const LATELY = `(select $2::timestamptz) - interval '${LATELY_MS} milliseconds' - c.interval_sec * interval '${LATELY_INTERVALS} seconds'`
/** SQL that says whether an organisation has results that a wrong clock shifted. */
export const HAS_SHIFTED = '(select exists (select 1 from shifted_results where org_id = $1))'

const RUN = ['ran_at', 'monitor_id', 'success', 'latency_ms'] as const

/**
 * Joins the newest result of a check `c` of the organisation $1 up to $2, if it ran lately. `known_from` is earlier for every
 * check, so that Postgres does not even plan for earlier sealed days.
 */
const newest = ({ isSealed, areShifted }: ResultStorage, known_from: string) => `
  left join lateral (
    select * from (
      (select ran_at as at, ran_at, monitor_id, success, latency_ms from (${resultsText(
        {
          columns: [...RUN, 'check_id'],
          ...{ org: '$1', check: 'c.check_id', from: LATELY, until: '(select $2::timestamptz)' },
          ...(isSealed && { known_from }),
          where: `r.ran_at <= (select $2::timestamptz) and r.ran_at > ${LATELY}`,
          ...(areShifted && {
            which: `(not ${HAS_SHIFTED} or not exists (
            select 1 from shifted_results s
            where s.org_id = $1 and s.check_id = r.check_id and s.ran_at = r.ran_at and s.monitor_id = r.monitor_id))`,
          }),
          ...{ order: 'desc', limit: '1' },
        },
        isSealed,
      )}) r)${areShifted ? newestShifted(isSealed) : ''}) u
    order by at desc, monitor_id desc limit 1) newest on true`

/**
 * Join of the newest result that is a row, without sealed hours and late results, where no result is shifted. It suffices for
 * nearly every check, and one plan serves all of them. The others' newest results are read one by one.
 */
const NEWEST_OF_OPEN = `
  left join lateral (
    select r.ran_at as at, r.ran_at, r.success, r.latency_ms from results r
    where r.org_id = $1 and r.check_id = c.check_id and r.ran_at >= ${OPEN_FROM}
      and r.ran_at <= (select $2::timestamptz) and r.ran_at > ${LATELY}
    order by r.ran_at desc, r.monitor_id desc limit 1) newest on true`

const newestShifted = (isSealed: SealedBoundary) => `
      union all
      (select s.effective_at, r.ran_at, r.monitor_id, r.success, r.latency_ms from shifted_results s
        cross join lateral (${resultsText(
          {
            columns: RUN,
            ...{ org: '$1', check: 's.check_id', from: 's.ran_at', until: 's.ran_at' },
            where: 'r.ran_at = s.ran_at and r.monitor_id = s.monitor_id',
          },
          isSealed,
        )}) r
        where ${HAS_SHIFTED} and s.org_id = $1 and s.check_id = c.check_id
          and s.effective_at <= (select $2::timestamptz) and s.effective_at > ${LATELY}
        order by s.effective_at desc, s.monitor_id desc limit 1)`

// Newest results are searched only where a running check has them: further back, the index has many more rows to skip.
// Bounds come from subqueries, so that one plan serves all of them and is made once per connection. Partitions are
// skipped when it runs.
//
// If no worker has looked for unmonitored checks for three minutes, no one knows which there are. The given instant is
// ten minutes ahead, hence the thirteen minutes.
//
// The statement reads once whether an organisation has results that a wrong clock shifted: without any, it does not search
// for them.
const STANDS = `
  left join lateral (
    select judged_at as since from service_presence
    where judged_at < (select $2::timestamptz) - interval '13 minutes') unjudged on true
  left join check_states s on s.org_id = c.org_id and s.check_id = c.check_id
  left join incidents open on open.org_id = c.org_id and open.check_id = c.check_id and open.ended_at is null
  left join lateral (
    select min(d.began_at) as since, min(d.began_at) filter (where d.kind = 'slow') as slow_since, array_agg(d.reason order by d.kind desc) as reasons from degradations d
    where d.org_id = c.org_id and d.check_id = c.check_id and d.ended_at is null) degraded on true
  left join lateral (
    select ended_at, end_reason from incidents i
    where i.org_id = c.org_id and i.check_id = c.check_id and i.ended_at is not null
    order by i.began_at desc limit 1) over on true`

// Results are read beside what is known of checks already: checks lie elsewhere when results are distributed.
const withNewest = (name: string, standing: string, known_from: string) => {
  const text = (of: string, between: string, more = ''): string => `
    with standing as ${between} (${standing})
    select c.*, wire_time(newest.at) as at, wire_time(newest.ran_at) as ran_at, newest.success, newest.latency_ms${more}
    from standing c ${of}
    order by c.check_id`
  const both = (areShifted: boolean) => (isSealed: SealedBoundary, between: string) =>
    text(newest({ isSealed, areShifted }, known_from), between)
  const [shifted, unshifted] = [inBothForms(name, both(true)), inBothForms(`${name}-unshifted`, both(false))]
  const ofOpen = {
    name: `${name}-of-open-hours`,
    text: text(NEWEST_OF_OPEN, TOGETHER, `, ${HAS_SHIFTED} as has_shifted`),
  }
  return async <Row extends FlatRow>(
    { machines, pools }: Database,
    org_id: number,
    until: string,
    more: readonly unknown[],
  ): Promise<Row[]> => {
    const values: [number, string, ...unknown[]] = [org_id, until, ...more]
    const isSealed = await readSealedBoundary(machines)
    if (isSealed === true) {
      const { rows } = await pools.machines.query<Row & { has_shifted: boolean }>({ ...ofOpen, values })
      // A shifted result can be in any hour, and this statement did not search for it.
      if (rows[0]?.has_shifted !== true) return rows.map(({ has_shifted: _, ...row }) => row as unknown as Row)
    }
    return (await pools.machines.query<Row>(await ofAllPlaces(machines, isSealed, values))).rows
  }

  /**
   * Returns the statement that reads all tables of results, and its values. Where hours are sealed, the last value is before the
   * newest result of every check that ran lately.
   */
  async function ofAllPlaces(
    machines: Database['machines'],
    isSealed: SealedBoundary,
    values: readonly [number, string, ...unknown[]],
  ) {
    const [org_id, until] = values
    if (isSealed === false) return { ...(await shifted({ machines })), values: [...values] }
    const { stored, rows } = await readHowStoredAfter(machines, [longestInterval(org_id)], [{ org_id }])
    const [[longest] = []] = rows as { sec: number }[][]
    const near_ms = Date.parse(until) - LATELY_MS - LATELY_INTERVALS * (longest?.sec ?? 0) * 1000
    const statement = await (stored.areShifted ? shifted : unshifted)({ machines })
    return { ...statement, values: statement.isSealed ? [...values, fromDate(new Date(near_ms))] : [...values] }
  }
}

const longestInterval = (org_id: number) =>
  sql`select coalesce(max(interval_sec), 0) as sec from checks where org_id = ${org_id} and not deleted`

const OVERVIEW = withNewest(
  'checks-overview',
  `
    select ${STANDING}, coalesce(a.monitors, 0) as monitors
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
      (select count(*)::integer from assignments a join monitors m on m.id = a.monitor_id and m.enabled and m.platform_enabled
        where a.org_id = c.org_id and a.check_id = c.check_id and a.active) as monitors
    from checks c ${STANDS}
    where c.org_id = $1 and c.check_id = any($3::bigint[]) and not c.deleted`,
  '$4::timestamptz',
)

/** Lists the state of an organisation's checks, or of some of them, by results up to an instant. */
export async function listOverview(
  database: Database,
  org_id: number,
  until: string,
  check_ids?: readonly number[],
): Promise<OverviewRow[]> {
  const rows =
    check_ids === undefined
      ? await OVERVIEW(database, org_id, until, [])
      : await OVERVIEW_OF_SOME(database, org_id, until, [[...check_ids]])
  return rows.map(unflatten)
}

function unflatten<Row extends FlatRow>({ at, ran_at, success, latency_ms, ...row }: Row) {
  return { ...row, newest: ran_at === null ? null : ({ at, ran_at, success, latency_ms } as NewestRun) }
}

/** A check with everything that its page shows except the history. */
export type DetailRow = OverviewRow &
  CheckRow & {
    /** Monitors that run the check: the organisation's own, then shared ones. */
    its_monitors: MonitorOfCheck[]
    /** Incidents, newest first. */
    incidents: IncidentRow[]
    /** Plan of the organisation, which decides how long results are kept. */
    org_plan: { plan: string; custom_limits: object | null }
    /** Time since which the check is flapping. Null if it is not. */
    flapping_since: string | null
  }

const IN_STANDING: ReadonlySet<string> = new Set(['check_id', 'guid', 'name', 'enabled', 'interval_sec'])

const DETAIL = withNewest(
  'check-detail',
  `
    select ${STANDING}, ${CONTENT.filter((column) => !IN_STANDING.has(column))
      .map((column) => `c.${column}`)
      .join()},
      (select count(*)::integer from assignments a join monitors m on m.id = a.monitor_id
        where a.org_id = c.org_id and a.check_id = c.check_id and a.active and m.enabled and m.platform_enabled) as monitors,
      (select coalesce(json_agg(json_build_object('id', m.id, 'name', m.name, 'city', m.city, 'country', m.country,
            'is_shared', m.org_id is null, 'is_on', m.enabled and m.platform_enabled,
            'last_seen_at', wire_time(m.last_seen_at)) order by m.org_id is null, m.id), '[]')
        from assignments a join monitors m on m.id = a.monitor_id
        where a.org_id = c.org_id and a.check_id = c.check_id and a.active
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

/** Finds one check in detail, by results up to an instant, with its newest incidents. */
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
}

/** A monitor that runs a check. */
export type MonitorOfCheck = Omit<MonitorOption, 'is_assigned'> & { last_seen_at: string | null }

/** Lists the monitors that an organisation may assign a check to, and those that run it: its own, then shared ones. */
export async function listMonitorOptions(db: Db, org_id: number, check_id: number | null): Promise<MonitorOption[]> {
  const { rows } = await sql<MonitorOption>`
    select m.id, m.name, m.city, m.country, m.org_id is null as is_shared, m.enabled and m.platform_enabled as is_on,
      a.monitor_id is not null as is_assigned
    from monitors m
    left join assignments a on a.org_id = ${org_id} and a.check_id = ${check_id}::bigint and a.monitor_id = m.id and a.active
    where m.retired_at is null and (m.org_id = ${org_id}
      or m.org_id is null and (m.enabled and m.platform_enabled or a.monitor_id is not null))
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

/** Lists the newest result of each monitor that ran a check in a span. */
export async function listLatestByMonitor(
  db: Db,
  { org_id, check_id, result_detail_max_chars }: CheckKey & { result_detail_max_chars: number },
  { since, until }: { since: string; until: string },
): Promise<SeenResult[]> {
  const isSealed = await readSealedBoundary(db)
  const [from, last] = [sql`${since}::timestamptz`, sql`${until}::timestamptz`]
  const its = {
    ...{ org: sql`${org_id}`, check: sql`${check_id}`, from, until: last },
    where: sql`r.ran_at > ${from} and r.ran_at <= ${last}`,
  }
  const runs = resultsOf({ columns: ['ran_at', 'monitor_id'], ...its }, isSealed)
  const one = resultsOf(
    {
      columns: ['ran_at', 'monitor_id', 'success', 'latency_ms', 'http_status', 'error'],
      ...{ ...its, from: 'newest.ran_at', until: 'newest.ran_at' },
      which: 'r.ran_at = newest.ran_at and r.monitor_id = newest.monitor_id',
    },
    isSealed,
  )
  const { rows } = await sql<SeenResult>`
    select r.monitor_id, wire_time(r.ran_at) as ran_at, r.success, r.latency_ms, r.http_status,
      nullif(left(r.error, ${result_detail_max_chars}), '') as error
    from (select monitor_id, max(ran_at) as ran_at from (${runs}) r group by monitor_id) newest
    cross join lateral (${one}) r
    order by r.monitor_id`.execute(db)
  return rows
}

export interface IncidentRow {
  incident_id: string
  began_at: string
  ended_at: string | null
  end_reason: EndReason | null
  acknowledged_at: string | null
  acknowledged_by: string | null
  /** Reason why alerts about it are withheld. */
  held_by: string | null
  /** Reason why the check was down. Null if it was not recorded. */
  verdict: Partial<Verdict> | null
}
