// Handles GET /monitors: returns the org's own monitors, then the enabled ones of the shared fleet.

import type { Deps } from '@dogwatch/domain/deps'
import { readVisibleMonitors } from '@dogwatch/domain/monitors/read'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toMonitor } from './wire.ts'

export async function getMonitors(
  deps: Deps,
  { caller, reply }: AccountInput<'listMonitors'>,
): AccountAnswer<'listMonitors'> {
  return reply(200, (await readVisibleMonitors(deps, caller.org_id)).map(toMonitor))
}
