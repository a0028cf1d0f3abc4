// Handles the operations on channels.
import { askOwnerAgain, CHANNEL, testConfiguredChannel } from '@dogwatch/domain/configuration/channels'
import { requireRoomForTest } from '@dogwatch/domain/limits/rooms'
import type { RateLimiter } from '@dogwatch/domain/limits/spend'
import type { SomeHandlers } from './contract.ts'
import { carryOut } from './repeat.ts'
import { editorOf, resourceOf } from './resource.ts'

/** Returns the operations on channels. `limiter` counts test messages against the same limit as those from the console. */
export function channelOperations(limiter: RateLimiter) {
  return {
    ...resourceOf(CHANNEL, { name: 'Channel', plural: 'channels', id: 'id' }),
    async testChannel(deps, { caller, path, header, reply }) {
      const asked = { caller, header, asks: ['testChannel', path.id] }
      const { body } = await carryOut(deps, asked, async (inner) => {
        const spend = (channel: { kind: string; email: string }) => requireRoomForTest(limiter, caller, channel)
        const { delivery_id } = await testConfiguredChannel(inner, editorOf(caller), path.id, spend)
        return { body: { delivery: String(delivery_id), state: 'queued' } }
      })
      return reply(200, body)
    },
    async askForConfirmation(deps, { caller, path, header, reply }) {
      const asked = { caller, header, asks: ['askForConfirmation', path.id] }
      const { body } = await carryOut(deps, asked, async (inner) => {
        return { body: { email: await askOwnerAgain(inner, editorOf(caller), path.id) } }
      })
      return reply(200, body)
    },
  } satisfies SomeHandlers
}
