// Makes the handlers that all kinds of items have: list, create, read, replace, change, delete, pause and resume.
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

/** Ids of the operations that the document has for items of this name: `listChecks` and `getCheck` for `Check`. */
type OperationsOn<Name extends string> = Extract<
  Id,
  `list${Name}s` | `${'create' | 'get' | 'replace' | 'change' | 'delete' | 'pause' | 'resume'}${Name}`
>

/** Type of the response of the read operation in the document. */
type WireOf<Read extends Id> = operations[Read] extends {
  responses: { 200: { content: { 'application/json': infer Wire } } }
}
  ? Wire
  : never

interface Names<Name extends string, Thing = unknown> {
  /** Name of an item in the ids of operations, such as `Check`. */
  name: Name
  /** Path after the prefix of the API, which is also the name of the list in a page, such as `checks`. */
  plural: string
  /** Name of the list in a page. Default: `plural`. */
  list?: string
  /** Name of the path parameter and of the field with the id, such as `guid`. */
  id: string
  /** Returns fields that only the response to the creation of an item contains. */
  shownOnce?: (deps: Deps, org_id: number, thing: Thing) => Promise<object>
}

interface AnyInput {
  caller: Configurator
  path: Readonly<Record<string, string>>
  query: Readonly<{ limit?: number; after?: string; tag?: string }>
  header: Readonly<{ 'Idempotency-Key'?: string | undefined; 'If-Match'?: string | undefined }>
  body: unknown
  reply: (status: number, body: unknown, headers?: object) => unknown
}

type AnyHandler = (deps: Deps, input: AnyInput) => Promise<unknown>
type Operation<Thing, Name extends keyof Kind<Thing>> = NonNullable<Kind<Thing>[Name]>

/** Returns the editor for the audit log: the person who made the token, and the name of the token. */
export function editorOf({ org_id, person_id, email, name }: Configurator): Editor {
  return { org_id, actor: { person_id, email, impersonator_email: null, token: name } }
}

/** Whether the caller may read the secrets of checks. */
export function readsSecrets({ scopes }: Pick<Configurator, 'scopes'>): boolean {
  return allows(scopes, 'checks:secrets')
}

/**
 * Returns the handlers of a kind, for each operation that the kind has. The compiler compares their responses with the document,
 * by the type of the read operation's response.
 */
export function resourceOf<Thing, const Name extends string>(
  kind: Kind<Thing, WireOf<Extract<Id, `get${Name}`>> & object>,
  names: Names<Name, Thing>,
): Resource<OperationsOn<Name>> {
  const { list, create, replace, change, remove, switch: setEnabled } = kind
  const { name, id } = names
  const handlers: Record<string, AnyHandler> = {
    ...(list && { [`list${name}s`]: lister(kind, list, names.list ?? names.plural) }),
    ...(create && { [`create${name}`]: creator(kind, create, names) }),
    [`get${name}`]: async (deps, { caller, path, reply }) => {
      const { body, headers } = madeOf(kind, await kind.read(deps, caller.org_id, path[id] ?? ''), caller)
      return reply(200, body, headers)
    },
    ...(replace && { [`replace${name}`]: editor(kind, replace, id) }),
    ...(change && { [`change${name}`]: editor(kind, change, id) }),
    ...(remove && {
      [`delete${name}`]: async (deps, { caller, path, header, reply }) => {
        const expected = readIfMatch(header['If-Match'])
        return reply(200, { [id]: await remove(deps, editorOf(caller), path[id] ?? '', expected) })
      },
    }),
    ...(setEnabled && {
      [`pause${name}`]: switcher(kind, setEnabled, `pause${name}`, { id, enabled: false }),
      [`resume${name}`]: switcher(kind, setEnabled, `resume${name}`, { id, enabled: true }),
    }),
  }
  return handlers as unknown as Resource<OperationsOn<Name>>
}

function lister<Thing>(kind: Kind<Thing>, list: Operation<Thing, 'list'>, plural: string): AnyHandler {
  return async (deps, { caller, query, reply }) => {
    const { limit = 100, after, tag } = query
    const { things, next } = await list(deps, caller.org_id, { limit, after, tag })
    const wires = lazyList(things, (thing) => kind.toWire(thing, readsSecrets(caller)))
    return reply(200, { [plural]: wires, ...(next !== undefined && { next }) })
  }
}

function creator<Thing>(
  kind: Kind<Thing>,
  create: Operation<Thing, 'create'>,
  { name, plural, shownOnce }: Names<string, Thing>,
): AnyHandler {
  return async (deps, { caller, body, header, reply }) => {
    const made = await carryOut(deps, { caller, header, asks: [`create${name}`, body] }, async (inner) => {
      const thing = await namingFields(() => create(inner, editorOf(caller), body as Input))
      const { headers, body: now } = madeOf(kind, thing, caller)
      const once = await shownOnce?.(inner, caller.org_id, thing)
      const Location = `${CONFIG_API}/${plural}/${kind.idOf(thing)}`
      return { status: 201, headers: { ...headers, Location }, body: { ...now, ...once } }
    })
    return reply(201, made.body, made.headers)
  }
}

function editor<Thing>(kind: Kind<Thing>, apply: Operation<Thing, 'change'>, id: string): AnyHandler {
  return async (deps, { caller, path, body, header, reply }) => {
    const wanted = { input: body as Input, expected: readIfMatch(header['If-Match']) }
    const thing = await namingFields(() => apply(deps, editorOf(caller), path[id] ?? '', wanted))
    const { headers, body: now } = madeOf(kind, thing, caller)
    return reply(200, now, headers)
  }
}

function switcher<Thing>(
  kind: Kind<Thing>,
  apply: Operation<Thing, 'switch'>,
  operation: string,
  { id, enabled }: { id: string; enabled: boolean },
): AnyHandler {
  return async (deps, { caller, path, header, reply }) => {
    const reference = path[id] ?? ''
    const { body, headers } = await carryOut(deps, { caller, header, asks: [operation, reference] }, async (inner) =>
      madeOf(kind, await apply(inner, editorOf(caller), reference, enabled), caller),
    )
    return reply(200, body, headers)
  }
}

/** Returns a response with the current state of an item. Omits secrets that the caller may not read. */
export function madeOf<Thing, Wire extends object>(
  kind: Kind<Thing, Wire>,
  thing: Thing,
  caller: Pick<Configurator, 'scopes'>,
): Required<Omit<OperationResult<Wire, { ETag: string }>, 'status'>> {
  const body = kind.toWire(thing, readsSecrets(caller))
  return { headers: { ETag: etagOf(kind.versionOf(thing)) }, body }
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
