// Handles GET /notification-channels: returns the channels of the org, with their secrets.
import { readChannels } from '@dogwatch/domain/channels/edit'
import type { Deps } from '@dogwatch/domain/deps'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { toChannel } from './wire.ts'

export async function getNotificationChannels(
  deps: Deps,
  { caller, reply }: AccountInput<'listNotificationChannels'>,
): AccountAnswer<'listNotificationChannels'> {
  return reply(200, (await readChannels(deps, caller.org_id)).map(toChannel))
}
