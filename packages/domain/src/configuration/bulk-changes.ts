// Defines the changes of a bulk request, and sorts them by action and kind.
import { FieldError } from '../errors.ts'
import type { Faults } from './faults.ts'
import { readKey } from './keys.ts'
import type { Input } from './kind.ts'
import { KINDS } from './kinds.ts'

/** A change in a bulk request, as the caller sends it. */
export interface BulkChange {
  action: 'put' | 'delete'
  kind: string
  key?: string | undefined
  id?: string | undefined
  /** Version that the item must have, or `none` if it must not exist. */
  if_match?: string | undefined
  body?: Input | undefined
}

export type Action = 'created' | 'replaced' | 'deleted' | 'unchanged'

/** A change with its position in the request. */
export interface IndexedChange {
  index: number
  key: string | undefined
  /** Guid, id or `key:NAME` of an existing item. */
  id: string | undefined
  if_match: string | undefined
  input: Input
}

/** Outcome of a change, with the state of the item before and after it. */
export interface Outcome {
  index: number
  action: Action
  id: string
  key: string | null
  before?: unknown
  after?: unknown
}

/** Changes by kind, in the order of the request. */
export interface ChangesByKind {
  puts: Map<string, IndexedChange[]>
  deletes: Map<string, IndexedChange[]>
}

/** Sorts changes by action and kind, and records the faults that need no database to find. */
export function sortOut(changes: readonly BulkChange[], faults: Faults): ChangesByKind {
  const seen = new Set<string>()
  const sorted = { put: [] as (IndexedChange & { kind: string })[], delete: [] as (IndexedChange & { kind: string })[] }
  for (const [index, { action, kind, key, id, if_match, body }] of changes.entries()) {
    const [field, must] = faultOf({ action, kind, key, id, body }) ?? []
    const name = `${kind} ${key ?? id}`
    const at = key === undefined ? 'id' : 'key'
    if (field !== undefined && must !== undefined) faults.add(index, field, must)
    else if (seen.has(name)) faults.add(index, at, `must not repeat the ${at} of an earlier change`)
    else sorted[action].push({ index, kind, key, id, if_match, input: body ?? {} })
    seen.add(name)
  }
  return {
    puts: Map.groupBy(sorted.put, ({ kind }) => kind),
    deletes: Map.groupBy(sorted.delete, ({ kind }) => kind),
  }
}

function faultOf({ action, kind, key, id, body }: BulkChange): [field: string, must: string] | undefined {
  if (!KINDS.has(kind)) return ['kind', `must be one of ${[...KINDS.keys()].join(', ')}`]
  if (KINDS.get(kind)?.isSingle) {
    if (action === 'delete') return ['action', 'must be "put", because the status page cannot be deleted']
    if (key !== undefined || id !== undefined)
      return ['key', 'must be omitted, and so must id, because an organisation has only one status page']
  } else if ((key === undefined) === (id === undefined))
    return ['key', 'must be sent if id is omitted, and must be omitted if id is sent']
  if (action === 'put' && body === undefined) return ['body', 'is required']
  if (action === 'delete' && body !== undefined) return ['body', 'must be omitted']
  if (key === undefined) return undefined
  try {
    readKey({ key })
  } catch (error) {
    if (error instanceof FieldError) return ['key', error.faults[0].must]
    throw error
  }
  const own = body?.key
  return own === undefined || own === key ? undefined : ['body.key', 'must be omitted or equal the key of the change']
}
