// Reads an org's own monitors for their pages.
import type { Db } from '../database.ts'
import { IS_ASSIGNED_SQL } from '../is-assigned.ts'
import type { Slice } from '../slice.ts'
import { wireTime } from '../wire-time.ts'
import type { MonitorPlace, MonitorSnapshot } from './monitors.ts'

export type ShownMonitor = MonitorPlace & {
  id: string
  enabled: boolean
  platform_enabled: boolean
  /** Whether the monitor has an API key. False after a reset. */
  enrolled: boolean
  enrolled_at: string
  last_seen_at: string | null
  offline_since: string | null
  /** Lead of the monitor's clock over the server's, in milliseconds. Negative if it is behind. Null if unknown. */
  clock_offset_ms: number | null
  /** Time of the monitor's last report about itself. The fields below are null before the first report. */
  reported_at: string | null
} & { [Field in keyof MonitorSnapshot]: MonitorSnapshot[Field] | null }

/** Lists an org's monitors by id. */
export async function listShownMonitors(db: Db, org_id: number, { limit, offset }: Slice): Promise<ShownMonitor[]> {
  return shown(db, org_id).orderBy('id').limit(limit).offset(offset).execute()
}

export async function findShownMonitor(db: Db, org_id: number, id: string): Promise<ShownMonitor | undefined> {
  return shown(db, org_id).where('id', '=', id).executeTakeFirst()
}

export interface CheckOfMonitor {
  guid: string
  name: string
  enabled: boolean
}

/** Lists the org's checks that are assigned to a monitor, oldest first. */
export async function listChecksOfMonitor(db: Db, org_id: number, monitor_id: string): Promise<CheckOfMonitor[]> {
  return db
    .selectFrom('assignments as a')
    .innerJoin('checks as c', (join) => join.onRef('c.org_id', '=', 'a.org_id').onRef('c.check_id', '=', 'a.check_id'))
    .select(['c.guid', 'c.name', 'c.enabled'])
    .where('a.org_id', '=', org_id)
    .where('a.monitor_id', '=', monitor_id)
    .where(IS_ASSIGNED_SQL)
    .where('c.deleted', '=', false)
    .orderBy('c.check_id')
    .execute()
}

/** Lists the monitors that used the given token when they last enrolled, earliest first. */
export async function listEnrolledWith(
  db: Db,
  org_id: number,
  token_hash: Buffer,
  most: number,
): Promise<ShownMonitor[]> {
  return shown(db, org_id)
    .where('enrolled_with', '=', token_hash)
    .orderBy('enrolled_at')
    .orderBy('id')
    .limit(most)
    .execute()
}

function shown(db: Db, org_id: number) {
  return db
    .selectFrom('monitors')
    .select((eb) => [
      'id',
      'name',
      'region',
      'country',
      'city',
      'enabled',
      'platform_enabled',
      eb('key_hash', 'is not', null).$castTo<boolean>().as('enrolled'),
      wireTime(eb.ref('enrolled_at')).as('enrolled_at'),
      wireTime(eb.ref('last_seen_at')).as('last_seen_at'),
      wireTime(eb.ref('offline_since')).as('offline_since'),
      'clock_offset_ms',
      'version',
      'uptime_sec',
      'unsent_results',
      'last_outage_sec',
      wireTime(eb.ref('last_outage_ended_at')).as('last_outage_ended_at'),
      wireTime(eb.ref('reported_at')).as('reported_at'),
    ])
    .where('org_id', '=', org_id)
    .where('retired_at', 'is', null)
}
