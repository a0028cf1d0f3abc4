// Finds the incidents, checks, heartbeats and monitors of an organisation by text.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export interface FoundRow {
  kind: 'incident' | 'check' | 'heartbeat' | 'monitor'
  /** Guid, or the id of a monitor or an incident. */
  id: string
  name: string
  /** Target of a check, or location of a monitor. Empty if there is nothing to add. */
  note: string
  /** Whether the check or heartbeat has an open incident. */
  is_down: boolean
  /** Check or heartbeat to acknowledge. Null unless the row is an incident that no one has acknowledged. */
  acknowledge: { kind: 'check' | 'heartbeat'; guid: string } | null
}

/**
 * Finds items that match the text, those whose name begins with it first, at most `limit` of each kind. An empty text finds only
 * open incidents.
 */
export async function findByText(db: Db, org_id: number, text: string, limit: number): Promise<FoundRow[]> {
  const wanted = sql`(select lower(${text}::text))`
  const has = (column: string) => sql`strpos(lower(${sql.ref(column)}), ${wanted}) > 0`
  const first = (column: string) =>
    sql`strpos(lower(${sql.ref(column)}), ${wanted}) <> 1, lower(${sql.ref(column)}), ${sql.ref(column)}`
  // Searches targets without login, query and fragment, because these can be secrets.
  const target = sql`lower(regexp_replace(c.url, '^([a-z]+:[/\\\\]*)[^/\\\\?#]*@|[?#].*$', '\\1', 'gi'))`
  const isAsked = sql`${text}::text <> ''`
  const { rows } = await sql<FoundRow>`
    (select 'incident' as kind, i.incident_id as id, coalesce(c.name, h.name) as name, ''::text as note, true as is_down,
        case when i.acknowledged_at is null then jsonb_build_object(
          'kind', case when i.check_id is null then 'heartbeat' else 'check' end, 'guid', coalesce(c.guid, h.guid)) end as acknowledge
      from incidents i
      left join checks c on c.org_id = i.org_id and c.check_id = i.check_id and not c.deleted
      left join heartbeats h on h.org_id = i.org_id and h.heartbeat_id = i.heartbeat_id
      where i.org_id = ${org_id} and i.ended_at is null and (c.check_id is not null or h.heartbeat_id is not null)
        and (${has('c.name')} or ${has('h.name')})
      order by i.began_at desc, i.incident_id limit ${limit})
    union all
    (select 'check', c.guid, c.name, c.url, exists (
          select from incidents i where i.org_id = c.org_id and i.check_id = c.check_id and i.ended_at is null), null
      from checks c
      where ${isAsked} and c.org_id = ${org_id} and not c.deleted
        and (${has('c.name')} or strpos(${target}, ${wanted}) > 0 or exists (select from unnest(c.tags) t where strpos(t, ${wanted}) = 1))
      order by ${first('c.name')} limit ${limit})
    union all
    (select 'heartbeat', h.guid, h.name, '', h.state = 'down', null
      from heartbeats h
      where ${isAsked} and h.org_id = ${org_id}
        and (${has('h.name')} or exists (select from unnest(h.tags) t where strpos(t, ${wanted}) = 1))
      order by ${first('h.name')} limit ${limit})
    union all
    (select 'monitor', m.id, case when m.name = '' then m.id else m.name end, m.city || ', ' || m.country, false, null
      from monitors m
      where ${isAsked} and m.org_id = ${org_id} and m.retired_at is null
        and (${has('m.name')} or ${has('m.city')} or ${has('m.region')} or ${has('m.id')})
      order by ${first('m.name')}, m.id limit ${limit})`.execute(db)
  return rows
}
