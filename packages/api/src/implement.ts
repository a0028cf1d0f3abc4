// Connects a document with its handlers through types: what the document does not declare does not compile.
//
// Handlers are keyed by operationId. Path, method and schemas come from the document when the server starts, so nothing
// is written twice. A handler returns `reply(status, body, headers?)`, the only way to make an Answer.

import { isLongJson, jsonPieces, writePieces } from '@dogwatch/runtime/json-pieces'
import type { Request, RequestHandler, Response } from 'express'
import type { Admission } from './admission.ts'
import { readBearer } from './bearer.ts'
import { type BodyLimit, bodySize, readJsonBody } from './body.ts'
import type { Connection } from './connection.ts'
import { FieldHttpError } from './errors.ts'
import type { LaneName } from './lanes.ts'
import { type ApiRoute, type ContractDocument, findRoute, lanesOf, listRoutes } from './routes.ts'
import { giveUpSlot, resizeSlot, type SlotOwner } from './shed.ts'
import { isHead, nameMethod, nameRoute, type Surface } from './surface.ts'
import { contractValidator } from './validate.ts'

/** Type of an operation, as openapi-typescript generates it. */
interface OperationShape {
  parameters: { query?: unknown; path?: unknown; header?: unknown }
  requestBody?: unknown
  responses: Record<number, unknown>
}

/** Generated types of an API: `import type * as monitor from '@dogwatch/contract/monitor'`. */
export interface Contract {
  operations: object
  security: object
}

declare const answerOf: unique symbol
declare const promised: unique symbol

/** Response of a handler. Only `reply` creates one. */
export interface Answer<Operation> {
  readonly [answerOf]: Operation
}

/** JSON body that is written piece by piece. All pieces together are the JSON of a `Body`. */
export interface JsonStream<Body> extends AsyncIterable<string | Uint8Array> {
  readonly [promised]: Body
}

/** Declares that the pieces together are the JSON of a `Body`. */
export function streamed<Body>(pieces: AsyncIterable<string | Uint8Array>): JsonStream<Body> {
  return pieces as JsonStream<Body>
}

type Content<Response> = Response extends { content: infer Kinds } ? Kinds[keyof Kinds] : never
type Writable<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body | JsonStream<Body>
  : Content<Response>
/** Response headers that the document declares, except `X-Request-Id`, which every response has. */
type DeclaredHeaders<Headers> = {
  [Name in keyof Headers as string extends Name ? never : Name extends 'X-Request-Id' ? never : Name]: Headers[Name]
}
type HeaderPart<Response> = Response extends { headers: infer Headers }
  ? [keyof DeclaredHeaders<Headers>] extends [never]
    ? []
    : Record<never, never> extends DeclaredHeaders<Headers>
      ? [headers?: DeclaredHeaders<Headers>]
      : [headers: DeclaredHeaders<Headers>]
  : []
type Parts<Response> = [body: Writable<Response>, ...HeaderPart<Response>]

type Query<Operation extends OperationShape> = NonNullable<Operation['parameters']['query']>
type Path<Operation extends OperationShape> = NonNullable<Operation['parameters']['path']>
type Header<Operation extends OperationShape> = NonNullable<Operation['parameters']['header']>
type Body<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Json } } }
  ? Json
  : undefined

export interface HandlerInput<Operation extends OperationShape, Caller> {
  query: Query<Operation>
  path: Path<Operation>
  /** Request headers that the document declares. */
  header: Header<Operation>
  body: Body<Operation>
  caller: Caller
  connection: Connection
  reply: <Status extends keyof Operation['responses']>(
    status: Status,
    ...parts: Parts<Operation['responses'][Status]>
  ) => Answer<Operation>
}

type Operations<C extends Contract> = { [Id in keyof C['operations']]: Extract<C['operations'][Id], OperationShape> }
type SchemeOf<C extends Contract, Id> = Id extends keyof C['security'] ? C['security'][Id] & PropertyKey : never

/** Types of the callers of a contract, by security scheme. */
export type CallersOf<C extends Contract> = Record<C['security'][keyof C['security']] & PropertyKey, unknown>

/** One handler for each operation of the contract. */
export type Handlers<C extends Contract, Callers extends CallersOf<C>> = {
  [Id in keyof Operations<C>]: (
    input: HandlerInput<Operations<C>[Id], Callers[SchemeOf<C, Id> & keyof Callers]>,
  ) => Promise<Answer<Operations<C>[Id]>>
}

/** Request whose credential is being verified. Its query has not been validated yet. */
export interface AskedRoute {
  operationId: string
  query: Record<string, unknown>
  connection: Connection
}

