// Reads in one statement whether an organisation has routes, mutes, maintenance or other holds that can affect the
// alerts of an event.

import { fromDate } from '@dogwatch/runtime/timestamps'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { turnedAfter } from '../went-down.ts'

/** Row of `alert_routes`, as people configured it. */
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

/** Subjects, checks and monitors of the events that are raised. */
export interface MarksQuery {
  subjects: readonly string[]
  /**
   * Guids of the checks and heartbeats that the events are about. The scopes of `routes` contain only these, and checks of
   * `runners`.
   */
  guids: readonly string[]
  /** Monitors whose checks also stay in the scopes of `routes`. */
  runners?: readonly string[]
}

export interface RoutingMarks {
  /** Enabled routes of the organisation, in order, with shortened scopes. */
  routes: RouteRow[]
  /** Whether a planned alert about one of the subjects is waiting. */
  has_plans: boolean
  /** Whether any check or heartbeat is muted. */
  has_mutes: boolean
  /** Whether any maintenance window is on. */
  in_maintenance: boolean
  /** Whether any check has a dependency. */
  has_dependencies: boolean
  /** Whether several checks went down within the last minute, or people were notified of a failing monitor. */
  may_be_monitor: boolean
}

/** Number of checks that must go down within `MOMENT_SEC` before a failing monitor is suspected. */
export const FEW_DOWN = 3
const MOMENT_SEC = 60

const COLUMNS = sql`'route_id', route_id, 'guid', guid, 'name', name, 'events', events, 'severity', severity,
  'quiet', quiet, 'delay_sec', delay_sec, 'steps', steps, 'enabled', enabled`

/** Returns SQL for a scope whose lists contain only the given checks and heartbeats, because a list can have thousands. */
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

/** Reads an organisation's routes, and for each kind of hold whether there might be one. */
export async function readRoutingMarks(
  db: Db,
  org_id: number,
  { subjects, guids, runners = [] }: MarksQuery,
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

/** Returns the time since when a check must have gone down to count in {@link FEW_DOWN}. */
export function momentBefore(now: string): string {
  return fromDate(new Date(Date.parse(now) - MOMENT_SEC * 1000))
}

/**
 * Returns the SQL condition that a maintenance window is on. Reads only the latest span of each window that has begun, because
 * earlier ones are over.
 */
function inMaintenance(org_id: number, now: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
        select from maintenance_windows w cross join lateral (
          select s.ends_at from maintenance_spans s
          where s.org_id = w.org_id and s.window_id = w.window_id and s.begins_at <= ${now}::timestamptz
          order by s.begins_at desc limit 1) last
        where w.org_id = ${org_id} and last.ends_at > ${now}::timestamptz)`
}
