// Reads the data of checks that statistics about their history need.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export interface SummarisedCheck {
  check_id: number
  guid: string
  name: string
  key: string | null
  tags: string[]
  interval_sec: number
  enabled: boolean
  created_at: string
}

export interface WhichSummarised {
  limit: number
  guid?: string | undefined
  tag?: string | undefined
  /** Guid of the check after which the list begins, in the order of creation. */
  after?: string | undefined
}

/** Lists some checks of an organisation, oldest first. */
export async function listChecksToSum(
  db: Db,
  org_id: number,
  { limit, guid, tag, after }: WhichSummarised,
): Promise<SummarisedCheck[]> {
  const { rows } = await sql<SummarisedCheck>`
    select check_id, guid, name, key, tags, interval_sec, enabled, wire_time(created_at) as created_at from checks c
    where org_id = ${org_id} and not deleted
      ${guid === undefined ? sql`` : sql`and guid = ${guid}`}
      ${tag === undefined ? sql`` : sql`and ${tag}::text = any(tags)`}
      ${
        after === undefined
          ? sql``
          : sql`and check_id > (select check_id from checks b where b.org_id = ${org_id} and b.guid = ${after})`
      }
    order by check_id limit ${limit}`.execute(db)
  return rows
}
