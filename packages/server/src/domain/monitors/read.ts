// The monitors that an org may see.
import { listVisibleMonitors, type VisibleMonitorRow } from '../../store/monitors.ts'
import type { Deps } from '../deps.ts'

/** The org's own, enabled or not, then the enabled ones of the shared fleet. */
export async function readVisibleMonitors(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
): Promise<VisibleMonitorRow[]> {
  return listVisibleMonitors(database.db, org_id)
}
