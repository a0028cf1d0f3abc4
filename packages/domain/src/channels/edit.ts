// Creates, edits, enables, disables and deletes the channels of an organisation.

import { mailboxIn, wholeDestination } from '@dogwatch/channels/destination'
import type { Field } from '@dogwatch/channels/kind'
import { fieldNames, findKind, kindNames } from '@dogwatch/channels/registry'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { findOrganisation, lockOrganisation, type OrganisationRow } from '@dogwatch/store/accounts/organisations'
import {
  type ChannelColumns,
  type ChannelKey,
  type ChannelRow,
  countChannels,
  findChannel,
  findChannelKey,
  listChannels,
} from '@dogwatch/store/alerting/channels'
import {
  deleteChannels,
  deleteConfirmationsOf,
  insertChannels,
  updateChannels,
  updateChannelsEnabled,
} from '@dogwatch/store/alerting/many-channels'
import type { Trx } from '@dogwatch/store/database'
import type { Slice } from '@dogwatch/store/slice'
import { type Actor, recordAuditEntry } from '../audit/record.ts'
import type { AuditAction } from '../audit/sentences.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { makerOf } from '../organisations/makers.ts'
import { planOf } from '../organisations/plans.ts'
import { requireEmail } from '../people/person.ts'
import { requireNotImpersonated } from '../people/sessions.ts'
import { decideAgain } from '../routing/release.ts'
import { requireLines, requireName } from '../text.ts'
import { askOwner, isKnownAddress } from './confirmation.ts'
import type { TriedDestinations } from './tried.ts'

export type { ChannelKey, ChannelRow }

/** Editable fields of a channel: its name, and the fields of its kind by their names. */
export interface EditedChannel {
  name: string
  [field: string]: string | undefined
}

export interface NewChannel extends EditedChannel {
  kind: string
}

/** Maximum length, in characters, of a field whose kind declares no maximum. */
const MAX = { url: 2048, text: 200, lines: 10_000 } as const

/** Returns the channels of an organisation, oldest first, with their secrets. */
export async function readChannels(deps: Pick<Deps, 'database'>, org_id: number, slice?: Slice): Promise<ChannelRow[]> {
  return listChannels(deps.database.people, org_id, slice)
}

/** Returns one channel with its secrets. Throws DomainError if the organisation does not have it. */
export async function readChannel(
  deps: Pick<Deps, 'database'>,
  key: ChannelKey,
): Promise<ChannelRow & { gone_at: string | null }> {
  const channel = await findChannel(deps.database.people, key)
  if (!channel) throw noSuchChannel()
  return channel
}

/**
 * Creates a channel. The owner of its email address must confirm it, unless it is known ({@link isKnownAddress}). Without `by`,
 * an operator creates the channel and vouches for the address.
 */
export async function createChannel(
  deps: Deps,
  org_id: number,
  wanted: NewChannel,
  by?: Actor,
  { asksOwner = by !== undefined, tried }: { asksOwner?: boolean; tried?: TriedOutcomes } = {},
): Promise<{ id: number }> {
  requireNotImpersonated(by)
  const channel = await requireChannel(org_id, wanted, tried)
  return deps.database.people.transaction().execute(async (trx) => {
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    requireKindAllowed(organisation, channel.kind)
    requireRoomForChannel(organisation, await countChannels(trx, org_id))
    const isKnown = !asksOwner || (await isKnownAddress(trx, org_id, channel.email, by))
    const hasMailbox = channel.email !== ''
    const confirmed_at = hasMailbox && isKnown ? fromDate(deps.clock.now()) : null
    const [id] = await insertChannels(
      trx,
      org_id,
      [{ ...channel, key: null, enabled: true, confirmed_at }],
      makerOf(by),
    )
    if (id === undefined) throw new Error('an insert returned no row')
    if (hasMailbox && !isKnown) await askOwner(deps, trx, { org_id, id }, channel.email)
    const { name, kind } = channel
    await recordAuditEntry(trx, deps, by, { org_id, action: 'channel.create', subject: name, detail: { kind } })
    return { id }
  })
}

/** Refuses one more channel if the organisation has as many as its plan allows. */
export function requireRoomForChannel(organisation: OrganisationRow, there: number): void {
  const { max_channels } = planOf(organisation)
  if (max_channels === 0 || there < max_channels) return
  throw new DomainError(
    'invalid',
    `the ${organisation.plan} plan allows ${max_channels} channels; delete a channel or change the plan`,
  )
}

/**
 * Replaces a channel's name and destination. Waiting deliveries go to the new destination, once its owner has confirmed a new
 * address. `also`: further changes, for the audit log.
 */
