// Handles the operations on channels.
import { askOwnerAgain, CHANNEL, testConfiguredChannel } from '@dogwatch/domain/configuration/channels'
import type { Deps } from '@dogwatch/domain/deps'
import { requireRoomForTest } from '@dogwatch/domain/limits/rooms'
import type { RateLimiter } from '@dogwatch/domain/limits/spend'
import { BODY, type ConfigAnswer, type ConfigInput } from './contract.ts'
import { carryOut } from './repeat.ts'
import { editorOf, resourceOf } from './resource.ts'

interface TestAnswer {
  delivery: string
  state: string
}

/** Returns the operations on channels. `limiter` counts test messages against the same limit as those from the console. */
export function channelOperations(limiter: RateLimiter) {
  return {
    ...resourceOf(CHANNEL, {
      plural: 'channels',
      id: 'id',
      operations: {
        list: 'listChannels',
        create: 'createChannel',
        read: 'getChannel',
        replace: 'replaceChannel',
        change: 'changeChannel',
        remove: 'deleteChannel',
      },
    }),
    testChannel: async (
      deps: Deps,
      { caller, path, header, reply }: ConfigInput<'testChannel'>,
    ): ConfigAnswer<'testChannel'> => {
      const asked = { caller, key: header['Idempotency-Key'], asks: ['testChannel', path.id] }
      const made = await carryOut(deps, asked, async (inner) => {
        const spend = (channel: { kind: string; email: string }) => requireRoomForTest(limiter, caller, channel)
        const { delivery_id } = await testConfiguredChannel(inner, editorOf(caller), path.id, spend)
        return { status: 200, headers: {}, body: { delivery: String(delivery_id), state: 'queued' } }
      })
      return reply(200, made.body as TestAnswer)
    },
    askForConfirmation: async (
      deps: Deps,
      { caller, path, header, reply }: ConfigInput<'askForConfirmation'>,
    ): ConfigAnswer<'askForConfirmation'> => {
      const asked = { caller, key: header['Idempotency-Key'], asks: ['askForConfirmation', path.id] }
      const made = await carryOut(deps, asked, async (inner) => {
        const email = await askOwnerAgain(inner, editorOf(caller), path.id)
        return { status: 200, headers: {}, body: { email } }
      })
      return reply(200, made.body as { email: string })
    },
  }
}

export const CHANNEL_BODIES = { createChannel: BODY, replaceChannel: BODY, changeChannel: BODY }