/** Functions by security scheme. Each verifies a credential and returns the caller. Refuses by throwing a DomainError. */
export type Security<Callers> = {
  [Scheme in keyof Callers]: (credential: string, address: string, asked: AskedRoute) => Promise<Callers[Scheme]>
}

/** Configuration of an API for the gates after its credential is verified. */
export interface ApiGates<C extends Contract> {
  admission: Admission
  /** Path prefix of the document. */
  prefix: string
  /** Lane of operations that are not in `lanes`. */
  surface: Surface & LaneName
  /** Lanes of operations that have one of their own. */
  lanes?: { [Id in keyof C['operations']]?: LaneName }
  /** Returns the owner of a slot: the caller, and the organisation whose share the slot belongs to. */
  ownerOf: (caller: unknown) => SlotOwner
  /** Whether to omit rates and shares, for tests and benchmarks of the code behind these limits. */
  isUnlimited?: boolean
}

/** Size limits of the bodies of operations. */
type BodyLimits<C extends Contract> = {
  [Id in keyof C['operations'] as Body<C['operations'][Id]> extends undefined ? never : Id]: BodyLimit
}

export interface ImplementOptions<C extends Contract> {
  /** Size limits of bodies. Every operation with a body needs one, unless there is a limit `otherwise`. */
  bodyLimits: BodyLimits<C> | (Partial<BodyLimits<C>> & { otherwise: BodyLimit })
  /** Gates for the requests. If absent, nothing is limited. */
  gates?: ApiGates<C>
  /** Verifies that the caller may use an operation. Refuses by throwing. */
  authorise?: (operationId: keyof C['operations'] & string, caller: unknown) => void
  /** Whether to validate responses against the document as well, for tests. */
  validateResponses?: boolean
}

interface PlainAnswer {
  status: number
  body: unknown
  headers: Record<string, unknown>
}

type AnyHandler = (input: {
  query: unknown
  path: unknown
  header: unknown
  body: unknown
  caller: unknown
  connection: Connection
  reply: (status: number, body?: unknown, headers?: Record<string, unknown>) => PlainAnswer
}) => Promise<PlainAnswer>

interface Call {
  connection: Connection
  route: ApiRoute
  path: Record<string, string>
  caller?: unknown
}

/**
 * Returns the middlewares that serve a document under its prefix. `admission.ts` lists the gates in order. Each gate refuses by
 * passing on an error, and reads nothing that only a later gate may read.
 */
export function implement<C extends Contract, Callers extends CallersOf<C>>(
  document: ContractDocument,
  security: Security<Callers>,
  handlers: Handlers<C, Callers>,
  { bodyLimits, gates, authorise, validateResponses = false }: ImplementOptions<C>,
): RequestHandler[] {
  const routes = listRoutes(document)
  const lanes = (gates?.lanes ?? {}) as Readonly<Record<string, LaneName | undefined>>
  gates?.admission.routes.tell(gates.surface, lanesOf(routes, gates.prefix, lanes))
  const byId = handlers as unknown as Record<string, AnyHandler>
  const authenticators = security as unknown as Record<
    string,
    (credential: string, address: string, asked: AskedRoute) => Promise<unknown>
  >
  const limits = bodyLimits as Record<string, BodyLimit | undefined>
  const limitOf = ({ operationId, hasBody }: ApiRoute) =>
    hasBody ? (limits[operationId] ?? limits.otherwise) : undefined
  for (const route of routes) {
    const { operationId, hasBody, scheme } = route
    if (!Object.hasOwn(authenticators, scheme)) throw new Error(`${operationId} must need exactly one credential`)
    if (!byId[operationId]) throw new Error(`no handler for ${operationId}`)
    if (hasBody && !limitOf(route)) throw new Error(`no body limit for ${operationId}`)
  }
  const calls = new WeakMap<Request, Call>()
  const callOf = (req: Request): Call => {
    const call = calls.get(req)
    if (!call) throw new Error('a request passed a gate without a route')
    return call
  }

  const routing: RequestHandler = (req, res, next) => {
    const call = { ...findRoute(routes, req), connection: connectionOf(req, res) }
    calls.set(req, call)
    nameRoute(res, call.route.path)
    // The server handles a HEAD as a GET, with the same gates, limits, status and headers. Node omits the body.
    if (req.method === 'HEAD') {
      nameMethod(res, req.method)
      req.method = 'GET'
    }
    next()
  }
  const credential: RequestHandler = async (req, _res, next) => {
    const call = callOf(req)
    const authenticate = authenticators[call.route.scheme]
    if (!authenticate) throw new Error(`no authenticator for ${call.route.scheme}`)
    const { connection } = call
    const { operationId } = call.route
    call.caller = await authenticate(readBearer(req), req.ip ?? '', { operationId, query: req.query, connection })
    authorise?.(operationId as keyof C['operations'] & string, call.caller)
    if (gates && !gates.isUnlimited)
      await gates.admission.admit(lanes[operationId] ?? gates.surface, gates.ownerOf(call.caller), connection)
    next()
  }
  const body: RequestHandler = async (req, _res, next) => {
    const limit = limitOf(callOf(req).route)
    if (limit) req.body = await readJsonBody(req, limit)
    // The validator would compile and store something for each Content-Type that a client sends.
    else delete req.headers['content-type']
    next()
  }
  const integers: RequestHandler = (req, _res, next) => {
    requireIntegers(callOf(req).route, req.query)
    next()
  }
  const dispatch: RequestHandler = async (req, res) => {
    const { route, path, caller, connection } = callOf(req)
    const handler = byId[route.operationId] as AnyHandler
    const header = Object.fromEntries(route.headers.map((name) => [name, req.get(name)]))
    const input = { query: req.query, path, header, body: req.body as unknown, caller, connection }
    const handle = () => handler({ ...input, reply: toAnswer })
    const lane = gates && (lanes[route.operationId] ?? gates.surface)
    const answer = await (lane ? gates.admission.inTurn(lane, gates.ownerOf(caller), connection, handle) : handle())
    await send(res, answer, validateResponses)
  }
  return [routing, credential, body, integers, ...contractValidator(document, { validateResponses }), dispatch]
}

