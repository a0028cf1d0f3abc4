// Reads, resolves and stores keys: names that clients of the configuration API choose, so that files can refer to items. A key is
// unique for its kind of item in the organisation. Wherever the API accepts a guid or an id, `key:NAME` means the item with that
// key.
import { type KeyedKind, listByKeys, listKeysOf, updateKey, updateKeys } from '@dogwatch/store/configuration/keys'
import type { Db } from '@dogwatch/store/database'
import { DomainError, FieldError } from '../errors.ts'
import { isStorable } from '../text.ts'
import type { Faults } from './faults.ts'

export { type KeyedKind, listKeysOf }

const KEY = /^[a-z0-9][a-z0-9._-]{0,63}$/
const PREFIX = 'key:'

/** Name of each kind in messages, and of its identifier in the API. */
const WORDS: Readonly<Record<KeyedKind, { name: string; id: string }>> = {
  check: { name: 'check', id: 'guid' },
  heartbeat: { name: 'heartbeat', id: 'guid' },
  channel: { name: 'channel', id: 'id' },
  route: { name: 'route', id: 'guid' },
  window: { name: 'maintenance window', id: 'guid' },
}

/**
 * Reads the key of a body. Returns null if the item loses its key, and undefined if the body omits the key, so that the item
 * keeps it.
 */
export function readKey({ key }: { readonly key?: unknown }): string | null | undefined {
  if (key === undefined || key === null) return key
  if (typeof key === 'string' && KEY.test(key)) return key
  const must = 'must be 1 to 64 characters of a-z, 0-9, ".", "_" and "-", starting with a letter or digit'
  throw new FieldError('invalid', 'key', must)
}

/** Returns the key in `key:NAME`, or undefined if the text has another form. */
export function keyIn(reference: string): string | undefined {
  return reference.startsWith(PREFIX) ? reference.slice(PREFIX.length) : undefined
}

/**
 * Returns the guid or id for a reference in a path. Returns a guid or id unchanged, even if no such item exists. Throws
 * DomainError for an unknown key.
 */
export async function resolveReference(db: Db, org_id: number, kind: KeyedKind, reference: string): Promise<string> {
  const key = keyIn(reference)
  if (key === undefined) return reference
  const id = KEY.test(key) ? (await listByKeys(db, org_id, kind, [key])).get(key) : undefined
  if (id === undefined) throw new DomainError('missing', `no ${WORDS[kind].name} with that key`)
  return id
}

/**
 * Returns the guids or ids for the references in a field of a body, in the same order. `field` returns the path of the field for
 * a refusal.
 */
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

/** Returns guids or ids by reference. Omits keys that no item has. */
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

/** Returns the name of the key field if the key changed, otherwise nothing, for the audit log. */
export function changedKey(before: string | null, after: string | null | undefined): readonly string[] {
  return after === undefined || after === before ? [] : ['key']
}

/**
 * Refuses a key that another item of the kind has. `id`: item that gets the key, and may already have it. The caller must hold
 * the lock of the organisation, so that the key stays free until the transaction ends.
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

/** An item of a bulk request, and its key. */
export interface KeyOfMany {
  index: number
  id: string
  /** Previous key of the item, or null. */
  held: string | null
  /** New key of the item. Null removes the key, undefined keeps it. */
  key: string | null | undefined
}

/**
 * Checks keys like {@link requireKeyFree}, for many items in order: each item sees the keys that earlier ones received or gave
 * up.
 */
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

/** Stores the keys of existing items. The caller must hold the lock of the organisation and know that the keys are free. */
export async function setKeys(db: Db, org_id: number, kind: KeyedKind, many: readonly KeyOfMany[]): Promise<void> {
  const moved = many.filter(({ held, key }) => key !== undefined && key !== held)
  await updateKeys(
    db,
    org_id,
    kind,
    moved.map(({ id, key }) => ({ id, key: key ?? null })),
  )
}

/** Stores the key of an item. Null removes the key, undefined keeps it. The caller must hold the lock of the organisation. */
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
