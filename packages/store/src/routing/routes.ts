// Stores alert routes.
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

export async function findRoute(db: Db, org_id: number, guid: string): Promise<RouteRow | undefined> {
  return db
    .selectFrom('alert_routes')
    .select([...COLUMNS])
    .where('org_id', '=', org_id)
    .where('guid', '=', guid)
    .executeTakeFirst()
}

/** Stores a route after the existing ones. */
export async function insertRoute(
  db: Db,
  row: RouteColumns & { org_id: number; guid: string; created_at: string },
): Promise<void> {
  const { org_id, guid, created_at } = row
  const position = sql<number>`coalesce((select max(position) + 1 from alert_routes where org_id = ${org_id}), 0)`
  await db
    .insertInto('alert_routes')
    .values({ org_id, guid, created_at, position, ...columnsOf(row) })
    .execute()
}

export async function updateRoute(db: Db, org_id: number, guid: string, columns: RouteColumns): Promise<void> {
  await db
    .updateTable('alert_routes')
    .set(columnsOf(columns))
    .where('org_id', '=', org_id)
    .where('guid', '=', guid)
    .execute()
}

/** Changes the order of an org's routes to that of the given guids. */
export async function updateRouteOrder(db: Db, org_id: number, guids: readonly string[]): Promise<void> {
  await sql`
    update alert_routes r set position = given.n
    from unnest(${[...guids]}::text[]) with ordinality as given(guid, n)
    where r.org_id = ${org_id} and r.guid = given.guid`.execute(db)
}

export async function deleteRoute(db: Db, org_id: number, guid: string): Promise<void> {
  await db.deleteFrom('alert_routes').where('org_id', '=', org_id).where('guid', '=', guid).execute()
}

function columnsOf({ name, scope, events, severity, quiet, delay_sec, steps, enabled }: RouteColumns) {
  return {
    name,
    scope: JSON.stringify(scope),
    events: [...events],
    severity,
    quiet: quiet && JSON.stringify(quiet),
    delay_sec,
    steps: JSON.stringify(steps),
    enabled,
  }
}
