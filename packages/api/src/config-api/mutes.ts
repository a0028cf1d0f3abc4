// Handles the operations that mute and unmute checks and heartbeats.
import { type MuteReference, muteThing, unmuteThing } from '@dogwatch/domain/configuration/mutes'
import type { Deps } from '@dogwatch/domain/deps'
import { FieldError } from '@dogwatch/domain/errors'
import type { MuteEnd } from '@dogwatch/domain/mutes/mute'
import type { ConfigInput, SomeHandlers } from './contract.ts'
import { toMute } from './incident-wire.ts'
import { carryOut } from './repeat.ts'
import { editorOf } from './resource.ts'

type MuteInput = ConfigInput<'muteCheck'>['body']
type MuteRequest = Pick<ConfigInput<'unmuteCheck'>, 'caller' | 'header'>

/** Returns the end of a mute that the body requests. */
export function endOf({ until, until_resolved = false }: MuteInput): MuteEnd {
  if (until_resolved === (until !== undefined))
    throw new FieldError(
      'invalid',
      'until',
      'must be sent if until_resolved is false, and must be omitted if until_resolved is true',
    )
  return until === undefined ? 'resolved' : new Date(until)
}

async function muteOne(
  deps: Deps,
  operation: string,
  wanted: MuteReference,
  { caller, header, body }: MuteRequest & { body: MuteInput },
) {
  const asked = { caller, header, asks: [operation, wanted.reference, body] }
  const muted = await carryOut(deps, asked, async (inner) => {
    return { body: toMute(await muteThing(inner, editorOf(caller), wanted, endOf(body))) }
  })
  return muted.body
}

async function unmuteOne(deps: Deps, operation: string, wanted: MuteReference, { caller, header }: MuteRequest) {
  const asked = { caller, header, asks: [operation, wanted.reference] }
  const unmuted = await carryOut(deps, asked, async (inner) => {
    await unmuteThing(inner, editorOf(caller), wanted)
    return { body: {} }
  })
  return unmuted.body
}

const ofCheck = (path: { guid: string }): MuteReference => ({ kind: 'check', reference: path.guid })
const ofHeartbeat = (path: { guid: string }): MuteReference => ({ kind: 'heartbeat', reference: path.guid })
const ofIncident = (path: { incident: string }): MuteReference => ({ kind: 'incident', reference: path.incident })

export const MUTES = {
  muteCheck: async (deps, input) => input.reply(200, await muteOne(deps, 'mute check', ofCheck(input.path), input)),
  unmuteCheck: async (deps, input) =>
    input.reply(200, await unmuteOne(deps, 'unmute check', ofCheck(input.path), input)),
  muteHeartbeat: async (deps, input) =>
    input.reply(200, await muteOne(deps, 'mute heartbeat', ofHeartbeat(input.path), input)),
  unmuteHeartbeat: async (deps, input) =>
    input.reply(200, await unmuteOne(deps, 'unmute heartbeat', ofHeartbeat(input.path), input)),
  muteIncident: async (deps, input) =>
    input.reply(200, await muteOne(deps, 'muteIncident', ofIncident(input.path), input)),
  unmuteIncident: async (deps, input) =>
    input.reply(200, await unmuteOne(deps, 'unmuteIncident', ofIncident(input.path), input)),
} satisfies SomeHandlers