/** Refuses numbers such as `1e400`, because the validator reads this one as infinity and ignores its limits then. */
function requireIntegers({ integers }: ApiRoute, query: Request['query']): void {
  for (const name of integers) {
    const text = query[name]
    const isInteger = typeof text === 'string' && /^-?\d{1,15}$/.test(text)
    if (text !== undefined && !isInteger) throw new FieldHttpError(name, 'must be an integer')
  }
}

function connectionOf(req: Request, res: Response): Connection {
  let over: AbortSignal | undefined
  return {
    closed: () => (over ??= signalOf(res)),
    isAwaited: () => !req.complete || res.writableLength > 0,
    cut: () => res.destroy(),
    rest: () => giveUpSlot(req),
    bodySize: () => bodySize(req),
    resize: (isSmall) => resizeSlot(req, isSmall),
  }
}

/** Reason of the abort. Without one, each response would create an error with a stack. */
const OVER = 'the response has already ended'

function signalOf(res: Response): AbortSignal {
  const over = new AbortController()
  // More than the default, because compression, limits and a pipeline also add listeners.
  res.setMaxListeners(20)
  if (res.closed) over.abort(OVER)
  else res.once('close', () => over.abort(OVER))
  return over.signal
}

function toAnswer(status: number, body?: unknown, headers: Record<string, unknown> = {}): PlainAnswer {
  return { status, body, headers }
}

async function send(res: Response, { status, body, headers }: PlainAnswer, isValidated: boolean): Promise<void> {
  res.status(status)
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, String(value))
  if (typeof body === 'string') res.type('text/plain').send(body)
  else if (isStream(body)) await stream(body, res.type('json'))
  else if (isLongJson(body)) await sendLong(body, res.type('json'), isValidated)
  else res.json(body)
}

/**
 * Sends a JSON response. A short one is sent in one piece with its length. A long one is written as fast as the client reads.
 */
async function sendLong(body: unknown, res: Response, isValidated: boolean): Promise<void> {
  const pieces = jsonPieces(body)
  const begun: string[] = []
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    begun.push(next.value)
    if (begun.length === 2) return stream(joined(begun, pieces), res)
  }
  const [text = ''] = begun
  if (isValidated) res.json(JSON.parse(text))
  else res.send(text)
}

async function* joined(begun: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* begun
  yield* rest
}

/**
 * Sends the pieces of a body. If one fails, breaks the connection, so that the client cannot mistake the part for the whole.
 */
async function stream(body: AsyncIterable<string | Uint8Array>, res: Response): Promise<void> {
  if (isHead(res)) await sendHead(body, res)
  else await writePieces(body, res)
}

/** Answers a HEAD. Makes only the first piece of the body, so that an error before it gets the same status as for GET. */
async function sendHead(body: AsyncIterable<string | Uint8Array>, res: Response): Promise<void> {
  for await (const _ of body) break
  res.flushHeaders()
  res.end()
}

function isStream(body: unknown): body is AsyncIterable<string | Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}
