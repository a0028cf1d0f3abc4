// Mutes and unmutes checks and heartbeats.
import { muteThing, unmuteThing } from '@dogwatch/domain/configuration/mutes'
import type { Deps } from '@dogwatch/domain/deps'
import { FieldError } from '@dogwatch/domain/errors'
import type { MuteEnd } from '@dogwatch/domain/mutes/mute'
import type { ConfigInput, Resource } from './contract.ts'
import { toMute } from './incident-wire.ts'
import { carryOut } from './repeat.ts'
import { editorOf } from './resource.ts'

type MutedKind = 'check' | 'heartbeat'
type MuteInput = ConfigInput<'muteCheck'>['body']
type MuteRequest = Pick<ConfigInput<'unmuteCheck'>, 'caller' | 'path' | 'header'>

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
  kind: MutedKind,
  { caller, path, header, body }: MuteRequest & { body: MuteInput },
): Promise<object> {
  const asked = { caller, header, asks: [`mute ${kind}`, path.guid, body] }
  const muted = await carryOut(deps, asked, async (inner) => {
    return { body: toMute(await muteThing(inner, editorOf(caller), kind, path.guid, endOf(body))) }
  })
  return muted.body
}

async function unmuteOne(deps: Deps, kind: MutedKind, { caller, path, header }: MuteRequest): Promise<object> {
  const asked = { caller, header, asks: [`unmute ${kind}`, path.guid] }
  const unmuted = await carryOut(deps, asked, async (inner) => {
    await unmuteThing(inner, editorOf(caller), kind, path.guid)
    return { body: {} }
  })
  return unmuted.body
}

export const MUTES: Resource<'muteCheck' | 'unmuteCheck' | 'muteHeartbeat' | 'unmuteHeartbeat'> = {
  muteCheck: async (deps, input) => input.reply(200, await muteOne(deps, 'check', input)),
  unmuteCheck: async (deps, input) => input.reply(200, await unmuteOne(deps, 'check', input)),
  muteHeartbeat: async (deps, input) => input.reply(200, await muteOne(deps, 'heartbeat', input)),
  unmuteHeartbeat: async (deps, input) => input.reply(200, await unmuteOne(deps, 'heartbeat', input)),
}
