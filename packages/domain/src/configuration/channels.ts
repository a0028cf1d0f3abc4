// Reads and changes channels for the configuration API. Their secrets are write-only.

import type { Destination } from '@dogwatch/channels/channel'
import { leadIn } from '@dogwatch/channels/destination'
import type { Field } from '@dogwatch/channels/kind'
import { fieldNames, findKind, goesByMail } from '@dogwatch/channels/registry'
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import {
  type ConfiguredChannelRow,
  findConfiguredChannel,
  listConfiguredChannels,
  lockConfiguredChannel,
} from '@dogwatch/store/configuration/channels'
import { askAgain, confirmationStateOf } from '../channels/confirmation.ts'
import {
  createChannel,
  editChannel,
  type NewChannel,
  removeOneChannel,
  switchOneChannel,
  tryChannel,
} from '../channels/edit.ts'
import { testOneChannel } from '../channels/test-channel.ts'
import { TriedDestinations } from '../channels/tried.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { ensureSecret } from '../incidents/link-secret.ts'
import { requireGiven, switchIn, textIn } from './body-fields.ts'
import { changedKey, keyIn, readKey, resolveReference, setKey } from './keys.ts'
import {
  type Input,
  ifThere,
  type Kind,
  numberOf,
  type Page,
  pageOf,
  requireVersion,
  unknownCursor,
  versionFrom,
} from './kind.ts'
import { type ChangedItem, editsBy, lockedChanges } from './locked-change.ts'
import { together } from './together.ts'

export interface ConfiguredChannel extends ConfiguredChannelRow {
  /** Whether the owner of the channel's email address has not confirmed it yet. */
  is_unconfirmed: boolean
  /** Secrets in the request that were not compared with the stored ones. Absent except after a change. */
  uncompared?: readonly string[]
  /** Secrets that the request omitted and that the same change without a dry run can require. Absent except after a change. */
  may_be_needed?: readonly string[]
}

/** Whether responses omit a field: secrets, and URLs, because their path alone can grant access. */
function isWriteOnly({ isSecret, input }: Pick<Field, 'isSecret' | 'input'>): boolean {
  return isSecret || input === 'url'
}

async function list(
  deps: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  { limit, after }: Page,
): Promise<{ things: ConfiguredChannel[]; next: string | undefined }> {
  // A cursor is the id of a channel. It stays valid if that channel was deleted in the meantime.
  const last = after === undefined ? undefined : numberOf(after)
  if (last === 0) throw unknownCursor()
  const rows = await listConfiguredChannels(deps.database.people, org_id, { limit: limit + 1, after: last })
  return pageOf(
    rows.map((row) => withConfirmation(deps, row)),
    limit,
    ({ id }) => String(id),
  )
}

async function read(
  deps: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  reference: string,
): Promise<ConfiguredChannel> {
  const id = await resolveReference(deps.database.people, org_id, 'channel', reference)
  const found = await findConfiguredChannel(deps.database.people, org_id, numberOf(id))
  if (!found) throw noSuchChannel()
  return withConfirmation(deps, found)
}

export function withConfirmation({ clock }: Pick<Deps, 'clock'>, row: ConfiguredChannelRow): ConfiguredChannel {
  return { ...row, is_unconfirmed: confirmationStateOf(row, clock.now()) !== 'confirmed' }
}

async function create(deps: Deps, { org_id, actor }: Editor, input: Input): Promise<ConfiguredChannel> {
  const key = readKey(input)
  const wanted = newIn(input)
  requireMail(deps, wanted.kind)
  const enabled = switchIn(input, 'enabled') ?? true
  const tried = await tryOne(deps, org_id, wanted)
  return together(deps, async (inner, trx) => {
    await ensureSecret(trx, inner)
    const { id } = await namingDestination(() => createChannel(inner, org_id, wanted, actor, { tried }))
    await setKey(trx, org_id, 'channel', { id: String(id), key })
    if (!enabled) await switchOneChannel(inner, { org_id, id }, false, actor)
    return read(inner, org_id, String(id))
  })
}

