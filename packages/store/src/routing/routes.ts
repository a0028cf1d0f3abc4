// Stores alert routes. The callers of statements that change routes hold the organisation's lock.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { RouteRow } from './marks.ts'

const COLUMNS = [
  'route_id',
  'guid',
  'name',
  'scope',
  'events',
  'severity',
  'quiet',
  'delay_sec',
  'steps',
  'enabled',
] as const

/** Columns of a route that people configure. */
export interface RouteColumns {
  name: string
  scope: object
  events: readonly string[]
  severity: string | null
  quiet: object | null
  delay_sec: number
  steps: readonly object[]
  enabled: boolean
}

/** Lists an org's routes in their order. */
export async function listRoutes(db: Db, org_id: number): Promise<RouteRow[]> {
  return db
    .selectFrom('alert_routes')
    .select([...COLUMNS])
    .where('org_id', '=', org_id)
    .orderBy('position')
    .orderBy('route_id')
    .execute()
}

/** Lists an org's routes with these guids. */
export async function listRoutesOf(db: Db, org_id: number, guids: readonly string[]): Promise<RouteRow[]> {
  return db
    .selectFrom('alert_routes')
    .select([...COLUMNS])
    .where('org_id', '=', org_id)
    .where('guid', '=', sql<string>`any(${[...guids]}::text[])`)
    .execute()
}

const FIELDS = sql`guid text, key text, name text, scope jsonb, events text[], severity text, quiet jsonb, delay_sec integer,
  steps jsonb, enabled boolean`

/** Stores routes in the given order, after the existing ones. */
export async function insertRoutes(
  db: Db,
  org_id: number,
  routes: readonly (RouteColumns & { guid: string; key: string | null })[],
  created_at: string,
): Promise<void> {
  if (routes.length === 0) return
  await sql`
    insert into alert_routes (org_id, position, guid, key, name, scope, events, severity, quiet, delay_sec, steps, enabled, created_at)
    select ${org_id}::bigint,
      ordinality + coalesce((select max(position) from alert_routes where org_id = ${org_id}), -1),
      guid, key, name, scope, events, severity, nullif(quiet, 'null'), delay_sec, steps, enabled, ${created_at}::timestamptz
    from rows from (jsonb_to_recordset(${JSON.stringify(routes)}::jsonb) as (${FIELDS})) with ordinality
    order by ordinality`.execute(db)
}

/** Replaces the configurable columns of routes. */
export async function updateRoutes(
  db: Db,
  org_id: number,
  routes: readonly (RouteColumns & { guid: string })[],
): Promise<void> {
  if (routes.length === 0) return
  await sql`
    update alert_routes r set name = k.name, scope = k.scope, events = k.events, severity = k.severity,
      quiet = nullif(k.quiet, 'null'), delay_sec = k.delay_sec, steps = k.steps, enabled = k.enabled
    from jsonb_to_recordset(${JSON.stringify(routes)}::jsonb) as k(${FIELDS})
    where r.org_id = ${org_id} and r.guid = k.guid`.execute(db)
}

/** Changes the order of an org's routes to that of the given guids. */
export async function updateRouteOrder(db: Db, org_id: number, guids: readonly string[]): Promise<void> {
  await sql`
    update alert_routes r set position = given.n
    from unnest(${[...guids]}::text[]) with ordinality as given(guid, n)
    where r.org_id = ${org_id} and r.guid = given.guid`.execute(db)
}

export async function deleteRoutes(db: Db, org_id: number, guids: readonly string[]): Promise<void> {
  await sql`delete from alert_routes where org_id = ${org_id} and guid = any(${[...guids]}::text[])`.execute(db)
}
