// Finds what events name.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** The checks with these guids, among an org's own. */
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

/** Something that alerts are about, as people know it. */
export interface NamedSubject {
  kind: 'check' | 'heartbeat'
  id: number
  guid: string
  name: string
}

/** An org's checks and heartbeats in the order of their names. */
export async function listNamed(db: Db, org_id: number): Promise<NamedSubject[]> {
  const { rows } = await sql<NamedSubject>`
    select 'check' as kind, check_id as id, guid, name from checks where org_id = ${org_id} and not deleted
    union all
    select 'heartbeat', heartbeat_id, guid, name from heartbeats where org_id = ${org_id}
    order by kind, name, id`.execute(db)
  return rows
}

/** Which of these checks and heartbeats an organisation has, by guid. */
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

/** The tags of the checks and heartbeats with these guids, among an org's own, of those that have any. */
export async function listTagsOf(
  db: Db,
  org_id: number,
  guids: readonly string[],
): Promise<{ guid: string; tags: readonly string[] }[]> {
  if (guids.length === 0) return []
  const { rows } = await sql<{ guid: string; tags: readonly string[] }>`
    select guid, tags from checks where org_id = ${org_id} and guid = any(${[...guids]}::text[]) and tags <> '{}'
    union all
    select guid, tags from heartbeats where org_id = ${org_id} and guid = any(${[...guids]}::text[]) and tags <> '{}'`.execute(
    db,
  )
  return rows
}
