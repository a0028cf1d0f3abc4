// Stores or deletes many channels at once.
import { findOrganisation, type OrganisationRow } from '@dogwatch/store/accounts/organisations'
import { type ChannelColumns, countChannels } from '@dogwatch/store/alerting/channels'
import { listConfiguredChannelsOf } from '@dogwatch/store/configuration/channels'
import { changedOf, requireChannel, requireKindAllowed, requireRoomForChannel } from '../channels/edit.ts'
import { createChannels, editChannels, removeChannels } from '../channels/edit-many.ts'
import { ensureSecret } from '../incidents/link-secret.ts'
import { existing } from '../organisations/existing.ts'
import { switchIn } from './body-fields.ts'
import {
  type ConfiguredChannel,
  namingDestination,
  newIn,
  requireMail,
  secretsGiven,
  secretsMaybeNeeded,
  wantedOf,
  withConfirmation,
} from './channels.ts'
import type { Faults } from './faults.ts'
import { changedKey, type KeyOfMany, readKey, requireKeysFree, setKeys } from './keys.ts'
import { type Inside, type ManyOf, numberOf, type PutOfMany } from './kind.ts'

type ChannelPut = KeyOfMany & {
  channel: ChannelColumns
  enabled: boolean
  before: ConfiguredChannel | undefined
  uncompared: readonly string[]
  may_be_needed: readonly string[]
}

/**
 * Lists channels. First creates the secret that makes the marks of write-only fields, so that channels have the same marks before
 * and after the change.
 */
async function list(inside: Inside, ids: readonly string[]): Promise<ConfiguredChannel[]> {
  await ensureSecret(inside.trx, inside.deps)
  return readAll(inside, ids.map(numberOf))
}

async function readAll({ deps, trx, by: { org_id } }: Inside, ids: readonly number[]): Promise<ConfiguredChannel[]> {
  const rows = ids.length === 0 ? [] : await listConfiguredChannelsOf(trx, org_id, ids)
  return rows.map((row) => withConfirmation(deps, row))
}

async function put(inside: Inside, puts: readonly PutOfMany<ConfiguredChannel>[], faults: Faults) {
  const { deps, trx, by } = inside
  const organisation = existing(await findOrganisation(trx, by.org_id))
  const placed: ChannelPut[] = []
  for (const one of puts) {
    const made = await faults.during(one.index, () => place(inside, organisation, one))
    if (made) placed.push(made)
  }
  await requireKeysFree(trx, by.org_id, 'channel', placed, faults)
  const created = placed.filter(({ before }) => !before)
  const there = created.length === 0 ? 0 : await countChannels(trx, by.org_id)
  for (const [n, { index }] of created.entries()) {
    await faults.during(index, () => requireRoomForChannel(organisation, there + n))
  }
  if (!faults.isEmpty) return []
  const held = placed.filter(({ before }) => before)
  await setKeys(trx, by.org_id, 'channel', held)
  await editChannels(trx, deps, by, held.flatMap(changeOf))
  const rows = created.map(({ channel, key = null, enabled }) => ({ channel, key, enabled }))
  const ids = await createChannels(trx, deps, by, rows)
  const idOf = new Map(created.map(({ index }, n) => [index, ids[n] ?? 0]))
  const all = placed.map(({ index, id }) => idOf.get(index) ?? Number(id))
  const after = new Map((await readAll(inside, all)).map((channel) => [channel.id, channel]))
  return placed.flatMap(({ uncompared, may_be_needed }, n) => {
    const channel = after.get(all[n] ?? 0)
    return channel ? [{ ...channel, uncompared, may_be_needed }] : []
  })
}

async function place(
  { deps, by, tried }: Inside,
  organisation: OrganisationRow,
  { index, before, input }: PutOfMany<ConfiguredChannel>,
): Promise<ChannelPut> {
  const key = readKey(input)
  const hides_secrets = by.hides_secrets?.channels ?? false
  const wanted = before ? wantedOf(before, input, hides_secrets) : newIn(input)
  if (!before) requireMail(deps, wanted.kind)
  const given = await namingDestination(() => requireChannel(by.org_id, wanted, tried))
  const uncompared = before && hides_secrets ? secretsGiven(before, input) : []
  const may_be_needed = before && hides_secrets ? secretsMaybeNeeded(before, input) : []
  const channel = before ? withHeld(given, before, uncompared) : given
  requireKindAllowed(organisation, channel.kind)
  const enabled = switchIn(input, 'enabled') ?? true
  // A new channel has no id yet, so its position in the request distinguishes it from other new ones.
  const id = before ? String(before.id) : `new ${index}`
  return { index, id, held: before?.key ?? null, key, channel, enabled, before, uncompared, may_be_needed }
}

/** Replaces the sent values of some fields by the stored ones, so that no outcome reveals anything about the sent values. */
function withHeld(given: ChannelColumns, held: ConfiguredChannel, fields: readonly string[]): ChannelColumns {
  const kept = Object.fromEntries(fields.map((field) => [field, held.destination[field] ?? '']))
  return { ...given, destination: { ...given.destination, ...kept } }
}

/** Returns the change of a channel, or nothing if the channel stays the same. */
function changeOf({ channel, enabled, key, before }: ChannelPut) {
  if (!before) return []
  const changed = [...changedOf(channel, before), ...changedKey(before.key, key)]
  if (changed.length === 0 && enabled === before.enabled) return []
  return [{ id: before.id, channel, held: before, enabled, changed }]
}

async function remove({ deps, trx, by }: Inside, things: readonly ConfiguredChannel[]): Promise<void> {
  await removeChannels(trx, deps, by, things)
}

export const MANY_CHANNELS = { list, put, remove } satisfies ManyOf<ConfiguredChannel>
