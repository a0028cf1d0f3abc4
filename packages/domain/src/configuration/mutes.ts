// Mutes and unmutes checks and heartbeats, by guid or key.

import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { type MuteEnd, type MuteRow, mute, unmute } from '../mutes/mute.ts'
import { resolveReference } from './keys.ts'
import { together } from './together.ts'

export async function muteThing(
  deps: Deps,
  { org_id, actor }: Editor,
  kind: 'check' | 'heartbeat',
  reference: string,
  until: MuteEnd,
): Promise<MuteRow> {
  return together(deps, async (inner, trx) => {
    const guid = await resolveReference(trx, org_id, kind, reference)
    return mute(inner, { org_id, kind, guid }, until, actor)
  })
}

export async function unmuteThing(
  deps: Deps,
  { org_id, actor }: Editor,
  kind: 'check' | 'heartbeat',
  reference: string,
): Promise<void> {
  await together(deps, async (inner, trx) => {
    const guid = await resolveReference(trx, org_id, kind, reference)
    await unmute(inner, { org_id, kind, guid }, actor)
  })
}
