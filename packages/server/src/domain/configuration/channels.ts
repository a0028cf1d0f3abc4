// Channels as the configuration API reads and changes them. What they keep secret goes in and never comes out.
import { leadIn } from '../../channels/destination.ts'
import type { Field } from '../../channels/kind.ts'
import { fieldNames, findKind, goesByMail } from '../../channels/registry.ts'
import { lockOrganisation } from '../../store/accounts/organisations.ts'
import {
  type ConfiguredChannelRow,
  findConfiguredChannel,
  listConfiguredChannels,
  lockConfiguredChannel,
} from '../../store/configuration/channels.ts'
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
  type Kind,
  type Page,
  pageOf,
  requireVersion,
  unknownCursor,
  versionFrom,
  type Wanted,
} from './kind.ts'
import { together } from './together.ts'

export interface ConfiguredChannel extends ConfiguredChannelRow {
  /** The owner of its address has not confirmed it. */
  is_unconfirmed: boolean
  /** After a change: secrets that were given and not compared with those that are held. */
  uncompared?: readonly string[]
  /** After a change: secrets that were left out, and that the same change without a dry run may ask for. */
  may_be_needed?: readonly string[]
}

type Destination = Readonly<Record<string, string>>

const ID = /^[1-9]\d{0,14}$/

/** Whether a text may be the id of a channel. */
export function isId(text: string): boolean {
  return ID.test(text)
}

/** Whether answers leave a field out: secrets, and URLs, of which the path alone may let somebody in. */
function isWriteOnly({ isSecret, input }: Pick<Field, 'isSecret' | 'input'>): boolean {
  return isSecret || input === 'url'
}

