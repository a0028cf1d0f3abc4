// Sends one request in as many attempts as its operation allows, and returns a complete response.

import {
  ApiError,
  ConnectionError,
  type DogwatchError,
  errorLine,
  REDIRECTED,
  type RequestSummary,
  TimeoutError,
} from './errors.ts'
import type { Api, HandOut } from './operation.ts'
import {
  type CallOptions,
  type ClientOptions,
  checkedUserAgent,
  type Fetch,
  type LogEvent,
  limitsOf,
  type Token,
} from './options.ts'
import { nextWait, retryAfterSeconds } from './retry.ts'
import * as stopping from './stopping.ts'

/** Options of a call, in addition to its request. */
export interface Sending extends CallOptions {
  token?: Token | undefined
  /** Returns the body of a success while it arrives. Absent if the client reads and validates the whole body first. */
  handOut?: HandOut | undefined
  /** Facts about earlier calls that the error of this call should contain, such as the results that were already uploaded. */
  doneBefore?: Omit<DogwatchError, 'request' | keyof Error> | undefined
}

/**
 * Sends a request and returns the last attempt's response, with its whole body unless `handOut` is set. With `sending`, throws
 * unless the response is a success.
 * @throws ApiError, ConnectionError, or the reason of an aborted signal.
 */
export type Send = (request: Request, sending?: Sending) => Promise<Response>

/** Maximum length of an error's body to read, in characters. */
const ERROR_BODY_MAX_CHARS = 64 * 1024

// Reads the global `fetch` for each request, because a program may replace it at any time.
const globalFetch: Fetch = (url, init) => globalThis.fetch(url, init)

/** Returns the function that sends requests to the API at `apiUrl`. */
export function openTransport<Name extends string>(apiUrl: string, api: Api<Name>, options: ClientOptions<Name>): Send {
  const { fetch = globalFetch, clock = {} } = options
  const { now = Date.now, sleep = stopping.sleep, random = Math.random } = clock
  const clientLimits = limitsOf(options)
  const userAgent = checkedUserAgent(options.userAgent, api.userAgent)

  const log = async (event: LogEvent<Name>) => {
    try {
      // Types allow an async callback, whose rejection must not end the process.
      const returned: unknown = options.log?.(event)
      await returned
    } catch {
      // An error of a log callback does not affect the call.
    }
  }

  return async (request, sending) => {
    const { token = options.token, handOut } = sending ?? {}
    const { timeout, ...rules } = limitsOf(sending ?? {}, clientLimits)
    const { url, method } = request
    // Whatever else a caller of the raw client changes, the token is sent only to its own server.
    if (!url.startsWith(`${apiUrl}/`)) throw new TypeError('not a URL of this server')
    const [path = ''] = url.slice(apiUrl.length).split('?')
    const summary = { method, path }
    const { name: operation, repeatable, isAnswer } = api.operationOf(method, path)
    // If a middleware replaced the request, reads the body of the new request here, once for all attempts.
    const init = caughtInits.get(request) ?? {
      body: request.body && (await request.arrayBuffer()),
      signal: request.signal,
    }
    const signals = [options.signal, sending?.signal, init.signal].filter((signal) => signal != null)

    /** Returns a response of any status, or the error if there is none. Throws the reason of an abort, and errors of `token`. */
    const tryAfter = async (wait: number, attempt: number): Promise<Response | ConnectionError> => {
      const about = { operation, attempt }
      const tooLate = () => new TimeoutError(`no progress for ${timeout / 1000} s`, summary)
      const watched = stopping.watch(signals, timeout, tooLate)
      const { signal, guard } = watched
      let began = 0
      let secret: string | undefined
      let handedOut = false
      // A short token is not searched for, because it may be part of any word.
      const withoutToken = (text: string) => (secret?.[7] ? text.replaceAll(secret, '[token]') : text)
      const lost = (error: unknown, saying?: string): unknown => {
        let cause: unknown = signal.aborted ? signal.reason : error
        if (!(cause instanceof ConnectionError)) {
          // Without a token, nothing was sent. The error is the caller's, not the network's.
          if (signal.aborted || secret === undefined) return cause
          const reason = reasonOf(cause)
          const message = withoutToken(reason)
          // A custom fetch may quote the request that it could not send.
          if (message !== reason) cause = new Error(message)
          cause = new ConnectionError(saying ? `${saying}: ${message}` : message, summary, { cause })
        }
        void log({ type: 'failure', ...about, error: (cause as ConnectionError).message, duration_ms: now() - began })
        return cause
      }

      try {
        signal.throwIfAborted()
        if (attempt > 1) await guard(sleep(wait, signal))
        began = now()
        void log({ type: 'attempt', ...about })
        watched.progress()
        secret = await guard(readToken(token))
        const headers = new Headers(request.headers)
        headers.set('accept', 'application/json, text/plain')
        headers.set('authorization', `Bearer ${secret}`)
        if (userAgent !== undefined) headers.set('user-agent', userAgent)
        // Following a redirect would turn a POST into a GET, or send the token to another server.
        const sent = fetch(url, { method, headers, body: init.body ?? null, redirect: 'manual', signal })
        // If the response comes after the attempt has ended, closes its connection.
        sent.then((late) => (signal.aborted ? late.body?.cancel() : undefined)).catch(() => {})
        const response = await guard(sent)
        watched.progress()
        if (response.type === 'opaqueredirect') throw new Error(REDIRECTED)
        let body: BodyInit
        if (response.ok && handOut) {
          body = handOut(response, watched, lost)
          handedOut = true
        } else {
          body = await textOf(response, watched)
          if (!response.ok) body = withoutToken(body)
          else if (!isAnswer(parsed(body))) throw new Error('the response does not match the contract')
        }
        const requestId = response.headers.get('x-request-id')
        void log({
          type: 'answer',
          ...about,
          status: response.status,
          duration_ms: now() - began,
          ...(requestId && { request_id: requestId }),
        })
        return rebuilt(response, body)
      } catch (error) {
        const cause = lost(error)
        if (cause instanceof ConnectionError) return cause
        throw cause
      } finally {
        if (!handedOut) watched.release()
      }
    }

    for (let attempt = 1, wait_ms = 0; ; attempt += 1) {
      const result = await tryAfter(wait_ms, attempt)
      const answer = result instanceof ConnectionError ? undefined : result
      if (answer?.ok) return answer
      const retryAfter = answer && retryAfterSeconds(answer.headers, now())
      const wait = nextWait(attempt, answer?.status, retryAfter, { repeatable, ...rules }, random)
      if (wait) {
        void log({ type: 'wait', operation, attempt, ...wait })
        wait_ms = wait.wait_ms
      } else {
        if (answer && !sending) return answer
        const error = result instanceof ConnectionError ? result : await refusal(result, summary, retryAfter)
        throw Object.assign(error, sending?.doneBefore)
      }
    }
  }
}

