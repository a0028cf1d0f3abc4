// Creates, edits, enables, disables and deletes the channels of an org.
import type { Transaction } from 'kysely'
import {
  type ChannelColumns,
  type ChannelKey,
  type ChannelRow,
  deleteChannel,
  findChannel,
  findChannelKey,
  insertChannel,
  listChannels,
  updateChannel,
  updateChannelEnabled,
} from '../../store/alerting/channels.ts'
import { updateDeliveriesOfDisabled } from '../../store/alerting/deliveries.ts'
import { lockOrganisation, type OrganisationRow } from '../../store/accounts/organisations.ts'
import type { Tables } from '../../store/tables.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import { askOwner, forgetLinks, isKnownAddress } from './confirmation.ts'
import type { Slice } from '../../store/slice.ts'
import { type Actor, recordDeed } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { makerOf } from '../organisations/makers.ts'
import { requireEmail } from '../people/person.ts'
import { requireNotImpersonated } from '../people/sessions.ts'
import { requireName } from '../text.ts'
import { type ChannelKind, planOf } from '../organisations/plans.ts'

export type { ChannelKey, ChannelRow }

export interface NewChannel extends Destination {
  kind: string
}

/** A channel's settings, without its kind. */
export interface Destination {
  name: string
  ntfy_topic?: string | undefined
  email?: string | undefined
  webhook_url?: string | undefined
  webhook_secret?: string | undefined
}

/** The destination field of each kind, and its optional fields. */
const DESTINATION: Readonly<Record<ChannelKind, 'ntfy_topic' | 'email' | 'webhook_url'>> = {
  ntfy: 'ntfy_topic',
  email: 'email',
  webhook: 'webhook_url',
  slack: 'webhook_url',
}
/** Fields that can change. The audit log names them and records no value. */
const EDITED = ['name', 'ntfy_topic', 'email', 'webhook_url', 'webhook_secret'] as const
const TOPIC = /^[-_A-Za-z0-9]{1,64}$/
const MAX_URL = 2048
/** The secret form of Standard Webhooks: base64 after the prefix, with as many bytes as receivers accept. */
const ENCODED_SECRET = { prefix: 'whsec_', min_bytes: 24, max_bytes: 64 } as const

/** An org's channels, oldest first, with their secrets. */
export async function readChannels(deps: Pick<Deps, 'database'>, org_id: number, slice?: Slice): Promise<ChannelRow[]> {
  return listChannels(deps.database.people, org_id, slice)
}

/** One of an org's channels, with its secrets; refuses an id that the org does not have. */
export async function readChannel(
  deps: Pick<Deps, 'database'>,
  key: ChannelKey,
): Promise<ChannelRow & { gone_at: string | null }> {
  const channel = await findChannel(deps.database.people, key)
  if (!channel) throw noSuchChannel()
  return channel
}

/**
 * Creates a channel. An email address must be confirmed by its owner, who gets a mail, unless it is the proved address
 * of whoever creates the channel. An operator may vouch for it, and does so by default.
 */
export async function createChannel(
  deps: Deps,
  org_id: number,
  wanted: NewChannel,
  by?: Actor,
  { asksOwner = by !== undefined }: { asksOwner?: boolean } = {},
): Promise<{ id: number }> {
  requireNotImpersonated(by)
  const channel = requireChannel(wanted)
  return deps.database.people.transaction().execute(async (trx) => {
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    requireKindAllowed(organisation, channel.kind)
    const { max_channels } = planOf(organisation)
    if (max_channels > 0 && (await listChannels(trx, org_id)).length >= max_channels) {
      throw new DomainError('invalid', `the ${organisation.plan} plan allows ${max_channels} notification channels`)
    }
    const isKnown = !asksOwner || (await isKnownAddress(trx, org_id, channel.email, by))
    const confirmed_at = channel.kind === 'email' && isKnown ? fromDate(deps.clock.now()) : null
    const id = await insertChannel(trx, { ...channel, org_id, created_by: makerOf(by), confirmed_at })
    if (channel.kind === 'email' && !isKnown) await askOwner(deps, trx, { org_id, id }, channel.email)
    const { name, kind } = channel
    await recordDeed(trx, deps, by, { org_id, action: 'channel.create', subject: name, detail: { kind } })
    return { id }
  })
}

/**
 * Replaces a channel's name and destination. Waiting deliveries go to the new destination, once its owner has confirmed
 * a new address.
 */
export async function editChannel(deps: Deps, key: ChannelKey, wanted: Destination, by?: Actor): Promise<void> {
  requireNotImpersonated(by)
  await change(deps, key, by, 'channel.edit', async (trx, held) => {
    const channel = requireChannel({ ...wanted, kind: held.kind })
    const organisation = await lockOrganisation(trx, key.org_id)
    if (organisation) requireKindAllowed(organisation, held.kind)
    if (channel.email === held.email) await updateChannel(trx, key, channel)
    else await moveMail(trx, deps, key, channel, by)
    return { changed: EDITED.filter((field) => channel[field] !== held[field]) }
  })
}

