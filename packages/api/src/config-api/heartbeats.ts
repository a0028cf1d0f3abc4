// Handles the operations on heartbeats.
import { HEARTBEAT, readPingToken, rotatePingToken } from '@dogwatch/domain/configuration/heartbeats'
import type { Deps } from '@dogwatch/domain/deps'
import { pingUrl } from '@dogwatch/domain/heartbeats/ping-url'
import type { SomeHandlers } from './contract.ts'
import { carryOut } from './repeat.ts'
import { editorOf, resourceOf } from './resource.ts'

/** Returns the operations on heartbeats. Ping URLs begin with `public_url`. */
export function heartbeatOperations(public_url: string) {
  const urlOf = async (deps: Deps, org_id: number, reference: string) => ({
    ping_url: pingUrl(public_url, (await readPingToken(deps, org_id, reference)).token),
  })
  return {
    ...resourceOf(HEARTBEAT, {
      name: 'Heartbeat',
      plural: 'heartbeats',
      id: 'guid',
      shownOnce: (deps, org_id, { guid }) => urlOf(deps, org_id, guid),
    }),
    getPingUrl: async (deps, { caller, path, reply }) => reply(200, await urlOf(deps, caller.org_id, path.guid)),
    async rotatePingUrl(deps, { caller, path, header, reply }) {
      const asked = { caller, header, asks: ['rotatePingUrl', path.guid] }
      const { body } = await carryOut(deps, asked, async (inner) => {
        const { token } = await rotatePingToken(inner, editorOf(caller), path.guid)
        return { body: { ping_url: pingUrl(public_url, token) } }
      })
      return reply(200, body)
    },
  } satisfies SomeHandlers
}
