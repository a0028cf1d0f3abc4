// Validates requests, and in tests responses, against a document, and describes faults in one line.

import { setImmediate as turn } from 'node:timers/promises'
import { isDateTime } from '@dogwatch/runtime/timestamps'
import type { Request, RequestHandler, Response } from 'express'
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js'
import { FieldHttpError } from './errors.ts'
import { type ContractDocument, listRoutes } from './routes.ts'

// Matches nearly every timestamp that programs send: in UTC, on a day that needs no look at leap years. A batch has 500
// of them, and parsing their parts takes thirteen times as long. isDateTime reads the others.
const USUAL =
  /^(?!0000)\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/

interface Fault {
  path?: string
  message?: string
  errorCode?: string
}

type Spec = Awaited<Parameters<OpenApiValidator['installMiddleware']>[0]>

/** Validators by document. The servers of one process share them, because they store nothing about requests. */
const made = new WeakMap<ContractDocument, Map<boolean, RequestHandler[]>>()

/**
 * Returns the middlewares that validate requests against the schemas of a document. They run after the credential is verified and
 * the body is read. Accepts unknown query parameters and fields, because clients can use a newer contract.
 */
export function contractValidator(
  document: ContractDocument,
  { validateResponses = false }: { validateResponses?: boolean } = {},
): RequestHandler[] {
  const known = made.get(document) ?? new Map<boolean, RequestHandler[]>()
  made.set(document, known)
  const steps = known.get(validateResponses) ?? makeValidator(document, validateResponses)
  known.set(validateResponses, steps)
  return steps
}

function makeValidator(document: ContractDocument, validateResponses: boolean): RequestHandler[] {
  const spec = specOf(withoutErrors(document))
  const validator = new OpenApiValidator({
    apiSpec: spec.apiDoc,
    validateSecurity: false,
    validateRequests: { allowUnknownQueryParameters: true, allErrors: false },
    validateResponses,
    fileUploader: false,
    ignoreUndocumented: false,
    // Replaces the test of ajv-formats, which takes far longer and accepts timestamps that Postgres refuses.
    formats: { 'date-time': { type: 'string', validate: (text: string) => USUAL.test(text) || isDateTime(text) } },
  })
  const loaded = Promise.resolve(spec)
  const steps = validator.installMiddleware(loaded) as RequestHandler[]
  // Runs after the library has prepared the document, because the library began to wait for the same promise earlier.
  void loaded.then(({ apiDoc }) => hideParts(apiDoc))
  // Skips the first step, which tells the router about path parameters and compiles nothing.
  uncompiled.push(() => compile(steps.slice(1), spec))
  return steps.map(translated)
}

/**
 * Makes paths and components of a document invisible to loops over its keys, but not to references. Otherwise Ajv would search the
 * whole document for schemas once per route, which is half of the work of a start.
 */
function hideParts({ paths = {}, components = {} }: Spec['apiDoc']): void {
  for (const part of [paths, components]) {
    for (const name of Object.keys(part)) Object.defineProperty(part, name, { enumerable: false })
  }
}

const uncompiled: (() => Promise<void>)[] = []

/**
 * Compiles the validators of each route with pauses, before the server reports that it is ready. Otherwise the library would
 * compile each one on its first request, which blocks the process for up to 80 ms.
 */
export async function compileValidators(): Promise<void> {
  const told = process.noDeprecation
  // In a single-file build, Node attributes the library's use of `url.parse` to Dogwatch and prints a warning.
  process.noDeprecation = true
  try {
    for (let next = uncompiled.pop(); next !== undefined; next = uncompiled.pop()) await next()
  } finally {
    process.noDeprecation = told ?? false
  }
}

/**
 * Passes an empty request for each route through the steps, because they store the compiled validators by method, path and type.
 */
async function compile(steps: readonly RequestHandler[], { routes, apiDoc }: Spec): Promise<void> {
  for (const { basePath, method, openApiRoute } of routes) {
    const path = openApiRoute.replaceAll(/[{}]/g, '')
    const operation = apiDoc.paths?.[openApiRoute.slice(basePath.length)] as Record<string, { requestBody?: unknown }>
    const hasBody = Boolean(operation[method.toLowerCase()]?.requestBody)
    const headers = hasBody ? { 'content-type': 'application/json' } : {}
    const named = { method, path, url: path, originalUrl: path, baseUrl: '', headers, query: {}, params: {} }
    const request = { ...named, app: { enabled: () => false } } as unknown as Request
    for (const step of steps) await new Promise((next) => step(request, {} as Response, next))
    await turn()
  }
}

