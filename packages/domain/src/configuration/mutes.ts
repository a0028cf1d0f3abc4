// Mutes and unmutes checks and heartbeats, by guid or key, or by an incident.

import type { Trx } from '@dogwatch/store/database'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { type Muteable, type MuteEnd, type MuteRow, mute, unmute } from '../mutes/mute.ts'
import { requireIncident } from './incidents.ts'
import { resolveReference } from './keys.ts'
import { together } from './together.ts'

/** A check or heartbeat to mute. `incident`: the check or heartbeat of an incident. */
export interface MuteReference {
  kind: 'check' | 'heartbeat' | 'incident'
  reference: string
}

export async function muteThing(
  deps: Deps,
  { org_id, actor }: Editor,
  wanted: MuteReference,
  until: MuteEnd,
): Promise<MuteRow> {
  return together(deps, async (inner, trx) => mute(inner, await find(inner, trx, org_id, wanted, until), until, actor))
}

export async function unmuteThing(deps: Deps, { org_id, actor }: Editor, wanted: MuteReference): Promise<void> {
  await together(deps, async (inner, trx) => unmute(inner, await find(inner, trx, org_id, wanted), actor))
}

async function find(
  inner: Deps,
  trx: Trx,
  org_id: number,
  { kind, reference }: MuteReference,
  until?: MuteEnd,
): Promise<Muteable> {
  if (kind !== 'incident') return { org_id, kind, guid: await resolveReference(trx, org_id, kind, reference) }
  const incident = await requireIncident(inner, org_id, reference)
  if (until === 'resolved' && incident.ended_at !== null) throw new DomainError('conflict', 'this incident has ended')
  return { org_id, kind: incident.kind, guid: incident.guid }
}
