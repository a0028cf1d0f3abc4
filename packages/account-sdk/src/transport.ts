// Sends one request in as many attempts as its operation allows, and returns an answer that is complete.

import { ApiError, ConnectionError, errorLine, type RequestSummary, TimeoutError } from './errors.ts'
import type { HandOut, Operation } from './operation.ts'
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
import { nextWait, retryAfterSeconds } from './retry.ts'
import { type Linked, linkSignals, type Watch, watch } from './stopping.ts'

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
  /** Hands out the body of a success as it comes. Without it a body is read and looked at before anyone gets it. */
  handOut?: HandOut | undefined
}

/** A request as it is sent in each attempt, its body written once. */
interface Draft {
  operation: Operation
  summary: RequestSummary
  url: string
  headers: Headers
  body: BodyInit | undefined
  token: Token
  handOut: HandOut | undefined
}

/** More of an error's body is not read. */
const ERROR_BODY_MAX_CHARS = 64 * 1024

const NOT_JSON = 'the answer is not JSON'
const NOT_PROMISED = 'the answer is not what the contract promises'

export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /**
   * The answer of the last attempt, whatever its status, its body wholly there unless the call hands it out.
   *
   * @throws ConnectionError when the last attempt brought no usable answer.
   * @throws the reason of a signal that aborts.
   */
  async send(request: Request, sending: Sending): Promise<Response> {
    const { clock, signal } = this.#options
    const limits = limitsOf(sending, this.#options.limits)
    const caught = caughtInits.get(request)
    const linked = linkSignals([signal, sending.signal, caught ? caught.signal : request.signal])
    const outer = linked.controller.signal
    let handedOut = false
    try {
      outer.throwIfAborted()
      const draft = await this.#draft(request, caught, sending)
      for (let attempt = 1; ; attempt += 1) {
        const result = await this.#attempt(draft, attempt, limits.timeout, linked)
        const answer = result instanceof ConnectionError ? undefined : result
        if (answer?.ok) {
          handedOut = draft.handOut !== undefined
          return answer
        }
        const wait = nextWait(
          { status: answer?.status, retryAfter: answer && retryAfterSeconds(answer.headers, clock.now()) },
          attempt,
          { ...limits, repeatable: draft.operation.repeatable, random: clock.random },
        )
        if (!wait) {
          if (result instanceof ConnectionError) throw result
          return result
        }
        this.#log({ type: 'wait', operation: draft.operation.name, attempt, ...wait })
        await clock.sleep(wait.wait_ms, outer)
        outer.throwIfAborted()
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

  async #draft(request: Request, caught: CaughtInit | undefined, sending: Sending): Promise<Draft> {
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
      token: sending.token ?? this.#options.token,
      handOut: sending.handOut,
    }
  }

  #summary(request: Request): RequestSummary {
    const [path = ''] = request.url.slice(this.#options.apiUrl.length).split('?')
    return { method: request.method, path }
  }

  async #attempt(draft: Draft, attempt: number, timeout: number, linked: Linked): Promise<Response | ConnectionError> {
    const { clock } = this.#options
    const outer = linked.controller.signal
    const about = { operation: draft.operation.name, attempt }
    const began = clock.now()
    const late = () => new TimeoutError(`no progress for ${timeout / 1000} s`, draft.summary)
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
      const { handOut } = draft
      if (!handOut || !response.ok) return response
      handedOut = true
      const over = () => {
        watched.release()
        linked.release()
      }
      const lost = (cause: unknown, saying: string) => (outer.aborted ? (outer.reason as unknown) : lose(cause, saying))
      return rebuilt(response, handOut(response, watched, { over, lost }))
    } catch (cause) {
      if (outer.aborted) throw outer.reason
      // Without a token nothing was sent: that is the caller's fault to see, not the network's.
      if (secret === undefined && !(cause instanceof ConnectionError)) throw cause
      return lose(cause)
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
    if (response.ok && draft.handOut) {
      if (response.headers.get('content-type')?.includes('json')) return response
      response.body?.cancel().catch(() => {})
      throw new Error(NOT_JSON)
    }
    const text = await textOf(response, watched)
    if (!response.ok) return rebuilt(response, without(secret, text))
    if (!draft.operation.isAnswer(parsed(text))) throw new Error(NOT_PROMISED)
    return rebuilt(response, text)
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

/** The body of a success, whole; of anything else as much as can be had, since its status says enough. */
async function textOf(response: Response, watched: Watch): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (reader && (response.ok || text.length < ERROR_BODY_MAX_CHARS)) {
      const { done, value } = await watched.guard(reader.read())
      if (done) return text + decoder.decode()
      watched.progress()
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    reader?.cancel(error).catch(() => {})
    // An abort is found by the caller's signal.
    if (response.ok) throw error
  }
  reader?.cancel().catch(() => {})
  return text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text, which may hold a key.
    throw new Error(NOT_JSON)
  }
}

/** `response` with another body. */
function rebuilt(response: Response, body: BodyInit): Response {
  // Some statuses may have none, not even an empty one.
  const answer = new Response(body || null, response)
  // They spoke of the bytes on the wire.
  answer.headers.delete('content-encoding')
  answer.headers.delete('content-length')
  return answer
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
  const words = [wordsOf(error), wordsOf((error as ErrorOptions | undefined)?.cause)]
  return words.filter(Boolean).join(': ') || 'no reason was given'
}

// Errors of another realm (a test runner, a frame) are no instances of this one's Error.
function wordsOf(error: unknown): string {
  const { message, code, name } = Object(error) as Record<string, unknown>
  const words = [message, code, name, typeof error === 'string' ? error : '']
  return words.find((word): word is string => typeof word === 'string' && word !== '') ?? ''
}

function without(secret: string | undefined, text: string): string {
  return secret === undefined ? text : text.replaceAll(secret, '[token]')
}
