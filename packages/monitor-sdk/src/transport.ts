// Sends one request in as many attempts as its operation allows, and returns an answer that is complete.

import { ApiError, ConnectionError, errorLine, type RequestSummary, TimeoutError } from './errors.ts'
import type { Operation } from './operation.ts'
import { operationOf } from './operations.ts'
import {
  type CallOptions,
  type Clock,
  type Fetch,
  type Limits,
  type LogEvent,
  limitsOf,
  type Token,
} from './options.ts'
import { nextStep, type Outcome, retryAfterSeconds } from './retry.ts'
import { type LinkedSignal, linkSignals, type Watch, watch } from './stopping.ts'

export interface TransportOptions {
  /** The server's base with the API's prefix. */
  apiUrl: string
  token: Token
  fetch: Fetch
  limits: Limits
  clock: Clock
  userAgent: string | undefined
  signal: AbortSignal | undefined
  log: ((event: LogEvent) => void) | undefined
}

/** What a call may set beside what its request says. */
export interface Sending extends CallOptions {
  token?: Token | undefined
}

/** A request as it is sent in each attempt, its body written once. */
interface Draft {
  operation: Operation
  summary: RequestSummary
  url: string
  headers: Headers
  body: BodyInit | undefined
  token: Token
}

type Attempt = { kind: 'answer'; response: Response; handedOut: boolean } | { kind: 'lost'; error: ConnectionError }

/** More of an error's body is not read. */
const ERROR_BODY_MAX_BYTES = 64 * 1024