async function list(
  deps: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  { limit, after }: Page,
): Promise<{ things: ConfiguredChannel[]; next: string | undefined }> {
  // The id of a channel that was deleted meanwhile keeps its place.
  if (after !== undefined && !ID.test(after)) throw unknownCursor()
  const last = after === undefined ? undefined : Number(after)
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
  const found = ID.test(id) ? await findConfiguredChannel(deps.database.people, org_id, Number(id)) : undefined
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
  const ready = deps.tried ? deps : await withTried(deps, org_id, wanted)
  return together(ready, async (inner, trx) => {
    await ensureSecret(trx, inner)
    const { id } = await namingDestination(() => createChannel(inner, org_id, wanted, actor))
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

/** Nothing could ask the owner of an address, nor tell them anything. */
export function requireMail({ lacks_mail = false }: Pick<Deps, 'lacks_mail'>, kind: string): void {
  if (!lacks_mail || !goesByMail(kind)) return
  throw new FieldError('invalid', 'kind', `must not be ${kind}, because this server cannot send email`)
}

/** Has what a channel would be tried before anything is locked. */
async function withTried(deps: Deps, org_id: number, wanted: NewChannel): Promise<Deps> {
  const tried = new TriedDestinations(deps.clock)
  if (findKind(wanted.kind)?.fault) await namingDestination(() => tryChannel(deps, org_id, wanted, tried))
  return { ...deps, tried }
}

/** The same for a change of many. */
async function prepare(
  deps: Deps,
  org_id: number,
  { reference, input }: { reference: string; input: Input },
  tried: TriedDestinations,
): Promise<void> {
  const kind = textIn(input, 'kind')
  if (kind !== undefined && !findKind(kind)?.fault) return
  const before = await readIfThere(deps, org_id, reference)
  // What a guid or id names that is not there is refused under the locks.
  if (!before && keyIn(reference) === undefined) return
  const wanted = before ? wantedOf(before, input, replacing(input, deps.hides_secrets?.channels)) : newIn(input)
  await namingDestination(() => tryChannel(deps, org_id, wanted, tried))
}

async function readIfThere(deps: Deps, org_id: number, reference: string): Promise<ConfiguredChannel | undefined> {
  try {
    return await read(deps, org_id, reference)
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'missing') return undefined
    throw error
  }
}

/** All fields of a channel as they are to be. */
type Whole = (before: ConfiguredChannel) => { input: Input; destination: Destination }

/** `isBlind`: secrets that are given are not compared with those that are held. */
export function replacing(input: Input, isBlind = false): Whole {
  return (before) => ({ input, destination: withKept(before, destinationIn(input, before.kind), isBlind) })
}

/** The secrets of a channel that a body gives, and that it has: nobody can tell from the body whether they differ. */
export function secretsGiven({ kind, destination: held }: ConfiguredChannel, input: Input): string[] {
  const sent = destinationIn(input, kind)
  const fields = Object.entries(findKind(kind)?.fields ?? {})
  return fields.flatMap(([field, rules]) => {
    return isWriteOnly(rules) && (sent[field] ?? '') !== '' && (held[field] ?? '') !== '' ? [field] : []
  })
}

/**
 * The secrets of a channel that a body leaves out while it gives a place that nobody may read: they are asked for if that is another place
 * than the present one, and whoever may not learn that is told that they may be.
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

export function wantedOf(before: ConfiguredChannel, sent: Input, wantedFor: Whole): NewChannel {
  const kind = textIn(sent, 'kind') ?? before.kind
  if (kind !== before.kind) {
    throw new FieldError('invalid', 'kind', `must stay ${before.kind}; create a new channel to use another kind`)
  }
  const { input, destination } = wantedFor(before)
  return { ...destination, name: requireGiven('name', textIn(input, 'name')), kind }
}

function replace(deps: Deps, by: Editor, reference: string, { input, expected }: Wanted) {
  return edit(deps, by, reference, { input, expected }, replacing(input))
}

function change(deps: Deps, by: Editor, reference: string, { input, expected }: Wanted) {
  return edit(deps, by, reference, { input, expected }, (before) => {
    const { key: _, ...rest } = before
    // Null is the default of the whole, as it is of each part.
    const held = input.destination === null ? {} : before.destination
    const sent = input.destination === null ? {} : destinationIn(input, before.kind)
    return { input: { ...rest, ...input }, destination: withKept(before, { ...shownIn(before.kind, held), ...sent }) }
  })
}

async function edit(
  deps: Deps,
  by: Editor,
  reference: string,
  { input: sent, expected }: Wanted,
  wantedFor: Whole,
): Promise<ConfiguredChannel> {
  const { org_id, actor } = by
  const ready = deps.tried ? deps : await readyFor(deps, by, reference, { input: sent, expected }, wantedFor)
  return underLocks(ready, by, reference, expected, async (inner, before) => {
    const { id } = before
    const { kind: _, ...wanted } = wantedOf(before, sent, wantedFor)
    const { input } = wantedFor(before)
    // The answer names a state that stays.
    await ensureSecret(inner.database.people, inner)
    const key = readKey(input)
    await setKey(inner.database.people, org_id, 'channel', { id: String(id), key })
    const also = changedKey(before.key, key)
    await namingDestination(() => editChannel(inner, { org_id, id }, wanted, actor, also))
    const enabled = switchIn(input, 'enabled') ?? true
    if (enabled !== before.enabled) await switchOneChannel(inner, { org_id, id }, enabled, actor)
    return read(inner, org_id, String(id))
  })
}

/** Under the locks all of it is looked at again. */
async function readyFor(
  deps: Deps,
  { org_id }: Editor,
  reference: string,
  { input, expected }: Wanted,
  wantedFor: Whole,
): Promise<Deps> {
  const before = await read(deps, org_id, reference)
  requireVersion(versionOf(before), expected)
  return withTried(deps, org_id, wantedOf(before, input, wantedFor))
}

function remove(deps: Deps, by: Editor, reference: string, expected: string | undefined): Promise<string> {
  const { org_id, actor } = by
  return underLocks(deps, by, reference, expected, async (inner, { id }) => {
    await removeOneChannel(inner, { org_id, id }, actor)
    return String(id)
  })
}

/** Has a test message sent. `spend` is told of the channel before, and refuses when too many were sent. */
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

/** Has the owner of a channel's address asked once more. Returns the address. */
export async function askOwnerAgain(deps: Deps, { org_id, actor }: Editor, reference: string): Promise<string> {
  return together(deps, async (inner) => {
    const { id, kind, email } = await read(inner, org_id, reference)
    requireMail(inner, kind)
    if (email === '') throw new DomainError('conflict', 'the channel has no address to confirm')
    // Nothing comes after it that could still be refused: the mail is queued with the answer.
    await askAgain({ ...inner, is_joined: false }, { org_id, id }, actor)
    return email
  })
}

async function underLocks<Result>(
  deps: Deps,
  { org_id }: Editor,
  reference: string,
  expected: string | undefined,
  work: (inner: Deps, before: ConfiguredChannel) => Promise<Result>,
): Promise<Result> {
  return together(deps, async (inner, trx) => {
    await lockOrganisation(trx, org_id)
    const id = await resolveReference(trx, org_id, 'channel', reference)
    const row = ID.test(id) ? await lockConfiguredChannel(trx, org_id, Number(id)) : undefined
    if (!row) throw noSuchChannel()
    const before = withConfirmation(inner, row)
    requireVersion(versionOf(before), expected)
    return work(inner, before)
  })
}

/** The fields that a body gives; '' and null take one away. */
function destinationIn(input: Input, kind: string): Destination {
  const sent = input.destination ?? {}
  if (typeof sent !== 'object' || Array.isArray(sent))
    throw new FieldError('invalid', 'destination', 'must be an object')
  const known = findKind(kind)?.fields
  return Object.fromEntries(
    Object.entries(sent as Record<string, unknown>).map(([field, value]) => {
      if (known && !Object.hasOwn(known, field)) {
        const names = Object.keys(known).join(', ')
        throw new FieldError('invalid', 'destination', `must contain only the fields of kind ${kind}: ${names}`)
      }
      if (value !== null && typeof value !== 'string') {
        throw new FieldError('invalid', `destination.${field}`, 'must be a string')
      }
      return [field, value ?? '']
    }),
  )
}

/**
 * What is sent, and the secrets that are kept because they are left out. They are kept only while the channel goes to the same place:
 * else somebody who may not read them could have them sent to a server of their own.
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

/** The parts of a destination that answers say. Of a kind that is unknown, none. */
function shownIn(kind: string, destination: Destination): Destination {
  const fields = findKind(kind)?.fields ?? {}
  return Object.fromEntries(
    Object.entries(given(destination)).filter(([field]) => {
      const rules = fields[field]
      return rules !== undefined && !isWriteOnly(rules)
    }),
  )
}

/** Refusals name the fields of a destination by their path in the body. */
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

/** The fields of its destination that are set and that nobody can read, with what stands for their values. */
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
  replace,
  change,
  remove,
  toWire,
  idOf: ({ id }) => String(id),
  versionOf,
  secretsOf,
  uncomparedOf: ({ uncompared = [] }) => uncompared,
  maybeNeededOf: ({ may_be_needed = [] }) => may_be_needed,
} satisfies Kind<ConfiguredChannel>
