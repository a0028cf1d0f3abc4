// Makes the handlers that all kinds of items have: list, create, read, replace, change and delete.
import type { operations } from '@dogwatch/contract/config'
import type { Editor } from '@dogwatch/domain/checks/pause-delete-wipe'
import type { Input, Kind } from '@dogwatch/domain/configuration/kind'
import { allows } from '@dogwatch/domain/configuration/scopes'
import type { Configurator } from '@dogwatch/domain/configuration/tokens'
import type { Deps } from '@dogwatch/domain/deps'
import { FaultyFields, type FieldFault } from '@dogwatch/domain/errors'
import { lazyList } from '@dogwatch/runtime/json-pieces'
import type { Resource } from './contract.ts'
import { CONFIG_API } from './prefix.ts'
import { carryOut, type OperationResult } from './repeat.ts'
import { etagOf, readIfMatch } from './wire.ts'

type Id = keyof operations

/** Ids of the operations on a kind. Absent if the document does not have the operation. */
interface OperationIds {
  list?: Id
  create?: Id
  read: Id
  replace?: Id
  change?: Id
  remove?: Id
}

/** A kind whose `create` and `replace` are optional, because some kinds do not support them. */
type ResourceKind<Thing, Wire extends object = object> = Omit<Kind<Thing, Wire>, 'create' | 'replace'> &
  Partial<Pick<Kind<Thing, Wire>, 'create' | 'replace'>>

/** Type of the response of the read operation in the document. */
type WireOf<Read extends Id> = operations[Read] extends {
  responses: { 200: { content: { 'application/json': infer Wire } } }
}
  ? Wire
  : never

interface Names<Ids extends OperationIds, Thing = unknown> {
  /** Path after the prefix of the API, which is also the name of the list in a page, such as `checks`. */
  plural: string
  /** Name of the list in a page. Default: `plural`. */
  list?: string
  /** Name of the path parameter and of the field with the id, such as `guid`. */
  id: string
  operations: Ids
  /** Returns fields that only the response to the creation of an item contains. */
  shownOnce?: (deps: Deps, org_id: number, thing: Thing) => Promise<object>
}

interface AnyInput {
  caller: Configurator
  path: Readonly<Record<string, string>>
  query: Readonly<{ limit?: number; after?: string; tag?: string }>
  header: Readonly<Record<string, string | undefined>>
  body: unknown
  reply: (status: number, body: unknown, headers?: Record<string, string>) => unknown
}

type AnyHandler = (deps: Deps, input: AnyInput) => Promise<unknown>

/** Returns the editor for the audit log: the person who made the token, and the name of the token. */
export function editorOf({ org_id, person_id, email, name }: Configurator): Editor {
  return { org_id, actor: { person_id, email, impersonator_email: null, token: name } }
}

/** Whether the caller may read the secrets of checks. */
export function readsSecrets({ scopes }: Pick<Configurator, 'scopes'>): boolean {
  return allows(scopes, 'checks:secrets')
}

/**
 * Returns the handlers of a kind. The compiler compares their responses with the document, by the type of the read operation's
 * response.
 */
export function resourceOf<Thing, const Ids extends OperationIds>(
  kind: ResourceKind<Thing, WireOf<Ids['read']> & object>,
  names: Names<Ids, Thing>,
): Resource<Extract<Ids[keyof Ids], Id>> {
  const [create, replace] = [kind.create?.bind(kind), kind.replace?.bind(kind)]
  const byPurpose: Partial<Record<keyof OperationIds, AnyHandler>> = {
    list: lister(kind, names.list ?? names.plural),
    ...(create && { create: creator(kind, create, names) }),
    read: async (deps, { caller, path, reply }) => {
      const thing = await kind.read(deps, caller.org_id, path[names.id] ?? '')
      const { status, body, headers } = madeOf(200, kind, thing, caller)
      return reply(status, body, headers)
    },
    ...(replace && { replace: editor(kind, replace, names.id) }),
    change: editor(kind, kind.change.bind(kind), names.id),
    remove: async (deps, { caller, path, header, reply }) => {
      const expected = readIfMatch(header['If-Match'])
      return reply(200, { [names.id]: await kind.remove(deps, editorOf(caller), path[names.id] ?? '', expected) })
    },
  }
  const entries = Object.entries(names.operations) as [keyof OperationIds, Id][]
  const handlers = Object.fromEntries(
    entries.map(([purpose, id]) => {
      const handler = byPurpose[purpose]
      if (!handler) throw new Error(`no handler to ${purpose} a ${kind.name}`)
      return [id, handler]
    }),
  )
  return handlers as unknown as Resource<Extract<Ids[keyof Ids], Id>>
}

