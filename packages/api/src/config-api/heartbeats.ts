// Handles the operations on heartbeats.
import {
  HEARTBEAT,
  readPingToken,
  rotatePingToken,
  switchConfiguredHeartbeat,
} from '@dogwatch/domain/configuration/heartbeats'
import type { Deps } from '@dogwatch/domain/deps'
import { pingUrl } from '@dogwatch/domain/heartbeats/ping-url'
import { BODY, type ConfigAnswer, type ConfigInput } from './contract.ts'
import { carryOut, type OperationResult } from './repeat.ts'
import { editorOf, madeOf, resourceOf } from './resource.ts'

type HeartbeatAnswer = ReturnType<typeof HEARTBEAT.toWire>

async function switchTo(
  deps: Deps,
  enabled: boolean,
  { caller, path, header }: Pick<ConfigInput<'pauseHeartbeat'>, 'caller' | 'path' | 'header'>,
): Promise<OperationResult> {
  const asks = [enabled ? 'resumeHeartbeat' : 'pauseHeartbeat', path.guid]
  return carryOut(deps, { caller, key: header['Idempotency-Key'], asks }, async (inner) =>
    madeOf(200, HEARTBEAT, await switchConfiguredHeartbeat(inner, editorOf(caller), path.guid, enabled), caller),
  )
}

const pauseHeartbeat = (
  deps: Deps,
  { reply, ...input }: ConfigInput<'pauseHeartbeat'>,
): ConfigAnswer<'pauseHeartbeat'> =>
  switchTo(deps, false, input).then(({ body, headers }) =>
    reply(200, body as HeartbeatAnswer, headers as { ETag: string }),
  )

const resumeHeartbeat = (
  deps: Deps,
  { reply, ...input }: ConfigInput<'resumeHeartbeat'>,
): ConfigAnswer<'resumeHeartbeat'> =>
  switchTo(deps, true, input).then(({ body, headers }) =>
    reply(200, body as HeartbeatAnswer, headers as { ETag: string }),
  )

/** Returns the operations on heartbeats. Ping URLs begin with `public_url`. */
export function heartbeatOperations(public_url: string) {
  const urlOf = async (deps: Deps, org_id: number, reference: string) => ({
    ping_url: pingUrl(public_url, (await readPingToken(deps, org_id, reference)).token),
  })
  return {
    ...resourceOf(HEARTBEAT, {
      plural: 'heartbeats',
      id: 'guid',
      shownOnce: (deps, org_id, { guid }) => urlOf(deps, org_id, guid),
      operations: {
        list: 'listHeartbeats',
        create: 'createHeartbeat',
        read: 'getHeartbeat',
        replace: 'replaceHeartbeat',
        change: 'changeHeartbeat',
        remove: 'deleteHeartbeat',
      },
    }),
    pauseHeartbeat,
    resumeHeartbeat,
    getPingUrl: async (deps: Deps, { caller, path, reply }: ConfigInput<'getPingUrl'>): ConfigAnswer<'getPingUrl'> =>
      reply(200, await urlOf(deps, caller.org_id, path.guid)),
    rotatePingUrl: async (
      deps: Deps,
      { caller, path, header, reply }: ConfigInput<'rotatePingUrl'>,
    ): ConfigAnswer<'rotatePingUrl'> => {
      const asked = { caller, key: header['Idempotency-Key'], asks: ['rotatePingUrl', path.guid] }
      const made = await carryOut(deps, asked, async (inner) => {
        const { token } = await rotatePingToken(inner, editorOf(caller), path.guid)
        return { status: 200, headers: {}, body: { ping_url: pingUrl(public_url, token) } }
      })
      return reply(200, made.body as { ping_url: string })
    },
  }
}

export const HEARTBEAT_BODIES = { createHeartbeat: BODY, replaceHeartbeat: BODY, changeHeartbeat: BODY }
