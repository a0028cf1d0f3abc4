// GET /checks: every check of the org, in the shape of the import file.
import { readChecks } from '../../domain/checks/read.ts'
import type { Deps } from '../../domain/deps.ts'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toAccountCheck } from './wire.ts'

export async function getChecks(
  deps: Deps,
  { caller, reply }: AccountInput<'listChecks'>,
): AccountAnswer<'listChecks'> {
  return reply(200, (await readChecks(deps, caller.org_id)).map(toAccountCheck))
}