export async function editChannel(
  deps: Deps,
  key: ChannelKey,
  wanted: EditedChannel,
  by?: Actor,
  { also = [], tried }: { also?: readonly string[]; tried?: TriedOutcomes } = {},
): Promise<void> {
  requireNotImpersonated(by)
  // Validates before anything is locked, because validation can take a moment. The kind of a channel never changes.
  const { kind } = await readChannel(deps, key)
  const channel = await requireChannel(key.org_id, { ...wanted, kind }, tried)
  await change(deps, key, by, 'channel.edit', async (trx, held) => {
    const organisation = await lockOrganisation(trx, key.org_id)
    if (organisation) requireKindAllowed(organisation, held.kind)
    if (channel.email !== held.email) await moveMail(trx, deps, key, channel, by)
    else await updateChannels(trx, key.org_id, [{ ...channel, id: key.id, is_moved: false, confirmed_at: null }])
    return { changed: [...changedOf(channel, held), ...also] }
  })
}

/** Returns the names of the fields that an edit changes, for the audit log, which records no values. */
export function changedOf(channel: ChannelColumns, held: Pick<ChannelRow, 'name' | 'kind' | 'destination'>): string[] {
  const changed = Object.keys(wholeDestination(held)).filter(
    (field) => (channel.destination[field] ?? '') !== (held.destination[field] ?? ''),
  )
  return channel.name === held.name ? changed : ['name', ...changed]
}

/** Stores a new address, and requests its owner's confirmation unless the address is known. */
async function moveMail(
  trx: Trx,
  deps: Deps,
  key: ChannelKey,
  channel: ChannelColumns,
  by: Actor | undefined,
): Promise<void> {
  const hasMailbox = channel.email !== ''
  const { org_id, id } = key
  const isKnown = by === undefined || (await isKnownAddress(trx, org_id, channel.email, by))
  const confirmed_at = hasMailbox && isKnown ? fromDate(deps.clock.now()) : null
  await updateChannels(trx, org_id, [{ ...channel, id, is_moved: true, confirmed_at }])
  await deleteConfirmationsOf(trx, org_id, [id])
  if (hasMailbox && !isKnown) await askOwner(deps, trx, key, channel.email)
}

/** Enables or disables a channel. Disabling it gives up its waiting deliveries. */
export async function switchOneChannel(deps: Deps, key: ChannelKey, enabled: boolean, by?: Actor): Promise<void> {
  await change(deps, key, by, enabled ? 'channel.enable' : 'channel.disable', async (trx) => {
    await updateChannelsEnabled(trx, key.org_id, [key.id], enabled)
    await decideAgain(trx, deps, key.org_id)
    return {}
  })
}

/** Deletes a channel and the log of its deliveries. */
export async function removeOneChannel(deps: Deps, key: ChannelKey, by?: Actor): Promise<void> {
  await change(deps, key, by, 'channel.delete', async (trx) => {
    await deleteChannels(trx, key.org_id, [key.id])
    await deleteConfirmationsOf(trx, key.org_id, [key.id])
    await decideAgain(trx, deps, key.org_id)
    return {}
  })
}

/** Enables or disables a channel of any organisation, for operators. */
export async function switchChannel(deps: Deps, id: number, enabled: boolean): Promise<void> {
  await switchOneChannel(deps, await findKey(deps, id), enabled)
}

/** Deletes a channel of any organisation, for operators. */
export async function removeChannel(deps: Deps, id: number): Promise<void> {
  await removeOneChannel(deps, await findKey(deps, id))
}

/** Returns the key of a channel of any organisation. Throws DomainError if there is none. */
export async function findKey({ database }: Deps, id: number): Promise<ChannelKey> {
  const key = await findChannelKey(database.people, id)
  if (!key) throw noSuchChannel()
  return key
}

async function change(
  deps: Deps,
  key: ChannelKey,
  by: Actor | undefined,
  action: AuditAction,
  apply: (trx: Trx, held: ChannelRow) => Promise<Record<string, unknown>>,
): Promise<void> {
  await deps.database.people.transaction().execute(async (trx) => {
    const held = await findChannel(trx, key)
    if (!held) throw noSuchChannel()
    const detail = await apply(trx, held)
    await recordAuditEntry(trx, deps, by, { org_id: key.org_id, action, subject: held.name, detail })
  })
}

export function requireKindAllowed(organisation: OrganisationRow, kind: string): void {
  const { channel_kinds } = planOf(organisation)
  if (channel_kinds.includes(kind)) return
  const kinds = channel_kinds.join(', ')
  throw new FieldError('invalid', 'kind', `must be one of ${kinds} on the ${organisation.plan} plan`)
}

