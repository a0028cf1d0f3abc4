// Reads the tags of an organisation: which items have a tag, and which scopes name it.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export interface TagUse {
  tag: string
  checks: number
  heartbeats: number
  routes: number
  maintenance_windows: number
}

/** Lists the tags of an organisation in order, or just the tag `only`, each with the number of its uses. */
export async function listTagUses(db: Db, org_id: number, only?: string): Promise<TagUse[]> {
  const wanted = only === undefined ? sql`true` : sql`tag = ${only}`
  // Lowers the case of tags in scopes, because previous versions stored them as people had typed them.
  const named = (table: string) => sql`
    select distinct x.guid, lower(btrim(t.tag)) as tag from ${sql.table(table)} x cross join jsonb_array_elements_text(x.scope -> 'tags') as t(tag)
    where x.org_id = ${org_id} and x.scope ? 'tags'`
  const { rows } = await sql<TagUse>`
    select tag,
      count(*) filter (where kind = 'check')::integer as checks,
      count(*) filter (where kind = 'heartbeat')::integer as heartbeats,
      count(*) filter (where kind = 'route')::integer as routes,
      count(*) filter (where kind = 'window')::integer as maintenance_windows
    from (
      select 'check' as kind, unnest(tags) as tag from checks where org_id = ${org_id} and not deleted
      union all select 'heartbeat', unnest(tags) from heartbeats where org_id = ${org_id}
      union all select 'route', tag from (${named('alert_routes')}) r
      union all select 'window', tag from (${named('maintenance_windows')}) w
    ) uses
    where ${wanted} group by tag order by tag collate "C"`.execute(db)
  return rows
}

/** Lists the guids of the checks and heartbeats that have a tag, oldest first. */
export async function listTagged(
  db: Db,
  org_id: number,
  tag: string,
): Promise<{ checks: string[]; heartbeats: string[] }> {
  const { rows } = await sql<{ kind: string; guid: string }>`
    select 'check' as kind, guid, check_id as id from checks
    where org_id = ${org_id} and ${tag}::text = any(tags) and not deleted
    union all
    select 'heartbeat', guid, heartbeat_id from heartbeats where org_id = ${org_id} and ${tag}::text = any(tags)
    order by kind, id`.execute(db)
  const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ guid }) => guid)
  return { checks: of('check'), heartbeats: of('heartbeat') }
}