async function refusal(answer: Response, request: RequestSummary, retryAfter: number | undefined): Promise<ApiError> {
  const { status, headers } = answer
  const line = errorLine(status, headers.get('content-type'), await answer.text())
  return new ApiError(line, { request, status, headers, retryAfter })
}

const caughtInits = new WeakMap<Request, RequestInit>()

/**
 * `Request` for openapi-fetch that remembers body and signal instead of reading them back. A `Request` with a signal keeps a
 * listener on it for its whole life, and reading its body copies it.
 */
export const CatchingRequest = new Proxy(Request, {
  construct(target, [input, init]: [RequestInfo | URL, RequestInit]) {
    const request = new target(input, { ...init, signal: null })
    caughtInits.set(request, init)
    return request
  },
})

async function readToken(token: Token): Promise<string> {
  const value: unknown = typeof token === 'function' ? await token() : token
  const trimmed = typeof value === 'string' ? value.trim() : ''
  // The message of the platform for an invalid header would repeat the token.
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new TypeError('the token must be one ASCII word')
  return trimmed
}

/** Reads the whole body of a success, and as much as possible of any other response, because its status says enough. */
async function textOf(response: Response, { guard, progress, signal }: stopping.Watch): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (reader && (response.ok || text.length < ERROR_BODY_MAX_CHARS)) {
      const { done, value } = await guard(reader.read())
      if (done) break
      progress()
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    // The caller's abort has precedence over any status.
    if (response.ok || (signal.aborted && !(signal.reason instanceof TimeoutError))) throw error
  } finally {
    reader?.cancel().catch(() => {})
  }
  return text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text, which may contain a key.
    throw new Error('the response is not JSON')
  }
}

/** Returns `response` with another body. */
function rebuilt(response: Response, body: BodyInit): Response {
  // Some statuses must not have a body, not even an empty one.
  const answer = new Response(body || null, response)
  // These headers described the bytes on the wire.
  answer.headers.delete('content-encoding')
  answer.headers.delete('content-length')
  return answer
}

/** Returns the message of an error with that of its cause, because `fetch failed` alone does not help. */
function reasonOf(error: unknown): string {
  const errors = [error, (error as ErrorOptions | undefined)?.cause]
  return errors.map(wordsOf).filter(Boolean).join(': ') || 'unknown error'
}

// Errors of another realm (a test runner, a frame) are not instances of this one's Error.
function wordsOf(error: unknown): string {
  const { message, code, name } = Object(error) as Partial<Record<string, string>>
  return message || code || name || (typeof error === 'string' ? error : '')
}
