// Enables, disables, resets, retires and lists monitors of any organisation, for operators.

import { findOrganisation } from '@dogwatch/store/accounts/organisations'
import { listMonitorOwners, listMonitors } from '@dogwatch/store/monitors/monitors'
import type { Slice } from '@dogwatch/store/slice'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import {
  type MonitorKey,
  noSuchMonitor,
  resetOneMonitor,
  retireOneMonitor,
  type Switch,
  switchOneMonitor,
} from './edit.ts'

/** Enables or disables a monitor by its organisation's switch or the operator's kill switch. */
export async function switchMonitor(deps: Deps, id: string, which: Switch, on: boolean): Promise<void> {
  await switchOneMonitor(deps, await findKey(deps, id), which, on)
}

/** Revokes a monitor's key, so that another agent can reclaim it. */
export async function resetMonitor(deps: Deps, id: string): Promise<void> {
  await resetOneMonitor(deps, await findKey(deps, id))
}

/** Retires a monitor for good; its results stay. */
export async function retireMonitor(deps: Deps, id: string): Promise<void> {
  await retireOneMonitor(deps, await findKey(deps, id))
}

/** Lists the monitors of an organisation. If `org_id` is null, lists the shared fleet. If it is undefined, lists all monitors. */
export async function listFleet(
  deps: Deps,
  org_id: number | null | undefined,
  slice?: Slice,
): ReturnType<typeof listMonitors> {
  const { people } = deps.database
  if (org_id != null && !(await findOrganisation(people, org_id))) {
    throw new DomainError('missing', 'no organisation with that id')
  }
  return listMonitors(people, org_id, slice)
}

async function findKey({ database }: Deps, id: string): Promise<MonitorKey> {
  const [monitor] = await listMonitorOwners(database.people, [id])
  if (!monitor) throw noSuchMonitor()
  return monitor
}
