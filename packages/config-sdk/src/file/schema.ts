// Validates a file by the JSON Schema that editors use, and describes faults for people. Supports only those parts of JSON Schema
// that this schema uses.

import { readFile } from 'node:fs/promises'
import type { Path } from './place.ts'

export interface Schema {
  $ref?: string
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  const?: unknown
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  patternProperties?: Readonly<Record<string, Schema>>
  propertyNames?: { pattern: string }
  additionalProperties?: false | Schema
  items?: Schema
  definitions?: Readonly<Record<string, Schema>>
}

/** Fault at a path, as text that follows the words for that path. */
export interface SchemaFault {
  path: Path
  must: string
  /** Set if the name of the field is wrong, so that no other value would help. */
  isName?: true
}

export const KEY = /^[a-z0-9][a-z0-9._-]{0,63}$/
export const KEY_MUST =
  'must be a key: 1 to 64 characters of a-z, 0-9, ".", "_" and "-", starting with a letter or digit'

let read: Promise<Schema> | undefined

/** Reads the published schema of dogwatch.yaml. */
export function readSchema(): Promise<Schema> {
  return (read ??= readFile(SCHEMA, 'utf8').then((text) => JSON.parse(text) as Schema))
}

const SCHEMA = new URL('../../schema/dogwatch.schema.json', import.meta.url)

/** Whether another value would fix the fault. If the name of the field is wrong, no value would. */
export function isOfValue({ isName }: Pick<SchemaFault, 'isName'>): boolean {
  return isName !== true
}

/** Returns every fault of a value by the schema. */
export function faultsOfSchema(schema: Schema, value: unknown): SchemaFault[] {
  return faultsOf(schema, value, [], schema)
}

function faultsOf(given: Schema, value: unknown, path: Path, root: Schema): SchemaFault[] {
  const schema = given.$ref ? (root.definitions?.[given.$ref.split('/').at(-1) ?? ''] ?? {}) : given
  const must = faultOfValue(schema, value)
  if (must !== undefined) return [{ path, must }]
  if (Array.isArray(value)) {
    const { items } = schema
    return items ? value.flatMap((item, index) => faultsOf(items, item, [...path, index], root)) : []
  }
  if (typeof value !== 'object' || value === null) return []
  const { required = [] } = schema
  const missing = required.filter((name) => !Object.hasOwn(value, name))
  return [
    ...missing.map((name) => ({ path: [...path, name], must: 'is required' })),
    ...Object.entries(value).flatMap(([name, one]) => faultsOfProperty(schema, { name, value: one }, path, root)),
  ]
}

function faultsOfProperty(
  schema: Schema,
  { name, value }: { name: string; value: unknown },
  path: Path,
  root: Schema,
): SchemaFault[] {
  const { properties = {}, additionalProperties, patternProperties, propertyNames } = schema
  const at = [...path, name]
  if (propertyNames && !KEY.test(name)) return [{ path: at, must: KEY_MUST, isName: true }]
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (own) return faultsOf(own, value, at, root)
  // The only pattern in the schema, for fields that define anchors.
  if (patternProperties && name.startsWith('x-')) return []
  if (additionalProperties === false)
    return [{ path: at, must: `is not a known field${hintOf(name, Object.keys(properties))}`, isName: true }]
  return additionalProperties ? faultsOf(additionalProperties, value, at, root) : []
}

const TYPES: Readonly<Record<NonNullable<Schema['type']>, string>> = {
  object: 'must be a map',
  array: 'must be a list',
  string: 'must be text; put it in quotes',
  integer: 'must be a whole number',
  number: 'must be a number',
  boolean: 'must be true or false',
}

function faultOfValue(schema: Schema, value: unknown): string | undefined {
  const { type, minimum = -Infinity, maximum = Infinity, minLength = 0, maxLength = Infinity } = schema
  if (type && !isOfType(type, value)) return value === null && type !== 'object' ? 'must not be empty' : TYPES[type]
  if (schema.const !== undefined && value !== schema.const) return `must be ${JSON.stringify(schema.const)}`
  if (schema.enum && !schema.enum.includes(value)) return `must be one of ${schema.enum.join(', ')}`
  if (typeof value === 'number' && (value < minimum || value > maximum)) return `must be ${rangeOf(minimum, maximum)}`
  if (typeof value === 'string') {
    // JSON Schema counts code points.
    const { length } = Array.from(value)
    if (length > maxLength) return `must be ${maxLength} characters or fewer`
    if (length === 0 && minLength === 1) return 'must not be empty'
    if (length < minLength) return `must have at least ${minLength} characters`
  }
  if (Array.isArray(value)) return value.length > (schema.maxItems ?? Infinity) ? atMost(schema.maxItems) : undefined
  if (typeof value === 'object' && value !== null && Object.keys(value).length > (schema.maxProperties ?? Infinity)) {
    return atMost(schema.maxProperties)
  }
  return undefined
}

function isOfType(type: NonNullable<Schema['type']>, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

function rangeOf(minimum: number, maximum: number): string {
  if (maximum === Infinity) return `at least ${minimum}`
  return minimum === -Infinity ? `at most ${maximum}` : `from ${minimum} to ${maximum}`
}

function atMost(count = 0): string {
  return `must have at most ${count} entries`
}

/** Suggests the field that was probably meant. */
function hintOf(name: string, known: readonly string[]): string {
  const near = known.filter((one) => distance(name, one) <= 2)
  return near.length === 0 ? '' : `; did you mean ${near.slice(0, 2).join(' or ')}?`
}

/** Returns the number of characters that differ between two names, or 3 if there are more than two. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2 || one.length > 64) return 3
  let above = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const same = one.charAt(i - 1) === other.charAt(j - 1) ? 0 : 1
      row.push(Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + same))
    }
    above = row
  }
  return above.at(-1) ?? 0
}
