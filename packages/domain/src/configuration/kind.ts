// Defines what all kinds of configured items share, so that handlers, bulk changes and dry runs are written only once.
import { createHash } from 'node:crypto'
import type { Trx } from '@dogwatch/store/database'
import type { TriedDestinations } from '../channels/tried.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import type { Faults } from './faults.ts'

/** Fields that a caller sends, by name. The API document defines them, and requests are validated against it before. */
export type Input = Readonly<Record<string, unknown>>

export interface Page {
  limit: number
  /** Cursor from the previous page (its `next`). */
  after?: string | undefined
  tag?: string | undefined
}

export interface VersionedInput {
  input: Input
  /** Version that the caller knows. Undefined accepts any version. */
  expected: string | undefined
}

/**
 * Operations on one kind of item. Those that the API does not have are absent. A reference is a guid, an id or `key:NAME`. Each
 * change is a transaction or joins the open one (`together`), and refuses with one line or with `FaultyFields`.
 */
export interface Kind<Thing, Wire extends object = object> {
  /** Name in bulk changes, such as `check`. */
  readonly name: string
  /** Response fields that no caller sets. They are never part of a difference. */
  readonly derived: readonly string[]
  list?(deps: Deps, org_id: number, page: Page): Promise<{ things: Thing[]; next: string | undefined }>
  /** Reads an item. Throws DomainError of kind `missing` if the organisation does not have it. */
  read(deps: Deps, org_id: number, reference: string): Promise<Thing>
  /** Prepares a put of a bulk request: does what takes long, before any lock. Refuses what the put would refuse. */
  prepare?(deps: Deps, by: Editor, put: { reference: string; input: Input }, tried: TriedDestinations): Promise<void>
  create?(deps: Deps, by: Editor, input: Input): Promise<Thing>
  /** Sets every field of an item. Omitted fields get their defaults. */
  replace?(deps: Deps, by: Editor, reference: string, wanted: VersionedInput): Promise<Thing>
  /** Sets the fields of an item that the caller sends. Null sets the default. */
  change?(deps: Deps, by: Editor, reference: string, wanted: VersionedInput): Promise<Thing>
  /** Pauses or resumes an item. */
  switch?(deps: Deps, by: Editor, reference: string, enabled: boolean): Promise<Thing>
  /** Deletes an item and returns its id. */
  remove?(deps: Deps, by: Editor, reference: string, expected: string | undefined): Promise<string>
  /** Returns an item as responses show it, without secrets. `reads_secrets`: includes the secrets of checks. */
  toWire(thing: Thing, reads_secrets?: boolean): Wire
  /** Returns further fields of this item that no caller sets. */
  derivedOf?(thing: Thing): readonly string[]
  idOf(thing: Thing): string
  /** Returns the version of an item's configuration, which every edit changes: 32 lower-case hex digits. */
  versionOf(thing: Thing): string
  /** Returns a value for each secret, by field, that is equal for equal secrets. The values are compared and never sent. */
  secretsOf?(thing: Thing): Readonly<Record<string, string>>
  /** Returns the sent secrets that were not compared, because the caller may not learn the stored ones. */
  uncomparedOf?(thing: Thing): readonly string[]
  /** Returns the omitted secrets that the change can require. The caller may not learn whether it does. */
  maybeNeededOf?(thing: Thing): readonly string[]
}

/** One item of a bulk put. */
export interface PutOfMany<Thing> {
  /** Position of the put in the request. */
  index: number
  /** Existing item. Undefined if the put creates one. */
  before: Thing | undefined
  /** All fields of the item, including its key. */
  input: Input
  /** Result of {@link ManyOf.read} for the input. */
  read: unknown
}

/** An open transaction, and the person on whose behalf it makes changes. */
export interface Inside {
  deps: Deps
  trx: Trx
  by: Editor
  /** Destinations of channels that the request tried before it locked anything. */
  tried: TriedDestinations
}

/**
 * Operations on many items of a kind, by statements for all of them. The caller must hold the locks of the organisation and of
 * the items.
 */
export interface ManyOf<Thing> {
  /**
   * Reads one item without the database, before any lock. Refuses what a put would refuse. `known`: cache of this kind for one
   * request.
   */
  read?(deps: Pick<Deps, 'clock'>, input: Input, known: Map<string, unknown>): unknown
  /** Lists the items with these ids. Omits those that the organisation does not have. */
  list(inside: Inside, ids: readonly string[]): Promise<readonly Thing[]>
  /**
   * Stores items and returns each as it is then, in the same order. Does not touch items that stay the same. Stores nothing if
   * there are faults.
   */
  put(inside: Inside, puts: readonly PutOfMany<Thing>[], faults: Faults): Promise<readonly Thing[]>
  remove(inside: Inside, things: readonly Thing[]): Promise<void>
}

/** Refuses a change that is based on a version other than the current one. */
export function requireVersion(present: string, expected: string | undefined): void {
  if (expected === undefined || expected === present) return
  throw new DomainError('stale', 'if-match does not match the current version of the resource')
}

/** Returns the version of an item: a hash of everything that callers configure. */
export function versionFrom(told: unknown): string {
  return createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 32)
}

/** Returns the number of an id in a path or cursor. Returns 0 for a malformed id, because nothing has the number 0. */
export function numberOf(id: string): number {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0
}

/** Waits for an item that is being read. Returns undefined if it does not exist. */
export async function ifThere<Thing>(reading: Promise<Thing>): Promise<Thing | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'missing') return undefined
    throw error
  }
}

/** Returns the error for an unknown cursor, because an empty page would look like the end of the list. */
export function unknownCursor(): DomainError {
  return new FieldError('invalid', 'after', 'must be the value of "next" from the previous page')
}

/** Returns a page of rows. The caller must have queried one row more than `limit`, which shows whether there is a next page. */
export function pageOf<Thing>(
  rows: readonly Thing[],
  limit: number,
  idOf: (thing: Thing) => string,
): { things: Thing[]; next: string | undefined } {
  const things = rows.slice(0, limit)
  const last = things.at(-1)
  return { things, next: rows.length > limit && last ? idOf(last) : undefined }
}
