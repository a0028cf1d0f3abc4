// What operators do to a monitor: enable, disable, reset, list.
import { listMonitors, updateReset, updateSwitch } from '../../store/monitors.ts'
import { findOrganisation } from '../../store/organisations.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'

export type Switch = 'enabled' | 'platform_enabled'

/** Moves the org's own switch or the platform's kill switch. The checks' other monitors hear of their new turns. */
export async function switchMonitor(deps: Deps, id: string, which: Switch, on: boolean): Promise<void> {
  const change = which === 'enabled' ? { enabled: on } : { platform_enabled: on }
  if (!(await updateSwitch(deps.database.db, id, change))) throw noSuchMonitor()
}

/** Ends a monitor's key, so that it can be reclaimed. It keeps its checks and its place in their turns. */
export async function resetMonitor(deps: Deps, id: string): Promise<void> {
  if (!(await updateReset(deps.database.db, id))) throw noSuchMonitor()
}

/** The monitors of an org; `org_id` null: the shared fleet's; undefined: all. */
export async function listFleet(deps: Deps, org_id: number | null | undefined): ReturnType<typeof listMonitors> {
  const { db } = deps.database
  if (org_id != null && !(await findOrganisation(db, org_id))) {
    throw new DomainError('missing', 'no organisation with that id')
  }
  return listMonitors(db, org_id)
}

function noSuchMonitor(): DomainError {
  return new DomainError('missing', 'no monitor with that id')
}
