// Handles GET /notification-channels: returns the channels of the org, with their secrets.
import { readChannels } from '../../domain/channels/edit.ts'
import type { Deps } from '../../domain/deps.ts'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toChannel } from './wire.ts'

export async function getNotificationChannels(
  deps: Deps,
  { caller, reply }: AccountInput<'listNotificationChannels'>,
): AccountAnswer<'listNotificationChannels'> {
  return reply(200, (await readChannels(deps, caller.org_id)).map(toChannel))
}
