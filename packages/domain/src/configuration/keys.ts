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

/** Returns the name of a kind in messages. */
const nameOf = (kind: KeyedKind): string => (kind === 'window' ? 'maintenance window' : kind)

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

/** Returns a function that resolves a reference to a guid or id. The function returns undefined for an unknown key. */
async function resolver(
  db: Db,
  org_id: number,
  kind: KeyedKind,
  references: readonly string[],
): Promise<(reference: string) => string | undefined> {
  const keys = references.flatMap((reference) => keyIn(reference) ?? []).filter((key) => KEY.test(key))
  const found = keys.length === 0 ? undefined : await listByKeys(db, org_id, kind, keys)
  return (reference) => {
    const key = keyIn(reference)
    return key === undefined ? reference : found?.get(key)
  }
}

/**
 * Returns the guid or id for a reference in a path. Returns a guid or id unchanged, even if no such item exists. Throws
 * DomainError for an unknown key.
 */
export async function resolveReference(db: Db, org_id: number, kind: KeyedKind, reference: string): Promise<string> {
  const id = (await resolver(db, org_id, kind, [reference]))(reference)
  if (id === undefined) throw new DomainError('missing', `no ${nameOf(kind)} with that key`)
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
  const idOf = await resolver(db, org_id, kind, references)
  return references.map((reference, index) => {
    const id = idOf(reference)
    if (id === undefined) throw nothingHasKey(kind, field(index))
    return id
  })
}

export function nothingHasKey(kind: KeyedKind, field: string): DomainError {
  const name = nameOf(kind)
  return new FieldError('invalid', field, `must name an existing ${name}; no ${name} has that key`)
}

/** Returns guids or ids by reference. Omits keys that no item has. */
export async function resolveMany(
  db: Db,
  org_id: number,
  kind: KeyedKind,
  references: readonly string[],
): Promise<Map<string, string>> {
  const idOf = await resolver(db, org_id, kind, references)
  const named = references.map((reference) => [reference, idOf(reference)] as const)
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
    throw new FieldError('conflict', 'key', `is already used by another ${nameOf(kind)}`)
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
  const moved = movedOf(many)
  const keys = moved.flatMap(({ key }) => key ?? [])
  if (keys.length === 0) return
  const holders = await listByKeys(db, org_id, kind, keys)
  for (const { index, id, held, key } of moved) {
    if (key != null && (holders.get(key) ?? id) !== id) {
      faults.add(index, 'body.key', `is already used by another ${nameOf(kind)}`)
      continue
    }
    if (held !== null) holders.delete(held)
    if (key != null) holders.set(key, id)
  }
}

/** Stores the keys of existing items. The caller must hold the lock of the organisation and know that the keys are free. */
export async function setKeys(db: Db, org_id: number, kind: KeyedKind, many: readonly KeyOfMany[]): Promise<void> {
  const moved = movedOf(many).map(({ id, key }) => ({ id, key: key ?? null }))
  await updateKeys(db, org_id, kind, moved)
}

function movedOf(many: readonly KeyOfMany[]): KeyOfMany[] {
  return many.filter(({ held, key }) => key !== undefined && key !== held)
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
