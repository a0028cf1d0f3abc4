// Handles GET /checks: returns the delta for the calling monitor.

import { syncChecks } from '@dogwatch/domain/checks/sync'
import type { Deps } from '@dogwatch/domain/deps'
import { classOf } from '@dogwatch/domain/monitors/monitor'
import { toMicroseconds } from '@dogwatch/runtime/timestamps'
import type { MonitorAnswer, MonitorInput } from './contract.ts'
import { toChecksResponse } from './wire.ts'

export async function getChecks(
  deps: Deps,
  { caller, query, reply }: MonitorInput<'syncChecks'>,
): MonitorAnswer<'syncChecks'> {
  const since = query.since === undefined ? undefined : toMicroseconds(query.since)
  return reply(200, toChecksResponse(await syncChecks(deps, caller, since), classOf(caller)))
}
