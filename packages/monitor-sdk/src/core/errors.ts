// What a call can fail with: an answer that is not a success, or no usable answer at all.

/** Which request failed. The path is the contract's, without prefix and query. */
export interface RequestSummary {
  readonly method: string
  readonly path: string
}

/**
 * What {@link ApiError} and {@link ConnectionError} have in common. No token stands in any of its fields. Each SDK adds what it
 * tells about a call that had done a part of its work.
 */
export abstract class DogwatchError extends Error {
  /** The request that failed. */
  readonly request: RequestSummary

  constructor(message: string, request: RequestSummary, options?: ErrorOptions) {
    super(message, options)
    this.request = request
  }
}

/** The server answered, and the answer is not a success. `message` is the server's own line, at most 500 characters. */
export class ApiError extends DogwatchError {
  override readonly name: string = 'ApiError'
  declare readonly status: number
  /** The headers of the answer. */
  declare readonly headers: Headers
  /** Seconds to wait before the next attempt, when the answer says so. */
  declare readonly retryAfter: number | undefined
  /** Names this request in the server's log. Quote it when you ask for help. */
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
 * No usable answer came: the network failed, the body was cut short, or a success was not the JSON that the contract
 * promises. Whether the server did what was asked is unknown. `cause` holds the reason.
 */
export class ConnectionError extends DogwatchError {
  override readonly name: string = 'ConnectionError'
}

/** Nothing moved for as long as `timeout` allows: no connection, no headers, or no further byte of the body. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = 'TimeoutError'
}

const MESSAGE_MAX_CHARS = 500

export const REDIRECTED = 'redirects are not followed; baseUrl must be the URL of the server'

/** The line a person reads for an answer of 300 or above, whatever its body holds. */
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