function lister<Thing>(kind: ResourceKind<Thing>, plural: string): AnyHandler {
  return async (deps, { caller, query, reply }) => {
    const { limit = 100, after, tag } = query
    const { things, next } = await kind.list(deps, caller.org_id, { limit, after, tag })
    const wires = lazyList(things, (thing) => kind.toWire(thing, readsSecrets(caller)))
    return reply(200, { [plural]: wires, ...(next !== undefined && { next }) })
  }
}

function creator<Thing>(
  kind: ResourceKind<Thing>,
  create: Kind<Thing>['create'],
  { plural, operations, shownOnce }: Names<OperationIds, Thing>,
): AnyHandler {
  return async (deps, { caller, body, header, reply }) => {
    const asked = { caller, key: header['Idempotency-Key'], asks: [operations.create, body] }
    const made = await carryOut(deps, asked, async (inner) => {
      const thing = await namingFields(() => create(inner, editorOf(caller), body as Input))
      const { headers, body: now, ...rest } = madeOf(201, kind, thing, caller)
      const once = await shownOnce?.(inner, caller.org_id, thing)
      return {
        ...rest,
        body: { ...(now as object), ...once },
        headers: { ...headers, Location: `${CONFIG_API}/${plural}/${kind.idOf(thing)}` },
      }
    })
    return reply(made.status, made.body, made.headers)
  }
}

function editor<Thing>(kind: ResourceKind<Thing>, apply: Kind<Thing>['change'], id: string): AnyHandler {
  return async (deps, { caller, path, body, header, reply }) => {
    const wanted = { input: body as Input, expected: readIfMatch(header['If-Match']) }
    const thing = await namingFields(() => apply(deps, editorOf(caller), path[id] ?? '', wanted))
    const { status, headers, body: now } = madeOf(200, kind, thing, caller)
    return reply(status, now, headers)
  }
}

/** Returns a response with the current state of an item. Omits secrets that the caller may not read. */
export function madeOf<Thing>(
  status: number,
  kind: ResourceKind<Thing>,
  thing: Thing,
  caller: Pick<Configurator, 'scopes'>,
): OperationResult {
  const body = kind.toWire(thing, readsSecrets(caller))
  return { status, headers: { ETag: etagOf(kind.versionOf(thing)) }, body }
}

/** Maximum length of the line of a refusal, in characters. The response would cut a longer one. */
const MOST_CHARS = 440

/**
 * Runs `work`. If it refuses fields of the body, describes all refused fields in one line. If not all fit, the line ends with the
 * number of the others.
 */
export async function namingFields<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FaultyFields)) throw error
    throw new FaultyFields('', error.faults, oneLineOf(error.faults))
  }
}

function oneLineOf(faults: readonly FieldFault[]): string {
  const lines = faults.map(({ field, must }) => `${field} ${must}`)
  let room = MOST_CHARS
  const more = lines.findIndex((line, count) => {
    room -= line.length + 2
    return room < 0 && count > 0
  })
  if (more < 0) return lines.join('; ')
  return `${lines.slice(0, more).join('; ')}; and ${lines.length - more} more`
}