/** Tries a channel before anything is locked, and refuses what the later change would refuse. */
export async function tryChannel(
  deps: Deps,
  org_id: number,
  wanted: NewChannel,
  tried: TriedDestinations,
): Promise<void> {
  const { leading } = readFields(wanted)
  const organisation = await findOrganisation(deps.database.people, org_id)
  if (organisation) requireKindAllowed(organisation, leading.kind)
  const fault = await tried.try(org_id, leading)
  if (fault !== undefined) throw new FieldError('invalid', fault.field, fault.must)
}

/**
 * Outcomes of the destinations that the request tried before it locked anything. Under the locks, no other destination is tried.
 */
export type TriedOutcomes = Pick<TriedDestinations, 'faultOf'>

/** Returns a channel as the database stores it. Throws FieldError if a field is invalid. */
export async function requireChannel(
  org_id: number,
  wanted: NewChannel,
  tried?: TriedOutcomes,
): Promise<ChannelColumns> {
  const { name, leading } = readFields(wanted)
  const fault = tried
    ? tried.faultOf(leading)
    : await findKind(leading.kind)?.fault?.(wholeDestination(leading), org_id)
  if (fault !== undefined) throw new FieldError('invalid', fault.field, fault.must)
  return { name, ...leading, email: mailboxIn(leading) }
}

function readFields(wanted: NewChannel): { name: string; leading: Pick<ChannelColumns, 'kind' | 'destination'> } {
  const kind = findKind(wanted.kind)
  if (!kind) throw new FieldError('invalid', 'kind', `must be one of ${kindNames().join(', ')}`)
  const name = requireName('name', wanted.name)
  const fields = Object.entries(kind.fields)
  const isGiven = (field: string) => (wanted[field] ?? '') !== ''
  const [missing] = fields.find(([field, { isOptional }]) => !isOptional && !isGiven(field)) ?? []
  if (missing !== undefined) throw new FieldError('invalid', missing, `is required for ${kind.name} channels`)
  const foreign = fieldNames().find((field) => isGiven(field) && !Object.hasOwn(kind.fields, field))
  if (foreign !== undefined) throw new FieldError('invalid', foreign, `does not apply to ${kind.name} channels`)
  const given = fields.flatMap(([field, rules]): [string, string][] => {
    const value = wanted[field] ?? ''
    return value === '' ? [] : [[field, requireField(field, value, rules)]]
  })
  return { name, leading: { kind: kind.name, destination: Object.fromEntries(given) } }
}

/** Returns a function for each field that throws if that field is invalid by itself, for forms. */
export function refusalsOfFields(wanted: NewChannel): readonly (() => unknown)[] {
  const fields = Object.entries(findKind(wanted.kind)?.fields ?? {})
  return [
    () => requireName('name', wanted.name),
    ...fields.map(([field, rules]) => () => {
      const value = wanted[field] ?? ''
      if (value !== '') return requireField(field, value, rules)
      if (rules.isOptional) return value
      throw new FieldError('invalid', field, 'is required')
    }),
  ]
}

function requireField(name: string, value: string, rules: Field): string {
  const { input, matches, isOptional = false, max, options } = rules
  if (matches) {
    if (!matches.pattern.test(value)) throw new FieldError('invalid', name, matches.says)
  } else if (input === 'email') requireEmail(name, value)
  else if (input === 'lines') requireLines(name, value, max ?? MAX.lines)
  else requireName(name, value, { mayBeBlank: isOptional, max: max ?? MAX[input] })
  if (input === 'url') requireUrl(name, value, rules.schemes ?? WEB)
  if (options && !options.includes(value)) throw new FieldError('invalid', name, `must be ${anyOf(options)}`)
  const fault = rules.fault?.(value)
  if (fault !== undefined) throw new FieldError('invalid', name, fault)
  return value
}

const WEB = ['http', 'https'] as const

function requireUrl(name: string, value: string, schemes: readonly string[]): void {
  const { protocol, hostname } = URL.canParse(value) ? new URL(value) : { protocol: '', hostname: '' }
  if (hostname === '' || !schemes.includes(protocol.slice(0, -1))) {
    throw new FieldError('invalid', name, `must be ${articleOf(schemes)} ${anyOf(schemes)} URL`)
  }
}

function articleOf([first = '']: readonly string[]): 'a' | 'an' {
  return /^(?:[aeio]|http)/.test(first) ? 'an' : 'a'
}

/** Joins words as `a, b or c`. */
function anyOf(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1) ?? ''].filter(Boolean).join(' or ')
}

export function noSuchChannel(): DomainError {
  return new DomainError('missing', 'no channel with that id')
}
