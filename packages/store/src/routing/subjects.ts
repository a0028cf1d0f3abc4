// Finds the checks and heartbeats that events are about.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Finds the ids of an org's checks by guid. */
export async function listCheckIdsOf(
  db: Db,
  org_id: number,
  guids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (guids.length === 0) return new Map()
  const { rows } = await sql<{ guid: string; check_id: number }>`
    select guid, check_id from check_guids where guid = any(${[...guids]}::text[]) and org_id = ${org_id}`.execute(db)
  return new Map(rows.map(({ guid, check_id }) => [guid, check_id]))
}

/** Check or heartbeat that an alert can be about, with the name that people gave it. */
export interface NamedSubject {
  kind: 'check' | 'heartbeat'
  id: number
  guid: string
  name: string
}

/** Lists an org's checks, then its heartbeats, each sorted by name. */
export async function listNamed(db: Db, org_id: number): Promise<NamedSubject[]> {
  const { rows } = await sql<NamedSubject>`
    select 'check' as kind, check_id as id, guid, name from checks where org_id = ${org_id} and not deleted
    union all
    select 'heartbeat', heartbeat_id, guid, name from heartbeats where org_id = ${org_id}
    order by kind, name, id`.execute(db)
  return rows
}

/** Lists those of the given checks and heartbeats that an organisation has, by guid. */
export async function listExisting(
  db: Db,
  org_id: number,
  { checks, heartbeats }: { checks: readonly string[]; heartbeats: readonly string[] },
): Promise<Pick<NamedSubject, 'kind' | 'guid'>[]> {
  const { rows } = await sql<Pick<NamedSubject, 'kind' | 'guid'>>`
    select 'check' as kind, guid from checks where org_id = ${org_id} and guid = any(${[...checks]}::text[]) and not deleted
    union all
    select 'heartbeat', guid from heartbeats where org_id = ${org_id} and guid = any(${[...heartbeats]}::text[])`.execute(
    db,
  )
  return rows
}

/** Lists the tags of an org's checks and heartbeats, by guid. Those without tags are absent. */
export async function listTagsOf(
  db: Db,
  org_id: number,
  guids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (guids.length === 0) return new Map()
  const { rows } = await sql<{ guid: string; tags: readonly string[] }>`
    select guid, tags from checks where org_id = ${org_id} and guid = any(${[...guids]}::text[]) and tags <> '{}'
    union all
    select guid, tags from heartbeats where org_id = ${org_id} and guid = any(${[...guids]}::text[]) and tags <> '{}'`.execute(
    db,
  )
  return new Map(rows.map(({ guid, tags }) => [guid, tags]))
}
