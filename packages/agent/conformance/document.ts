// Holds requests and answers to the document of the monitor API.
import { document } from '@dogwatch/contract/monitor'
import { z } from 'zod'

type Schema = Record<string, unknown>

interface Content {
  content?: Record<string, { schema: Schema }>
}

interface Operation {
  parameters?: { name: string; required?: boolean; schema: Schema }[]
  requestBody?: Content
  responses: Record<string, Content & { headers?: Record<string, { required?: boolean; schema: Schema }> }>
}

export interface Asked {
  /** Such as `GET /checks`. */
  route: string
  query: URLSearchParams
  /** Undefined when there is none, or it is no JSON. */
  body: unknown
}

export interface Answered {
  status: number
  headers: Readonly<Record<string, string>>
  body: unknown
}

export const BASE_PATH = '/monitor-api/v1'

const INT32_MAX = 2 ** 31 - 1
const OPERATIONS = new Map(operationsOf(document.paths as Record<string, Record<string, Operation>>))
const validators = new WeakMap<Schema, z.ZodType>()

export const isRoute = (route: string): boolean => OPERATIONS.has(route)

/** What in a request breaks the document, a line each. */
export function faultsOfRequest({ route, query, body }: Asked): string[] {
  const operation = OPERATIONS.get(route)
  if (!operation) return [`${route}: the document has no such operation`]
  const faults = (operation.parameters ?? []).flatMap(({ name, required = false, schema }) => {
    const value = query.get(name)
    if (value === null) return required ? [`${route}: ${name} is missing`] : []
    return faultsOf(schema, value, `${route}: ${name}`)
  })
  const schema = operation.requestBody?.content?.['application/json']?.schema
  return schema ? [...faults, ...faultsOf(schema, body, `${route}: body`)] : faults
}

/** What in an answer breaks the document, a line each. */
export function faultsOfAnswer(route: string, { status, headers, body }: Answered): string[] {
  const declared = OPERATIONS.get(route)?.responses[String(status)]
  if (!declared) return [`${route}: the document has no answer ${status}`]
  const where = `${route} ${status}`
  const type = headers['content-type']?.split(';')[0] ?? ''
  const schema = declared.content?.[type]?.schema
  const faults = schema ? faultsOf(schema, body, where) : [`${where}: no content of type ${type}`]
  for (const [name, { required = false }] of Object.entries(declared.headers ?? {})) {
    if (required && headers[name.toLowerCase()] === undefined) faults.push(`${where}: ${name} is missing`)
  }
  return faults
}

function operationsOf(paths: Record<string, Record<string, Operation>>): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  )
}

function faultsOf(schema: Schema, value: unknown, where: string): string[] {
  const { error } = validatorOf(schema).safeParse(value)
  return (error?.issues ?? []).map(({ path, message }) => {
    const at = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
    return `${where}${at}: ${message}`
  })
}

function validatorOf(schema: Schema): z.ZodType {
  const known = validators.get(schema)
  if (known) return known
  const made = z.fromJSONSchema(withIntegerBounds(schema), { defaultTarget: 'openapi-3.0' })
  validators.set(schema, made)
  return made
}

/** The validator does not know `format: int32`, so it is written out. */
function withIntegerBounds<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withIntegerBounds) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, value]) => [key, withIntegerBounds<unknown>(value)] as const)
  const isInt32 = (schema as { format?: unknown }).format === 'int32'
  return { ...(isInt32 ? { maximum: INT32_MAX } : {}), ...Object.fromEntries(entries) } as T
}
