// Handles GET /checks: returns every check of the org, in the shape of the import file, with its state.

import { readChecksWithStates } from '@dogwatch/domain/checks/read'
import type { Deps } from '@dogwatch/domain/deps'
import { lazyList } from '@dogwatch/runtime/json-pieces'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toAccountCheck } from './wire.ts'

export async function getChecks(
  deps: Deps,
  { caller, reply }: AccountInput<'listChecks'>,
): AccountAnswer<'listChecks'> {
  const checks = await readChecksWithStates(deps, caller.org_id)
  return reply(
    200,
    lazyList(checks, ({ check, state }) => toAccountCheck(check, state)),
  )
}
