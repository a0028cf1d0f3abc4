// Keys: names that clients of the configuration API choose for what they manage, so that files can refer to things. A key is unique for
// its kind of thing in the organisation. Wherever the API takes a guid or an id, `key:NAME` means the thing with that key.
import { type KeyedKind, listByKeys, listKeysOf, updateKey, updateKeys } from '../../store/configuration/keys.ts'
import type { Db } from '../../store/database.ts'
import { DomainError, FieldError } from '../errors.ts'
import { isStorable } from '../text.ts'
import type { Faults } from './faults.ts'

export { type KeyedKind, listKeysOf }

const KEY = /^[a-z0-9][a-z0-9._-]{0,63}$/
const PREFIX = 'key:'

/** What the API calls each kind, and its name. */
const WORDS: Readonly<Record<KeyedKind, { name: string; id: string }>> = {
  check: { name: 'check', id: 'guid' },
  heartbeat: { name: 'heartbeat', id: 'guid' },
  channel: { name: 'channel', id: 'id' },
  route: { name: 'route', id: 'guid' },
  window: { name: 'maintenance window', id: 'guid' },
}

/** The key that a body gives; null: none from now on; undefined: the body says nothing of it, and what is there stays. */
export function readKey({ key }: { readonly key?: unknown }): string | null | undefined {
  if (key === undefined || key === null) return key
  if (typeof key === 'string' && KEY.test(key)) return key
  const must = 'must be 1 to 64 characters of a-z, 0-9, ".", "_" and "-", starting with a letter or digit'
  throw new FieldError('invalid', 'key', must)
}

/** The key that `key:NAME` names; undefined when it is no such text. */
export function keyIn(reference: string): string | undefined {
  return reference.startsWith(PREFIX) ? reference.slice(PREFIX.length) : undefined
}

/** The guid or id of what a path names. A guid or id is given back as it is, whether there is such a thing or not. */
export async function resolveReference(db: Db, org_id: number, kind: KeyedKind, reference: string): Promise<string> {
  const key = keyIn(reference)
  if (key === undefined) return reference
  const id = KEY.test(key) ? (await listByKeys(db, org_id, kind, [key])).get(key) : undefined
  if (id === undefined) throw new DomainError('missing', `no ${WORDS[kind].name} with that key`)
  return id
}

/** The guids or ids of what a field of a body names, in the same order. `field` is the path of the field, for the refusal. */
export async function resolveReferences(
  db: Db,
  org_id: number,
  kind: KeyedKind,
  references: readonly string[],
  field: (index: number) => string,
): Promise<string[]> {
  const keys = references.flatMap((reference) => keyIn(reference) ?? [])
  const wanted = keys.filter((key) => KEY.test(key))
  const found = wanted.length === 0 ? new Map<string, string>() : await listByKeys(db, org_id, kind, wanted)
  return references.map((reference, index) => {
    const key = keyIn(reference)
    const id = key === undefined ? reference : found.get(key)
    if (id !== undefined) return id
    throw nothingHasKey(kind, field(index))
  })
}

export function nothingHasKey(kind: KeyedKind, field: string): DomainError {
  return new FieldError(
    'invalid',
    field,
    `must name an existing ${WORDS[kind].name}; no ${WORDS[kind].name} has that key`,
  )
}

/** The guids or ids of what many references name, by reference. A key that no thing has is left out. */
export async function resolveMany(
  db: Db,
  org_id: number,
  kind: KeyedKind,
  references: readonly string[],
): Promise<Map<string, string>> {
  const keys = references.flatMap((reference) => keyIn(reference) ?? []).filter((key) => KEY.test(key))
  const found = keys.length === 0 ? new Map<string, string>() : await listByKeys(db, org_id, kind, keys)
  const named = references.map((reference) => {
    const key = keyIn(reference)
    return [reference, key === undefined ? reference : found.get(key)] as const
  })
  return new Map(named.filter((one): one is [string, string] => one[1] !== undefined && isStorable(one[1])))
}

/** What the audit log says of a change beside the fields of the thing. */
export function changedKey(before: string | null, after: string | null | undefined): readonly string[] {
  return after === undefined || after === before ? [] : ['key']
}

/**
 * Refuses a key that another thing of the kind has. `id`: the one that may have it already. The caller holds the organisation's lock, so that
 * it stays free until the transaction ends.
 */
export async function requireKeyFree(
  db: Db,
  org_id: number,
  kind: KeyedKind,
  { id, key }: { id?: string; key: string | null | undefined },
): Promise<void> {
  if (key === undefined || key === null) return
  const holder = (await listByKeys(db, org_id, kind, [key])).get(key)
  if (holder !== undefined && holder !== id) {
    throw new FieldError('conflict', 'key', `is already used by another ${WORDS[kind].name}`)
  }
}

/** A thing that is put among many, and its key. */
export interface KeyOfMany {
  index: number
  id: string
  /** What it had. */
  held: string | null
  /** Undefined: as it was. */
  key: string | null | undefined
}

/** The same for many, in their order: each finds the keys that those before it were given or gave up. */
export async function requireKeysFree(
  db: Db,
  org_id: number,
  kind: KeyedKind,
  many: readonly KeyOfMany[],
  faults: Faults,
): Promise<void> {
  const moved = many.filter(({ held, key }) => key !== undefined && key !== held)
  const keys = moved.flatMap(({ key }) => key ?? [])
  if (keys.length === 0) return
  const holders = await listByKeys(db, org_id, kind, keys)
  for (const { index, id, held, key } of moved) {
    if (key != null && (holders.get(key) ?? id) !== id) {
      faults.add(index, 'body.key', `is already used by another ${WORDS[kind].name}`)
      continue
    }
    if (held !== null) holders.delete(held)
    if (key != null) holders.set(key, id)
  }
}

/** Gives things that exist their keys. The caller holds the organisation's lock and knows that they are free. */
export async function setKeys(db: Db, org_id: number, kind: KeyedKind, many: readonly KeyOfMany[]): Promise<void> {
  const moved = many.filter(({ held, key }) => key !== undefined && key !== held)
  await updateKeys(
    db,
    org_id,
    kind,
    moved.map(({ id, key }) => ({ id, key: key ?? null })),
  )
}

/** Gives a thing its key; null takes it away, and undefined leaves it. The caller holds the organisation's lock. */
export async function setKey(
  db: Db,
  org_id: number,
  kind: KeyedKind,
  { id, key }: { id: string; key: string | null | undefined },
): Promise<void> {
  if (key === undefined) return
  await requireKeyFree(db, org_id, kind, { id, key })
  await updateKey(db, org_id, kind, { id, key })
}
