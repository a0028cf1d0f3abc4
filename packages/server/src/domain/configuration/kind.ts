// What every kind of thing that is configured has in common: handlers, bulk changes and their dry runs are written once for all.
import { createHash } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import type { TriedDestinations } from '../channels/tried.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import type { Faults } from './faults.ts'

/** What a caller sends: fields by their names. The document says which, and requests are held to it before. */
export type Input = Readonly<Record<string, unknown>>

export interface Page {
  limit: number
  /** The `next` of the page before. */
  after?: string | undefined
  tag?: string | undefined
}

export interface Wanted {
  input: Input
  /** The version that the caller knows; undefined: any. */
  expected: string | undefined
}

/**
 * One kind of thing. A reference is a guid or an id, or `key:NAME`. Whatever changes something is one transaction, joins the one that is
 * open (`together`), and refuses with one line or with `FaultyFields`.
 */
export interface Kind<Thing, Wire extends object = object> {
  /** `check`, as changes in bulk name it. */
  readonly name: string
  /** Fields of its answer that nobody sets: they are no part of a difference. */
  readonly derived: readonly string[]
  list(deps: Deps, org_id: number, page: Page): Promise<{ things: Thing[]; next: string | undefined }>
  /** Refuses what the organisation does not have as `missing`. */
  read(deps: Deps, org_id: number, reference: string): Promise<Thing>
  /** What takes long of a put among many changes, done before anything is locked. Refuses what putting would. */
  prepare?(
    deps: Deps,
    org_id: number,
    put: { reference: string; input: Input },
    tried: TriedDestinations,
  ): Promise<void>
  create(deps: Deps, by: Editor, input: Input): Promise<Thing>
  /** Sets every field: those that are left out take their defaults. */
  replace(deps: Deps, by: Editor, reference: string, wanted: Wanted): Promise<Thing>
  /** Sets the fields that are sent; null sets the default. */
  change(deps: Deps, by: Editor, reference: string, wanted: Wanted): Promise<Thing>
  /** Returns the id of what is gone. */
  remove(deps: Deps, by: Editor, reference: string, expected: string | undefined): Promise<string>
  /** As it is answered, without any secret. `reads_secrets`: with those of checks. */
  toWire(thing: Thing, reads_secrets?: boolean): Wire
  /** Further fields of this one that nobody sets. */
  derivedOf?(thing: Thing): readonly string[]
  idOf(thing: Thing): string
  /** Names the state of its configuration: whoever changes the thing changes it. In lower-case hex, 32 digits. */
  versionOf(thing: Thing): string
  /** What stands for each of its secrets, by field: equal for equal secrets, and nothing can be told from it. */
  secretsOf?(thing: Thing): Readonly<Record<string, string>>
  /** Its secrets that were given and not compared, because whoever gave them may not learn what is held. */
  uncomparedOf?(thing: Thing): readonly string[]
  /** Its secrets that were left out, and that the change may ask for: whoever asked may not learn whether it will. */
  maybeNeededOf?(thing: Thing): readonly string[]
}

/** One of many things that are put. */
export interface PutOfMany<Thing> {
  /** Its place in the request. */
  index: number
  /** Undefined: it is to be created. */
  before: Thing | undefined
  /** All its fields, with its key. */
  input: Input
  /** What `read` made of it. */
  read: unknown
}

/** A transaction that is open, and whose changes it makes. */
export interface Inside {
  deps: Deps
  trx: Transaction<Tables>
  by: Editor
}

/** Many things of a kind put or deleted by statements for all of them. The callers hold the locks of the organisation and of the things. */
export interface ManyOf<Thing> {
  /** Does what needs no database, before anything is locked. Refuses what putting one would. `known` is for this kind to keep what it read before. */
  read?(deps: Pick<Deps, 'clock'>, input: Input, known: Map<string, unknown>): unknown
  /** The things that references name, by reference. What the organisation does not have is left out. */
  find(inside: Inside, references: readonly string[]): Promise<ReadonlyMap<string, Thing>>
  /**
   * Puts things and returns each as it is then, in the same order. What would stay as it is is not touched. Nothing is stored when there are
   * faults.
   */
  put(inside: Inside, puts: readonly PutOfMany<Thing>[], faults: Faults): Promise<readonly Thing[]>
  remove(inside: Inside, things: readonly Thing[]): Promise<void>
}

/** Refuses a change that is based on another state than the present one. */
export function requireVersion(present: string, expected: string | undefined): void {
  if (expected === undefined || expected === present) return
  throw new DomainError('stale', 'if-match does not match the current version of the resource')
}

/** A name for the state of a thing. `told`: all that people decide of it. */
export function versionFrom(told: unknown): string {
  return createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 32)
}

/** Nothing is known of where the page before ended: answering with nothing would look like the end of the list. */
export function unknownCursor(): DomainError {
  return new FieldError('invalid', 'after', 'must be the value of "next" from the previous page')
}

/** One page of rows, of which one more than `limit` was asked for. */
export function pageOf<Thing>(
  rows: readonly Thing[],
  limit: number,
  idOf: (thing: Thing) => string,
): { things: Thing[]; next: string | undefined } {
  const things = rows.slice(0, limit)
  const last = things.at(-1)
  return { things, next: rows.length > limit && last ? idOf(last) : undefined }
}

/** What was found of some references: `ids` by reference, and the things with these ids. */
export function byReference<Thing>(
  ids: ReadonlyMap<string, string>,
  things: readonly Thing[],
  idOf: (thing: Thing) => string,
): Map<string, Thing> {
  const byId = new Map(things.map((thing) => [idOf(thing), thing]))
  return new Map(
    [...ids].flatMap(([reference, id]) => {
      const thing = byId.get(id)
      return thing === undefined ? [] : [[reference, thing] as const]
    }),
  )
}
