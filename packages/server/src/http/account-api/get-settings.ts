// Handles GET /settings: returns the org, its plan, and its usage.
import { readSettings } from '../../domain/organisations/entitlements.ts'
import type { Deps } from '../../domain/deps.ts'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toSettings } from './wire.ts'

export async function getSettings(
  deps: Deps,
  { caller, reply }: AccountInput<'getSettings'>,
): AccountAnswer<'getSettings'> {
  return reply(200, toSettings(await readSettings(deps, caller.org_id)))
}