export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /**
   * The answer of the last attempt, whatever its status, its body wholly there unless its operation hands it out.
   *
   * @throws ConnectionError when the last attempt brought no usable answer.
   * @throws the reason of a signal that aborts.
   */
  async send(request: Request, sending: Sending): Promise<Response> {
    const { clock, signal } = this.#options
    const limits = limitsOf(sending, this.#options.limits)
    const caught = caughtInits.get(request)
    const linked = linkSignals([signal, sending.signal, caught ? caught.signal : request.signal])
    let handedOut = false
    try {
      linked.signal.throwIfAborted()
      const draft = await this.#draft(request, caught, sending.token)
      for (let attempt = 1; ; attempt += 1) {
        const result = await this.#attempt(draft, attempt, limits.timeout, linked)
        if (result.kind === 'answer' && result.response.ok) {
          handedOut = result.handedOut
          return result.response
        }
        const step = nextStep(this.#outcome(result), attempt, {
          repeatable: draft.operation.repeatable,
          retries: limits.retries,
          patience: limits.patience,
          random: clock.random,
        })
        if (step.kind === 'stop') {
          if (result.kind === 'lost') throw result.error
          return result.response
        }
        this.#log({
          type: 'wait',
          operation: draft.operation.name,
          attempt,
          wait_ms: step.ms,
          because: step.because,
        })
        await clock.sleep(step.ms, linked.signal)
        linked.signal.throwIfAborted()
      }
    } finally {
      if (!handedOut) linked.release()
    }
  }

  /** `response` if it is a success, thrown as an ApiError otherwise. Takes what `send` returned. */
  async demandSuccess(request: Request, response: Response): Promise<Response> {
    if (response.ok) return response
    const { status, headers } = response
    const line = errorLine(status, headers.get('content-type'), await response.text())
    const retryAfter = retryAfterSeconds(headers, this.#options.clock.now())
    throw new ApiError(line, { request: this.#summary(request), status, headers, retryAfter })
  }

  async #draft(request: Request, caught: CaughtInit | undefined, token: Token | undefined): Promise<Draft> {
    // Whatever else a caller of the raw client changes, the token goes to its own server only.
    if (!request.url.startsWith(`${this.#options.apiUrl}/`)) throw new TypeError('the request is for another server')
    const summary = this.#summary(request)
    const headers = new Headers(request.headers)
    headers.set('accept', 'application/json, text/plain')
    if (this.#options.userAgent !== undefined) headers.set('user-agent', this.#options.userAgent)
    return {
      operation: operationOf(summary.method, summary.path),
      summary,
      url: request.url,
      headers,
      body: caught ? caught.body : request.body ? await request.arrayBuffer() : undefined,
      token: token ?? this.#options.token,
    }
  }

  #summary(request: Request): RequestSummary {
    const prefix = new URL(this.#options.apiUrl).pathname
    return { method: request.method, path: new URL(request.url).pathname.slice(prefix.length) }
  }

  async #attempt(draft: Draft, attempt: number, timeout: number, linked: LinkedSignal): Promise<Attempt> {
    const { clock } = this.#options
    const outer = linked.signal
    const about = { operation: draft.operation.name, attempt }
    const began = clock.now()
    const seconds = `${timeout / 1000} s`
    const late = () => new TimeoutError(`no progress for ${seconds}`, draft.summary)
    const watched = watch(outer, timeout, late)
    let secret: string | undefined
    let handedOut = false
    const lose = (cause: unknown, saying?: string): ConnectionError => {
      const error = cause instanceof ConnectionError ? cause : lostBecause(cause, secret, draft.summary, saying)
      this.#log({ type: 'failure', ...about, error: error.message, duration_ms: clock.now() - began })
      return error
    }
    this.#log({ type: 'attempt', ...about })
    try {
      secret = await watched.guard(readToken(draft.token))
      const response = await this.#exchange(draft, secret, watched)
      outer.throwIfAborted()
      const requestId = response.headers.get('x-request-id')
      this.#log({
        type: 'answer',
        ...about,
        status: response.status,
        duration_ms: clock.now() - began,
        ...(requestId === null ? {} : { request_id: requestId }),
      })
      const { handOut } = draft.operation
      if (!handOut || !response.ok) return { kind: 'answer', response, handedOut }
      handedOut = true
      const over = () => {
        watched.release()
        linked.release()
      }
      const lost = (cause: unknown, saying: string) => (outer.aborted ? (outer.reason as unknown) : lose(cause, saying))
      return { kind: 'answer', response: handOut(response, watched, { over, lost }), handedOut }
    } catch (cause) {
      if (outer.aborted) throw outer.reason
      // Without a token nothing was sent: that is the caller's fault to see, not the network's.
      if (secret === undefined && !(cause instanceof ConnectionError)) throw cause
      return { kind: 'lost', error: lose(cause) }
    } finally {
      if (!handedOut) watched.release()
    }
  }

  async #exchange(draft: Draft, secret: string, watched: Watch): Promise<Response> {
    const headers = new Headers(draft.headers)
    headers.set('authorization', `Bearer ${secret}`)
    const sent = this.#options.fetch(draft.url, {
      method: draft.summary.method,
      headers,
      body: draft.body ?? null,
      // Following would turn a POST into a GET, or show the token to another place.
      redirect: 'manual',
      signal: watched.signal,
    })
    const response = await watched.guard(sent).catch((error: unknown) => {
      // An answer that comes after the end is not wanted, and its connection must not hang on to it.
      if (watched.signal.aborted) sent.then((late) => late.body?.cancel()).catch(() => {})
      throw error
    })
    watched.progress()
    if (response.type === 'opaqueredirect') throw new Error('redirects are not followed, baseUrl must name the server')
    if (response.ok && draft.operation.handOut) {
      if (response.headers.get('content-type')?.includes('json')) return response
      response.body?.cancel().catch(() => {})
      throw new Error('the answer is not JSON')
    }
    const body = response.ok ? await readWhole(response, watched) : await readSome(response, watched)
    const text = without(response.ok ? undefined : secret, new TextDecoder().decode(body))
    if (response.ok && !draft.operation.isAnswer(parsed(text))) {
      throw new Error('the answer is not what the contract promises')
    }
    return rebuilt(response, text)
  }

  #outcome(result: Attempt): Outcome {
    if (result.kind === 'lost') return { kind: 'lost' }
    const { status, headers } = result.response
    return { kind: 'status', status, retryAfter: retryAfterSeconds(headers, this.#options.clock.now()) }
  }

  #log(event: LogEvent): void {
    try {
      const returned: unknown = this.#options.log?.(event)
      // Types let an async callback through; its rejection must not end the process.
      Promise.resolve(returned).catch(() => {})
    } catch {
      // What a log callback throws is not the call's business.
    }
  }
}