export function newIn(input: Input): NewChannel {
  const kind = requireGiven('kind', textIn(input, 'kind'))
  const name = requireGiven('name', textIn(input, 'name'))
  return { ...given(destinationIn(input, kind)), name, kind }
}

/**
 * Refuses a channel for email if this server cannot send email: it could neither ask the owner of the address nor notify them.
 */
export function requireMail({ lacks_mail = false }: Pick<Deps, 'lacks_mail'>, kind: string): void {
  if (!lacks_mail || !goesByMail(kind)) return
  throw new FieldError('invalid', 'kind', `must not be ${kind}, because this server cannot send email`)
}

/** Tries the destination of a channel before any lock. */
async function tryOne(deps: Deps, org_id: number, wanted: NewChannel): Promise<TriedDestinations> {
  const tried = new TriedDestinations(deps.clock)
  if (findKind(wanted.kind)?.fault) await namingDestination(() => tryChannel(deps, org_id, wanted, tried))
  return tried
}

/** Tries the destination of one channel of a bulk request before any lock. */
async function prepare(
  deps: Deps,
  { org_id, hides_secrets }: Editor,
  { reference, input }: { reference: string; input: Input },
  tried: TriedDestinations,
): Promise<void> {
  const kind = textIn(input, 'kind')
  if (kind !== undefined && !findKind(kind)?.fault) return
  const before = await ifThere(read(deps, org_id, reference))
  // An unknown guid or id is refused later, under the locks.
  if (!before && keyIn(reference) === undefined) return
  const wanted = before ? wantedOf(before, input, hides_secrets?.channels) : newIn(input)
  await namingDestination(() => tryChannel(deps, org_id, wanted, tried))
}

/**
 * Returns the secret fields that a body sends and that the channel already has. Does not compare their values, because the caller
 * may not learn whether a secret is the stored one.
 */
export function secretsGiven({ kind, destination: held }: ConfiguredChannel, input: Input): string[] {
  const sent = destinationIn(input, kind)
  const fields = Object.entries(findKind(kind)?.fields ?? {})
  return fields.flatMap(([field, rules]) => {
    return isWriteOnly(rules) && (sent[field] ?? '') !== '' && (held[field] ?? '') !== '' ? [field] : []
  })
}

/**
 * Returns the omitted secrets that the change can require, because the body sends an unreadable destination that might be new.
 * The caller may not learn whether it is new.
 */
export function secretsMaybeNeeded({ kind, destination: held }: ConfiguredChannel, input: Input): string[] {
  const sent = destinationIn(input, kind)
  const fields = Object.entries(findKind(kind)?.fields ?? {}).filter(([, rules]) => isWriteOnly(rules))
  const isGiven = ([field]: [string, Field]) => sent[field] !== undefined
  if (!fields.some((entry) => isGiven(entry) && isPlaceOf(kind, entry))) return []
  return fields.filter((entry) => !isGiven(entry) && (held[entry[0]] ?? '') !== '').map(([field]) => field)
}

function isPlaceOf(kind: string, [field, { input }]: [string, Field]): boolean {
  return input === 'url' || Object.keys(leadIn({ kind, destination: {} })).includes(field)
}

/**
 * Returns all fields that a channel will have after a change that sets all fields. `isBlind`: does not compare sent secrets with
 * the stored ones, so a new secret does not count as a new destination.
 */
export function wantedOf(before: ConfiguredChannel, input: Input, isBlind = false): NewChannel {
  const kind = textIn(input, 'kind') ?? before.kind
  if (kind !== before.kind) {
    throw new FieldError(
      'invalid',
      'kind',
      `cannot be changed from ${before.kind}; create a new channel to use another kind`,
    )
  }
  const destination = withKept(before, destinationIn(input, kind), isBlind)
  return { ...destination, name: requireGiven('name', textIn(input, 'name')), kind }
}

