// Handles GET /members: returns the owner first, then the others by address.

import type { Deps } from '@dogwatch/domain/deps'
import { readMembers } from '@dogwatch/domain/organisations/members'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toMember } from './wire.ts'

export async function getMembers(
  deps: Deps,
  { caller, reply }: AccountInput<'listMembers'>,
): AccountAnswer<'listMembers'> {
  return reply(200, (await readMembers(deps, caller.org_id)).map(toMember))
}
