// Handles GET /checks/{guid}: returns one check.
import { readCheckWithState } from '@dogwatch/domain/checks/read'
import type { Deps } from '@dogwatch/domain/deps'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toAccountCheck } from './wire.ts'

export async function getCheck(
  deps: Deps,
  { caller, path, reply }: AccountInput<'getCheck'>,
): AccountAnswer<'getCheck'> {
  const { check, state } = await readCheckWithState(deps, caller.org_id, path.guid)
  return reply(200, toAccountCheck(check, state))
}
