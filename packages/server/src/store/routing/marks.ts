// What an organisation has that may hold an alert back or send it elsewhere: one statement, read whenever something is raised.
import { type RawBuilder, sql } from 'kysely'
import { fromDate } from '../../runtime/timestamps.ts'
import type { Db } from '../database.ts'
import { turnedAfter } from '../went-down.ts'

/** A row of `alert_routes`, as people made it. */
export interface RouteRow {
  route_id: number
  guid: string
  name: string
  scope: unknown
  events: string[]
  severity: string | null
  quiet: unknown
  delay_sec: number
  steps: unknown
  enabled: boolean
}

/** What is raised. */
export interface Asked {
  subjects: readonly string[]
  /** Of the checks and heartbeats that events name: lists in scopes have no others. */
  guids: readonly string[]
  /** Monitors: of lists in scopes, the checks that these run are wanted as well. */
  runners?: readonly string[]
}

export interface RoutingMarks {
  /** Its enabled routes, in order. */
  routes: RouteRow[]
  /** Whether anything about the subjects waits. */
  has_plans: boolean
  /** Whether anything is muted. */
  has_mutes: boolean
  /** Whether any maintenance is on. */
  in_maintenance: boolean
  /** Whether any check depends on something. */
  has_dependencies: boolean
  /** Whether several checks went down a moment ago, or people were told of a monitor that fails. */
  may_be_monitor: boolean
}

/** So many checks that went down within this time may have gone down because of one monitor. */
export const FEW_DOWN = 3
const MOMENT_SEC = 60

const COLUMNS = sql`'route_id', route_id, 'guid', guid, 'name', name, 'events', events, 'severity', severity,
  'quiet', quiet, 'delay_sec', delay_sec, 'steps', steps, 'enabled', enabled`

/** Of a scope that lists checks and heartbeats, those that are asked about: a list may have thousands. */
function narrowed(org_id: number, guids: readonly string[], runners: readonly string[]) {
  const isRun =
    runners.length === 0
      ? sql``
      : sql`or exists (
        select from assignments a
        where a.monitor_id = any(${[...runners]}::text[]) and a.guid = one and a.org_id = ${org_id} and a.active)`
  const among = (list: 'checks' | 'heartbeats') => sql`(
    select coalesce(jsonb_agg(one), '[]') from jsonb_array_elements_text(scope -> ${sql.lit(list)}) one
    where one = any(${[...guids]}::text[]) ${isRun})`
  return sql`case when scope ? 'checks'
    then jsonb_build_object('checks', ${among('checks')}, 'heartbeats', ${among('heartbeats')}) else scope end`
}

/** Every kind of hold adds a column by which its source knows that it has nothing to ask. */
export async function readRoutingMarks(
  db: Db,
  org_id: number,
  { subjects, guids, runners = [] }: Asked,
  now: string,
): Promise<RoutingMarks> {
  const { rows } = await sql<RoutingMarks>`
    select
      coalesce((select jsonb_agg(jsonb_build_object(${COLUMNS}, 'scope', ${narrowed(org_id, guids, runners)}) order by position, route_id)
        from alert_routes where org_id = ${org_id} and enabled), '[]') as routes,
      exists (select from planned_alerts where org_id = ${org_id} and subject = any(${[...subjects]}::text[])) as has_plans,
      exists (select from mutes where org_id = ${org_id} and (muted_until > ${now}::timestamptz or incident_id is not null)) as has_mutes,
      ${inMaintenance(org_id, now)} as in_maintenance,
      exists (select from checks where org_id = ${org_id} and depends_on <> '') as has_dependencies,
      exists (select from failing_monitors where org_id = ${org_id}) or ${FEW_DOWN} = (
        select count(*) from (
          select from incidents
          where ${turnedAfter(org_id, momentBefore(now))} limit ${FEW_DOWN}) i) as may_be_monitor`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the database returned no row for a question that always has one')
  return row
}

/** Since when a check went down a moment ago. */
export function momentBefore(now: string): string {
  return fromDate(new Date(Date.parse(now) - MOMENT_SEC * 1000))
}

/** Of each window only the span that began last is looked at: what began before it is over. */
function inMaintenance(org_id: number, now: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
        select from maintenance_windows w cross join lateral (
          select s.ends_at from maintenance_spans s
          where s.org_id = w.org_id and s.window_id = w.window_id and s.begins_at <= ${now}::timestamptz
          order by s.begins_at desc limit 1) last
        where w.org_id = ${org_id} and last.ends_at > ${now}::timestamptz)`
}
