// Reads what metrics say about checks in addition to their states.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { inPartSql, type RowPart } from '../part.ts'

export interface NamedCheck {
  check_id: number
  key: string | null
  tags: string[]
}

/** Filter for an organisation's checks. Absent fields match all checks. */
export interface Some {
  tag?: string | undefined
  guid?: string | undefined
  part?: RowPart | undefined
}

/** Lists the keys and tags of an organisation's checks that pass a filter. */
export async function listKeysAndTags(db: Db, org_id: number, some: Some): Promise<NamedCheck[]> {
  return liveChecks(db, org_id, some).select(['check_id', 'key', 'tags']).execute()
}

/** Counts an organisation's checks that pass a filter. */
export async function countSome(db: Db, org_id: number, some: Some): Promise<number> {
  const { count } = await liveChecks(db, org_id, some)
    .select(sql<number>`count(*)::integer`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

function liveChecks(db: Db, org_id: number, { tag, guid, part }: Some) {
  return db
    .selectFrom('checks')
    .where('org_id', '=', org_id)
    .where('deleted', '=', false)
    .$if(tag !== undefined, (query) => query.where(sql<boolean>`${tag}::text = any(tags)`))
    .$if(guid !== undefined, (query) => query.where('guid', '=', guid ?? ''))
    .$if(part !== undefined, (query) => (part ? query.where(inPartSql(part)) : query))
}
