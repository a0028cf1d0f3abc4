// What an organisation has that may hold an alert back or send it elsewhere: one statement, read whenever something is raised.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

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
}

const COLUMNS = sql`'route_id', route_id, 'guid', guid, 'name', name, 'scope', scope, 'events', events, 'severity', severity,
  'quiet', quiet, 'delay_sec', delay_sec, 'steps', steps, 'enabled', enabled`

/** Every kind of hold adds a column by which its source knows that it has nothing to ask. */
export async function readRoutingMarks(
  db: Db,
  org_id: number,
  subjects: readonly string[],
  now: string,
): Promise<RoutingMarks> {
  const { rows } = await sql<RoutingMarks>`
    select
      coalesce((select jsonb_agg(jsonb_build_object(${COLUMNS}) order by position, route_id)
        from alert_routes where org_id = ${org_id} and enabled), '[]') as routes,
      exists (select from planned_alerts where org_id = ${org_id} and subject = any(${[...subjects]}::text[])) as has_plans,
      exists (select from mutes where org_id = ${org_id} and muted_until > ${now}::timestamptz) as has_mutes,
      exists (select from maintenance_spans where org_id = ${org_id} and ends_at > ${now}::timestamptz
        and begins_at <= ${now}::timestamptz) as in_maintenance,
      exists (select from checks where org_id = ${org_id} and depends_on <> '') as has_dependencies`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a select without a table has a row')
  return row
}