interface CaughtInit {
  body: BodyInit | undefined
  signal: AbortSignal | undefined
}

const caughtInits = new WeakMap<Request, CaughtInit>()

/**
 * `Request` for openapi-fetch, which remembers body and signal instead of reading them back. A `Request` given a signal
 * keeps a listener on it for as long as it lives, and reading its body copies it.
 */
export const CatchingRequest = new Proxy(Request, {
  construct(target, [input, init]: [RequestInfo | URL, RequestInit | undefined]) {
    const { signal, ...rest } = init ?? {}
    const request = new target(input, rest)
    caughtInits.set(request, { body: rest.body ?? undefined, signal: signal ?? undefined })
    return request
  },
})

async function readToken(token: Token): Promise<string> {
  const value: unknown = typeof token === 'function' ? await token() : token
  const trimmed = typeof value === 'string' ? value.trim() : ''
  // The platform's own message for such a header would repeat it.
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new TypeError('the token is empty or holds characters that no token has')
  return trimmed
}

async function readWhole(response: Response, watched: Watch): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  await readPieces(response, watched, (piece) => {
    pieces.push(piece)
    return 'more'
  })
  return joined(pieces)
}

/** As much of an error's body as can be had: the status says enough. */
async function readSome(response: Response, watched: Watch): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  try {
    await readPieces(response, watched, (piece) => {
      pieces.push(piece)
      bytes += piece.length
      return bytes < ERROR_BODY_MAX_BYTES ? 'more' : 'enough'
    })
  } catch {
    // What came before the failure is kept; an abort is found by the caller's signal.
  }
  return joined(pieces)
}

async function readPieces(
  response: Response,
  watched: Watch,
  take: (piece: Uint8Array) => 'more' | 'enough',
): Promise<void> {
  const reader = response.body?.getReader()
  if (!reader) return
  try {
    for (;;) {
      const { done, value } = await watched.guard(reader.read())
      if (done) return
      watched.progress()
      if (take(value) === 'enough') break
    }
    reader.cancel().catch(() => {})
  } catch (error) {
    reader.cancel(error).catch(() => {})
    throw error
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text, which may hold a key.
    throw new Error('the answer is not JSON')
  }
}

/** An answer with its body in hand. */
function rebuilt(response: Response, text: string): Response {
  const headers = new Headers(response.headers)
  // They spoke of the bytes on the wire.
  headers.delete('content-encoding')
  headers.delete('content-length')
  const hasBody = ![204, 205, 304].includes(response.status)
  return new Response(hasBody ? text : null, { status: response.status, statusText: response.statusText, headers })
}

function lostBecause(
  error: unknown,
  secret: string | undefined,
  request: RequestSummary,
  saying: string | undefined,
): ConnectionError {
  const reason = reasonOf(error)
  const message = without(secret, reason)
  // A fetch from outside may quote the request that it could not send.
  const cause = message === reason ? error : new Error(message)
  return new ConnectionError(saying === undefined ? message : `${saying}: ${message}`, request, { cause })
}

/** The message of an error, with that of its cause: `fetch failed` alone tells nobody anything. */
function reasonOf(error: unknown): string {
  const message = wordsOf(error)
  const cause = isObject(error) ? wordsOf(error.cause) : ''
  return (cause && message ? `${message}: ${cause}` : message || cause) || 'no reason was given'
}

// Errors of another realm (a test runner, a frame) are no instances of this one's Error.
function wordsOf(error: unknown): string {
  // eslint-disable-next-line @typescript-eslint/no-base-to-string -- it is no object
  if (!isObject(error)) return error === undefined ? '' : String(error)
  const words = [error.message, error.code, error.name]
  return words.find((word): word is string => typeof word === 'string' && word !== '') ?? ''
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function without(secret: string | undefined, text: string): string {
  return secret === undefined ? text : text.replaceAll(secret, '[token]')
}
