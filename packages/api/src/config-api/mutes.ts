// Mutes and unmutes checks and heartbeats.
import type { operations } from '@dogwatch/contract/config'
import { muteThing, unmuteThing } from '@dogwatch/domain/configuration/mutes'
import type { Deps } from '@dogwatch/domain/deps'
import { FieldError } from '@dogwatch/domain/errors'
import type { MuteEnd } from '@dogwatch/domain/mutes/mute'
import { BODY, type ConfigAnswer, type ConfigInput, type Resource } from './contract.ts'
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
  const asked = { caller, key: header['Idempotency-Key'], asks: [`mute ${kind}`, path.guid, body] }
  const made = await carryOut(deps, asked, async (inner) => {
    const muted = await muteThing(inner, editorOf(caller), kind, path.guid, endOf(body))
    return { status: 200, headers: {}, body: toMute(muted) }
  })
  return made.body as object
}

async function unmuteOne(deps: Deps, kind: MutedKind, { caller, path, header }: MuteRequest): Promise<object> {
  const asked = { caller, key: header['Idempotency-Key'], asks: [`unmute ${kind}`, path.guid] }
  const made = await carryOut(deps, asked, async (inner) => {
    await unmuteThing(inner, editorOf(caller), kind, path.guid)
    return { status: 200, headers: {}, body: {} }
  })
  return made.body as object
}

const muteCheck = async (deps: Deps, input: ConfigInput<'muteCheck'>): ConfigAnswer<'muteCheck'> =>
  input.reply(200, await muteOne(deps, 'check', input))
const unmuteCheck = async (deps: Deps, input: ConfigInput<'unmuteCheck'>): ConfigAnswer<'unmuteCheck'> =>
  input.reply(200, await unmuteOne(deps, 'check', input))
const muteHeartbeat = async (deps: Deps, input: ConfigInput<'muteHeartbeat'>): ConfigAnswer<'muteHeartbeat'> =>
  input.reply(200, await muteOne(deps, 'heartbeat', input))
const unmuteHeartbeat = async (deps: Deps, input: ConfigInput<'unmuteHeartbeat'>): ConfigAnswer<'unmuteHeartbeat'> =>
  input.reply(200, await unmuteOne(deps, 'heartbeat', input))

export const MUTES = { muteCheck, unmuteCheck, muteHeartbeat, unmuteHeartbeat } satisfies Partial<
  Resource<keyof operations>
>

export const MUTE_BODIES = { muteCheck: BODY, muteHeartbeat: BODY }
