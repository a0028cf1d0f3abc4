// Lists checks with the monitors that run them.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { IS_ASSIGNED_SQL } from '../is-assigned.ts'
import { type CheckFilter, type CheckRow, CONTENT, liveChecks } from './checks.ts'

export interface MonitorsOfCheck {
  /** Whether the check is meant for all monitors, including ones added later. */
  all_monitors: boolean
  /** Ids of the monitors that the check is assigned to now, sorted. */
  monitors: string[]
  /** Monitors that lack an ability which the check needs. */
  unable: { abilities: string[] }[]
  /** Name of the check for clients of the configuration API. */
  key: string | null
  /** Fingerprint of the check's secrets: equal for equal secrets, and it reveals nothing about them. */
  mark: string
}

// Without a secret for signing links, the mark depends on the row's last change of any kind.
const MARK = sql<string>`coalesce(
  (select encode(sha256(secret || convert_to('check ' || (jsonb_build_array(url, headers, post_data) || case proxy when '' then '[]' else to_jsonb(proxy) end)::text, 'UTF8')), 'hex') from link_secret),
  md5(checks.xmin::text))`

/** Lists some checks of an organisation with their monitors, oldest first. */
export async function listChecksWithMonitors(
  db: Db,
  org_id: number,
  { limit, ...filter }: CheckFilter & { limit: number },
): Promise<(MonitorsOfCheck & { check: CheckRow })[]> {
  const rows = await liveChecks(db, org_id, filter)
    .select([
      ...CONTENT,
      'all_monitors',
      'key',
      MARK.as('mark'),
      sql<string[]>`array(
        select a.monitor_id from assignments a
        where a.org_id = checks.org_id and a.check_id = checks.check_id and ${IS_ASSIGNED_SQL} order by a.monitor_id
      )`.as('monitors'),
      sql<{ abilities: string[] }[]>`(
        select coalesce(json_agg(json_build_object('abilities', m.abilities)), '[]')
        from assignments a join monitors m on m.id = a.monitor_id
        where a.org_id = checks.org_id and a.check_id = checks.check_id and a.unable
      )`.as('unable'),
    ])
    .orderBy('check_id')
    .limit(limit)
    .execute()
  return rows.map(({ all_monitors, monitors, unable, key, mark, ...check }) => {
    return { check, all_monitors, monitors, unable, key, mark }
  })
}
