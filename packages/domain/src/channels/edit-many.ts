// Creates, edits and deletes many channels of an organisation with statements for all of them, by the rules that apply to a
// single channel. The caller has read them with `requireChannel`, holds the locks of the organisation and of the channels, and
// decides again about waiting alerts when everything is stored. A chore asks owners of addresses to confirm.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { listProvedEmails } from '@dogwatch/store/accounts/people'
import type { ChannelColumns } from '@dogwatch/store/alerting/channels'
import {
  deleteChannels,
  deleteConfirmationsOf,
  insertChannels,
  listConfirmedAddresses,
  updateChannels,
  updateChannelsEnabled,
} from '@dogwatch/store/alerting/many-channels'
import type { Trx } from '@dogwatch/store/database'
import { type AuditRecord, recordAuditEntries } from '../audit/record.ts'
import { recordsOfCreated, recordsOfEdited, type SwitchActions } from '../audit/switchable.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { makerOf } from '../organisations/makers.ts'
import { requireNotImpersonated } from '../people/sessions.ts'

const ACTIONS: SwitchActions = {
  create: 'channel.create',
  edit: 'channel.edit',
  on: 'channel.enable',
  off: 'channel.disable',
}

export interface CreatedChannel {
  channel: ChannelColumns
  key: string | null
  enabled: boolean
}

/** Creates channels and returns their ids in the same order. */
export async function createChannels(
  trx: Trx,
  deps: Deps,
  by: Editor,
  created: readonly CreatedChannel[],
): Promise<number[]> {
  const { org_id, actor } = by
  requireNotImpersonated(actor)
  const confirmedAt = await confirmer(
    trx,
    deps,
    by,
    created.map(({ channel }) => channel),
  )
  const rows = created.map(({ channel, key, enabled }) => {
    return { ...channel, key, enabled, confirmed_at: confirmedAt(channel) }
  })
  const ids = await insertChannels(trx, org_id, rows, makerOf(actor))
  const items = created.map(({ channel: { name, kind }, enabled }) => ({ name, enabled, detail: { kind } }))
  await recordAuditEntries(trx, deps, actor, recordsOfCreated(org_id, ACTIONS, items))
  return ids
}

export interface ChangedChannel {
  id: number
  channel: ChannelColumns
  held: { name: string; email: string; enabled: boolean }
  enabled: boolean
  /** Names of the changed fields for the audit log, without `enabled`. */
  changed: readonly string[]
}

export async function editChannels(
  trx: Trx,
  deps: Deps,
  by: Editor,
  changed: readonly ChangedChannel[],
): Promise<void> {
  const { org_id, actor } = by
  requireNotImpersonated(actor)
  const edited = changed.filter((one) => one.changed.length > 0)
  const moved = edited.filter(({ channel, held }) => channel.email !== held.email)
  const confirmedAt = await confirmer(
    trx,
    deps,
    by,
    moved.map(({ channel }) => channel),
  )
  const rows = edited.map(({ id, channel, held }) => {
    const { name, destination, email } = channel
    return { id, name, destination, email, is_moved: email !== held.email, confirmed_at: confirmedAt(channel) }
  })
  await updateChannels(trx, org_id, rows)
  await deleteConfirmationsOf(
    trx,
    org_id,
    moved.map(({ id }) => id),
  )
  for (const on of [true, false]) {
    const switched = changed.filter(({ enabled, held }) => enabled === on && held.enabled !== on)
    await updateChannelsEnabled(
      trx,
      org_id,
      switched.map(({ id }) => id),
      on,
    )
  }
  const items = changed.map(({ channel: { name }, ...one }) => ({ ...one, name }))
  await recordAuditEntries(trx, deps, actor, recordsOfEdited(org_id, ACTIONS, items))
}

/** Deletes channels and the log of their deliveries. */
export async function removeChannels(
  trx: Trx,
  deps: Deps,
  { org_id, actor }: Editor,
  removed: readonly { id: number; name: string }[],
): Promise<void> {
  const ids = removed.map(({ id }) => id)
  await deleteChannels(trx, org_id, ids)
  await deleteConfirmationsOf(trx, org_id, ids)
  const deeds = removed.map(({ name }): AuditRecord => ({ org_id, action: 'channel.delete', subject: name }))
  await recordAuditEntries(trx, deps, actor, deeds)
}

/**
 * Returns a function for the time at which a channel's address counts as confirmed: now, or null if its owner still has to
 * confirm it.
 */
async function confirmer(
  trx: Trx,
  { clock }: Deps,
  { org_id, actor }: Editor,
  channels: readonly ChannelColumns[],
): Promise<(channel: ChannelColumns) => string | null> {
  const emails = [...new Set(channels.map(({ email }) => email))].filter((email) => email !== '')
  const known = new Set([
    ...(await listProvedEmails(trx, actor.person_id, emails)),
    ...(await listConfirmedAddresses(trx, org_id, emails)),
  ])
  return ({ email }) => (known.has(email) ? fromDate(clock.now()) : null)
}
