// GET /checks/{guid}: one check.
import { readOneCheck } from '../../domain/checks/read.ts'
import type { Deps } from '../../domain/deps.ts'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toAccountCheck } from './wire.ts'

export async function getCheck(
  deps: Deps,
  { caller, path, reply }: AccountInput<'getCheck'>,
): AccountAnswer<'getCheck'> {
  return reply(200, toAccountCheck(await readOneCheck(deps, caller.org_id, path.guid)))
}
