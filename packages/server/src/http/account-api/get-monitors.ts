// Handles GET /monitors: returns the org's own monitors, then the enabled ones of the shared fleet.
import { readVisibleMonitors } from '../../domain/monitors/read.ts'
import type { Deps } from '../../domain/deps.ts'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toMonitor } from './wire.ts'

export async function getMonitors(
  deps: Deps,
  { caller, reply }: AccountInput<'listMonitors'>,
): AccountAnswer<'listMonitors'> {
  return reply(200, (await readVisibleMonitors(deps, caller.org_id)).map(toMonitor))
}