/** Returns all fields of a channel after a change that sets some of them. */
function merge({ key: _, ...before }: ConfiguredChannel, input: Input): Input {
  // Null resets the whole destination, as it resets each field.
  const destination =
    input.destination === null
      ? {}
      : { ...shownIn(before.kind, before.destination), ...(input.destination as Destination | undefined) }
  return { ...before, ...input, destination }
}

async function edit(
  deps: Deps,
  by: Editor,
  changed: ChangedItem,
  wholeOf: (before: ConfiguredChannel) => Input,
): Promise<ConfiguredChannel> {
  const { org_id, actor } = by
  // Compares the version and tries the destination before any lock. Both happen again under the locks.
  const known = await read(deps, org_id, changed.reference)
  requireVersion(versionOf(known), changed.expected)
  const tried = await tryOne(deps, org_id, wantedOf(known, wholeOf(known)))
  return CHANGES.changeBy(deps, by, changed, async (inner, before) => {
    const { id } = before
    const input = wholeOf(before)
    const { kind: _, ...wanted } = wantedOf(before, input)
    // Creates the secret that makes the marks of write-only fields before the change, so that the version in the response stays
    // valid.
    await ensureSecret(inner.database.people, inner)
    const key = readKey(input)
    await setKey(inner.database.people, org_id, 'channel', { id: String(id), key })
    const also = changedKey(before.key, key)
    await namingDestination(() => editChannel(inner, { org_id, id }, wanted, actor, { also, tried }))
    const enabled = switchIn(input, 'enabled') ?? true
    if (enabled !== before.enabled) await switchOneChannel(inner, { org_id, id }, enabled, actor)
  })
}

const CHANGES = lockedChanges<ConfiguredChannel>({
  idOf: ({ id }) => String(id),
  versionOf,
  async lock(inner, trx, org_id, reference) {
    await lockOrganisation(trx, org_id)
    const id = await resolveReference(trx, org_id, 'channel', reference)
    const row = await lockConfiguredChannel(trx, org_id, numberOf(id))
    if (!row) throw noSuchChannel()
    return withConfirmation(inner, row)
  },
  readChanged: read,
  removeOne: (inner, { org_id, actor }, { id }) => removeOneChannel(inner, { org_id, id }, actor),
})

/** Sends a test message. `spend` gets the channel first, and refuses if there were too many tests. */
export async function testConfiguredChannel(
  deps: Deps,
  { org_id, actor }: Editor,
  reference: string,
  spend: (channel: ConfiguredChannel) => Promise<void>,
): Promise<{ delivery_id: number }> {
  return together(deps, async (inner) => {
    const channel = await read(inner, org_id, reference)
    await spend(channel)
    return testOneChannel(inner, { org_id, id: channel.id }, actor)
  })
}

/** Asks the owner of a channel's address again for confirmation. Returns the address. */
export async function askOwnerAgain(deps: Deps, { org_id, actor }: Editor, reference: string): Promise<string> {
  return together(deps, async (inner) => {
    const { id, kind, email } = await read(inner, org_id, reference)
    requireMail(inner, kind)
    if (email === '') throw new DomainError('conflict', 'this channel has no email address to confirm')
    await askAgain(inner, { org_id, id }, actor)
    return email
  })
}

/** Returns the destination fields that a body sends. An empty string or null removes a field. */
function destinationIn(input: Input, kind: string): Destination {
  const sent = input.destination ?? {}
  if (typeof sent !== 'object' || Array.isArray(sent))
    throw new FieldError('invalid', 'destination', 'must be an object')
  const known = findKind(kind)?.fields
  return Object.fromEntries(
    Object.entries(sent as Record<string, unknown>).map(([field, value]) => {
      if (known && !Object.hasOwn(known, field)) {
        const names = Object.keys(known).join(', ')
        throw new FieldError(
          'invalid',
          'destination',
          `contains a field that ${kind} channels do not have; allowed fields: ${names}`,
        )
      }
      if (value !== null && typeof value !== 'string') {
        throw new FieldError('invalid', `destination.${field}`, 'must be a string')
      }
      return [field, value ?? '']
    }),
  )
}

