// Handles GET /settings: returns the org, its plan, and its usage.

import type { Deps } from '@dogwatch/domain/deps'
import { readSettings } from '@dogwatch/domain/organisations/entitlements'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toSettings } from './wire.ts'

export async function getSettings(
  deps: Deps,
  { caller, reply }: AccountInput<'getSettings'>,
): AccountAnswer<'getSettings'> {
  return reply(200, toSettings(await readSettings(deps, caller.org_id)))
}
