// Defines the errors of a call: a response that is not a success, or no usable response.

/** The request that failed. The path is the contract's, without prefix and query. */
export interface RequestSummary {
  readonly method: string
  readonly path: string
}

/**
 * Base class of {@link ApiError} and {@link ConnectionError}. Its fields contain no token. Each SDK adds details about a call
 * that had done part of its work.
 */
export abstract class DogwatchError extends Error {
  /** The request that failed. */
  readonly request: RequestSummary

  constructor(message: string, request: RequestSummary, options?: ErrorOptions) {
    super(message, options)
    this.request = request
  }
}

/** Error for a response that is not a success. `message` is the server's own line, at most 500 characters. */
export class ApiError extends DogwatchError {
  override readonly name: string = 'ApiError'
  declare readonly status: number
  /** The headers of the response. */
  declare readonly headers: Headers
  /** Seconds to wait before the next attempt. Absent if the response does not say. */
  declare readonly retryAfter: number | undefined
  /** Identifies this request in the server's log. Quote it when you ask for help. */
  declare readonly requestId: string | undefined

  constructor(
    message: string,
    answer: { request: RequestSummary; status: number; headers: Headers; retryAfter: number | undefined },
  ) {
    super(message, answer.request)
    Object.assign(this, answer, { requestId: answer.headers.get('x-request-id') ?? undefined })
  }
}

/**
 * Error for an unusable response: the network failed, the body was cut short, or a success did not match the contract. The server
 * may have done the request. `cause` holds the reason.
 */
export class ConnectionError extends DogwatchError {
  override readonly name: string = 'ConnectionError'
}

/**
 * Error for an attempt without progress for `timeout` milliseconds: no connection, no headers, or no further byte of the body.
 */
export class TimeoutError extends ConnectionError {
  override readonly name: string = 'TimeoutError'
}

const MESSAGE_MAX_CHARS = 500

export const REDIRECTED = 'redirects are not followed; baseUrl must be the URL of the server'

/** Returns a readable line for a response with a status of 300 or above, whatever its body contains. */
export function errorLine(status: number, contentType: string | null, body: string): string {
  if (status < 400) return `status ${status}: ${REDIRECTED}`
  const line = /\S.*/.exec(body)?.[0].trimEnd()
  if (line === undefined) return `status ${status} with an empty body`
  if (contentType?.includes('html') || /^<(!doctype|html)\b/i.test(line)) {
    return `status ${status} with HTML, perhaps from a proxy`
  }
  // A cut in the middle of a surrogate pair would leave half a character.
  return line.slice(0, MESSAGE_MAX_CHARS).replace(/[\uD800-\uDBFF]$/, '')
}
