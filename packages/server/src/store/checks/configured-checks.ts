// Checks with the monitors that run them.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { type CheckRow, CONTENT } from './checks.ts'

export interface MonitorsOfCheck {
  /** Whether it is meant for all monitors, including ones added later. */
  all_monitors: boolean
  /** Those that run it now, by id. */
  monitors: string[]
  /** What clients of the configuration API call it. */
  key: string | null
  /** The same for the same secrets. Nothing of them can be told from it. */
  mark: string
}

export interface WhichChecks {
  limit: number
  /** Only those that were created after the check with this guid. */
  after?: string | undefined
  tag?: string | undefined
  guid?: string | undefined
  guids?: readonly string[] | undefined
}

// Before there is a secret of links, the mark is that of the row's last change, whatever that changed.
const MARK = sql<string>`coalesce(
  (select encode(sha256(secret || convert_to('check ' || jsonb_build_array(url, headers, post_data)::text, 'UTF8')), 'hex') from link_secret),
  md5(checks.xmin::text))`

/** Some checks of an org, oldest first. */
export async function listChecksWithMonitors(
  db: Db,
  org_id: number,
  { limit, after, tag, guid, guids }: WhichChecks,
): Promise<(MonitorsOfCheck & { check: CheckRow })[]> {
  const rows = await db
    .selectFrom('checks')
    .select([
      ...CONTENT,
      'all_monitors',
      'key',
      MARK.as('mark'),
      sql<string[]>`array(
        select a.monitor_id from assignments a
        where a.org_id = checks.org_id and a.check_id = checks.check_id and a.active order by a.monitor_id
      )`.as('monitors'),
    ])
    .where('org_id', '=', org_id)
    .where('deleted', '=', false)
    .$if(guid !== undefined, (query) => query.where('guid', '=', guid as string))
    .$if(guids !== undefined, (query) => query.where('guid', '=', sql<string>`any(${[...(guids ?? [])]}::text[])`))
    .$if(tag !== undefined, (query) => query.where(sql<boolean>`${tag} = any(tags)`))
    // A check that was deleted meanwhile keeps its place.
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`check_id > (select check_id from checks before where before.org_id = ${org_id} and before.guid = ${after})`,
      ),
    )
    .orderBy('check_id')
    .limit(limit)
    .execute()
  return rows.map(({ all_monitors, monitors, key, mark, ...check }) => ({ check, all_monitors, monitors, key, mark }))
}