/** A new address: its owner has not agreed to anything yet. */
async function moveMail(
  trx: Transaction<Tables>,
  deps: Deps,
  key: ChannelKey,
  channel: ChannelColumns,
  by: Actor | undefined,
): Promise<void> {
  const isKnown = by === undefined || (await isKnownAddress(trx, key.org_id, channel.email, by))
  await updateChannel(trx, key, channel, { confirmed_at: isKnown ? fromDate(deps.clock.now()) : null })
  await forgetLinks(trx, key)
  if (!isKnown) await askOwner(deps, trx, key, channel.email)
}

/** Disabling a channel gives up what waits for it. */
export async function switchOneChannel(deps: Deps, key: ChannelKey, enabled: boolean, by?: Actor): Promise<void> {
  await change(deps, key, by, enabled ? 'channel.enable' : 'channel.disable', async (trx) => {
    await updateChannelEnabled(trx, key, enabled)
    if (!enabled) await updateDeliveriesOfDisabled(trx, key.id, 'the channel is disabled')
    return {}
  })
}

/** Deletes a channel and the log of what was sent to it. */
export async function removeOneChannel(deps: Deps, key: ChannelKey, by?: Actor): Promise<void> {
  await change(deps, key, by, 'channel.delete', async (trx) => {
    await deleteChannel(trx, key)
    await forgetLinks(trx, key)
    return {}
  })
}

/** For operators, who name a channel of any org. */
export async function switchChannel(deps: Deps, id: number, enabled: boolean): Promise<void> {
  await switchOneChannel(deps, await findKey(deps, id), enabled)
}

/** For operators. */
export async function removeChannel(deps: Deps, id: number): Promise<void> {
  await removeOneChannel(deps, await findKey(deps, id))
}

async function findKey({ database }: Deps, id: number): Promise<ChannelKey> {
  const key = await findChannelKey(database.people, id)
  if (!key) throw noSuchChannel()
  return key
}

async function change(
  deps: Deps,
  key: ChannelKey,
  by: Actor | undefined,
  action: string,
  apply: (trx: Transaction<Tables>, held: ChannelRow) => Promise<Record<string, unknown>>,
): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    const held = await findChannel(trx, key)
    if (!held) throw noSuchChannel()
    const detail = await apply(trx, held)
    await recordDeed(trx, deps, by, { org_id: key.org_id, action, subject: held.name, detail })
  })
}

function requireKindAllowed(organisation: OrganisationRow, kind: string): void {
  const { channel_kinds } = planOf(organisation)
  if (channel_kinds.includes(kind as ChannelKind)) return
  const kinds = channel_kinds.join(', ')
  throw new DomainError('invalid', `kind must be one of ${kinds} on the ${organisation.plan} plan`)
}

function requireChannel(wanted: NewChannel): ChannelColumns {
  const { kind, ntfy_topic = '', email = '', webhook_url = '', webhook_secret = '' } = wanted
  if (!isKind(kind)) throw new DomainError('invalid', `kind must be one of ${Object.keys(DESTINATION).join(', ')}`)
  const channel = { name: requireName('name', wanted.name), kind, ntfy_topic, email, webhook_url, webhook_secret }
  const needed = DESTINATION[kind]
  if (channel[needed] === '') throw new DomainError('invalid', `${needed} is required for kind ${kind}`)
  for (const field of ['ntfy_topic', 'email', 'webhook_url'] as const) {
    if (field !== needed && channel[field] !== '') throw new DomainError('invalid', `${field} is not for kind ${kind}`)
  }
  if (kind !== 'webhook' && webhook_secret !== '')
    throw new DomainError('invalid', `webhook_secret is not for kind ${kind}`)
  requireDestination(channel)
  return channel
}

function requireDestination({ ntfy_topic, email, webhook_url, webhook_secret }: ChannelColumns): void {
  if (ntfy_topic !== '' && !TOPIC.test(ntfy_topic)) {
    throw new DomainError('invalid', 'ntfy_topic must have 1 to 64 letters, digits, - or _')
  }
  if (email !== '') requireEmail('email', email)
  if (webhook_url !== '') {
    requireName('webhook_url', webhook_url, { max: MAX_URL })
    const { protocol } = URL.canParse(webhook_url) ? new URL(webhook_url) : { protocol: '' }
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new DomainError('invalid', 'webhook_url must be an http or https url')
  }
  requireName('webhook_secret', webhook_secret, { mayBeBlank: true })
  requireUsableSecret(webhook_secret)
}

function requireUsableSecret(webhook_secret: string): void {
  const { prefix, min_bytes, max_bytes } = ENCODED_SECRET
  if (!webhook_secret.startsWith(prefix)) return
  const encoded = webhook_secret.slice(prefix.length)
  const bytes = Buffer.from(encoded, 'base64')
  // Receivers refuse a secret that is not in canonical base64.
  if (bytes.toString('base64') === encoded && bytes.length >= min_bytes && bytes.length <= max_bytes) return
  const line = `webhook_secret that begins with ${prefix} must go on in padded base64 of ${min_bytes} to ${max_bytes} bytes`
  throw new DomainError('invalid', line)
}

function isKind(kind: string): kind is ChannelKind {
  return Object.hasOwn(DESTINATION, kind)
}

function noSuchChannel(): DomainError {
  return new DomainError('missing', 'no channel with that id')
}