let serial = 0

/**
 * Returns what the library's own loader makes of a document, but without compiling the schema of OpenAPI first, which was a third
 * of the start time. Tests verify the documents instead.
 */
export function specOf(document: ContractDocument): Spec {
  // A copy, because the library modifies the schemas.
  const apiDoc = structuredClone(document) as unknown as Spec['apiDoc']
  const basePaths = (document.servers as { url: string }[]).map(({ url }) => url)
  const routes = basePaths.flatMap((basePath) =>
    listRoutes(document).map(({ method, path, parameters }) => {
      const openApiRoute = `${basePath}${path}`
      const expressRoute = openApiRoute.replace(/\{(\w+)\}/g, ':$1')
      return { basePath, method, openApiRoute, expressRoute, pathParams: parameters }
    }),
  )
  serial += 1
  return { apiDoc, basePaths: basePaths.map((path) => `${path}/`), routes: routes.toSorted(namesFirst), serial }
}

/**
 * Orders routes like the library, which uses the first match: names before parameters, because a parameter matches any name.
 */
function namesFirst(a: Spec['routes'][number], b: Spec['routes'][number]): number {
  const one = a.expressRoute.replaceAll('/:', '/~')
  const other = b.expressRoute.replaceAll('/:', '/~')
  if (one.startsWith(other)) return -1
  return other.startsWith(one) || one > other ? 1 : -1
}

/**
 * Returns the document without its error responses. Handlers send none, and compiling their schemas would slow the start of a
 * server.
 */
function withoutErrors(document: ContractDocument): ContractDocument {
  const paths = document.paths as Record<string, Record<string, { responses: Record<string, unknown> }>>
  const isSuccess = ([status]: [string, unknown]): boolean => status < '400'
  const rest = mapped(paths, (item) =>
    mapped(item, (operation) => ({
      ...operation,
      responses: Object.fromEntries(Object.entries(operation.responses).filter(isSuccess)),
    })),
  )
  return { ...document, paths: rest }
}

function mapped<Value, Result>(given: Record<string, Value>, change: (value: Value) => Result): Record<string, Result> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, change(value)]))
}

/** Returns the same step with refusals in Dogwatch's own words. */
function translated(step: RequestHandler): RequestHandler {
  return (req, res, next) => {
    step(req, res, (error?: unknown) => {
      next(error === undefined || error === 'route' ? error : translate(error))
    })
  }
}

function translate(error: unknown): unknown {
  const { status, errors = [] } = error as { status?: number; errors?: Fault[] }
  const fault = faultOfChosen(errors)
  if (status !== 400 || !fault) return error
  return new FieldHttpError(fieldOf(fault), ruleOf(fault))
}

/**
 * Returns the first fault. With `oneOf`, prefers a fault of the alternative that the client meant. In all other alternatives, only
 * the field that names the alternative is at fault.
 */
function faultOfChosen(faults: readonly Fault[]): Fault | undefined {
  const isOneOf = faults.some(({ message = '' }) => message.includes('in oneOf'))
  const meant = faults.find(
    ({ message = '' }) => !message.startsWith('must be equal to') && !message.includes('in oneOf'),
  )
  const depthOf = ({ path = '' }: Fault) => path.split('/').length
  return isOneOf ? (meant ?? faults.toSorted((a, b) => depthOf(b) - depthOf(a))[0]) : faults[0]
}

/** Returns the field of a fault, such as `results[3].ran_at` for `/body/results/3/ran_at`, and `since` for `/query/since`. */
function fieldOf({ path = '' }: Fault): string {
  const [, ...parts] = path.split('/').filter((part) => part !== '')
  const field = parts.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')
  return field.replace(/^\./, '') || 'the body'
}

function ruleOf({ message = '', errorCode = '' }: Fault): string {
  if (errorCode.startsWith('required')) return 'is required'
  if (message.includes('format "date-time"') || message.startsWith('Empty value'))
    return 'must be an RFC 3339 date-time'
  if (message.includes('pattern "\\S"')) return 'must not be blank'
  if (message.includes('must be url encoded')) return 'must be url encoded'
  if (message.includes('format "int32"')) return 'must be at most 2147483647'
  return message
    .replace('must NOT', 'must not')
    .replace(/^must be (array|object|integer)$/, 'must be an $1')
    .replace(/^must be (string|boolean)$/, 'must be a $1')
    .replace('must be <=', 'must be at most')
    .replace('must be >=', 'must be at least')
}
