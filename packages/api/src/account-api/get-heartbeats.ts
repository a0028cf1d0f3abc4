// Handles GET /heartbeats: returns every heartbeat of the org.

import type { Deps } from '@dogwatch/domain/deps'
import { readHeartbeats } from '@dogwatch/domain/heartbeats/read'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toHeartbeat } from './wire.ts'

export async function getHeartbeats(
  deps: Deps,
  { caller, reply }: AccountInput<'listHeartbeats'>,
): AccountAnswer<'listHeartbeats'> {
  return reply(200, (await readHeartbeats(deps, caller.org_id)).map(toHeartbeat))
}