/**
 * Returns the sent fields and the stored secrets that the body omits. Refuses to keep secrets for a new destination, because a
 * caller who may not read them could have them sent to their own server.
 */
function withKept({ kind, destination: held }: ConfiguredChannel, sent: Destination, isBlind = false): Destination {
  const fields = Object.entries(findKind(kind)?.fields ?? {})
  const isMoved = fields.some((entry) => {
    const [field, rules] = entry
    if (isBlind && isWriteOnly(rules)) return false
    return isPlaceOf(kind, entry) && (sent[field] ?? held[field] ?? '') !== (held[field] ?? '')
  })
  const left = fields.filter(
    ([field, rules]) => isWriteOnly(rules) && sent[field] === undefined && (held[field] ?? '') !== '',
  )
  const [missing] = left
  if (isMoved && missing) {
    const must = 'must be sent again when the channel gets a new destination'
    throw new FieldError('invalid', `destination.${missing[0]}`, must)
  }
  return given({ ...sent, ...Object.fromEntries(left.map(([field]) => [field, held[field] ?? ''])) })
}

function given(destination: Destination): Destination {
  return Object.fromEntries(Object.entries(destination).filter(([, value]) => value !== ''))
}

/** Returns the fields of a destination that responses may show. Returns none for an unknown kind. */
function shownIn(kind: string, destination: Destination): Destination {
  const fields = findKind(kind)?.fields ?? {}
  return Object.fromEntries(
    Object.entries(given(destination)).filter(([field]) => {
      const rules = fields[field]
      return rules !== undefined && !isWriteOnly(rules)
    }),
  )
}

/** Runs `work`, and makes its refusals name destination fields by their path in the body. */
export async function namingDestination<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FieldError) || error.kind !== 'invalid') throw error
    const [{ field, must }] = error.faults
    throw fieldNames().includes(field) ? new FieldError('invalid', `destination.${field}`, must) : error
  }
}

function noSuchChannel(): DomainError {
  return new DomainError('missing', 'no channel with that id')
}

/** Returns the marks of the destination fields that are set and write-only, by field. A mark differs if the secret differs. */
function secretsOf({ kind, destination, marks }: ConfiguredChannel): Readonly<Record<string, string>> {
  const shown = shownIn(kind, destination)
  const secrets = Object.keys(given(destination)).filter((field) => !Object.hasOwn(shown, field))
  return Object.fromEntries(secrets.toSorted().map((field) => [field, marks[field] ?? '']))
}

function decidedOf({ key, name, kind, enabled, destination }: ConfiguredChannel) {
  const shown = shownIn(kind, destination)
  return {
    ...(key !== null && { key }),
    name,
    kind,
    enabled,
    ...(Object.keys(shown).length > 0 && { destination: shown }),
  }
}

function versionOf(channel: ConfiguredChannel): string {
  return versionFrom([decidedOf(channel), secretsOf(channel)])
}

function toWire(channel: ConfiguredChannel) {
  const secrets = Object.keys(secretsOf(channel))
  const { id, is_unconfirmed, gone_at } = channel
  return {
    id: String(id),
    ...decidedOf(channel),
    ...(secrets.length > 0 && { secrets }),
    ...(is_unconfirmed && { unconfirmed: true }),
    ...(gone_at !== null && { gone_at }),
  }
}

export const CHANNEL = {
  name: 'channel',
  derived: ['id', 'secrets', 'unconfirmed', 'gone_at'],
  list,
  read,
  prepare,
  create,
  ...CHANGES,
  ...editsBy(edit, merge),
  toWire,
  secretsOf,
  uncomparedOf: ({ uncompared = [] }) => uncompared,
  maybeNeededOf: ({ may_be_needed = [] }) => may_be_needed,
} satisfies Kind<ConfiguredChannel>
