// What operators do to a monitor: enable, disable, reset, list.
import { listMonitors, updateReset, updateSwitch } from '../../store/monitors.ts'
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

/** `org_id` null: the shared fleet; undefined: all. */
export async function listFleet(deps: Deps, org_id: number | null | undefined): ReturnType<typeof listMonitors> {
  return listMonitors(deps.database.db, org_id)
}

function noSuchMonitor(): DomainError {
  return new DomainError('missing', 'no monitor with that id')
}
