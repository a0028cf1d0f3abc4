// The only map from what went wrong to a status and a line.
import type { ErrorRequestHandler, Request, Response } from 'express'
import { DomainError, type ErrorKind } from '../domain/errors.ts'
import type { Log } from '../runtime/log.ts'

/** A refusal that only HTTP knows: an unknown path, a method, a body. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, line: string, headers: Readonly<Record<string, string>> = {}) {
    super(line)
    this.status = status
    this.headers = headers
  }
}

const STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  conflict: 409,
  too_large: 413,
  limited: 429,
} as const satisfies Record<ErrorKind, number>

const MAX_LINE = 500
// How much of a refused body is read and thrown away, so that a client still sending sees the answer.
const LINGER_BYTES = 8 * 1024 * 1024
const LINGER_MS = 5000
const LINGER_SILENCE_MS = 500
const LINGER_LOOK_MS = 100

/** Answers every refusal in one line of text; logs what nobody expected and tells the client nothing of it. */
export function errorHandler(log: Log): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const { status, line, headers } = describe(error)
    if (status >= 500) {
      log.error(
        { err: error, request_id: res.getHeader('X-Request-Id'), method: req.method, path: req.path },
        'request failed',
      )
    }
    if (res.headersSent) {
      // The status is out: a broken connection is the only honest end that is left.
      res.destroy()
      return
    }
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    res.status(status).type('text/plain')
    if (isStillSending(req)) sendAndLinger(req, res, oneLine(line))
    else res.send(oneLine(line))
  }
}

interface Description {
  status: number
  line: string
  headers: Readonly<Record<string, string>>
}

function describe(error: unknown): Description {
  if (error instanceof DomainError) {
    return { status: STATUS[error.kind], line: error.message, headers: headersOf(error) }
  }
  if (error instanceof HttpError) return { status: error.status, line: error.message, headers: error.headers }
  if (isOverload(error)) return { status: 503, line: 'overloaded, try again later', headers: { 'Retry-After': '1' } }
  return { status: 500, line: 'internal server error', headers: {} }
}

// Nothing was done in any of these: Postgres cannot be reached, takes no more, or ended the statement for its time.
const OVERLOAD = new Set(['ECONNREFUSED', '53300', '57P03', '55P03', '57014'])

function isOverload(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  return OVERLOAD.has(code ?? '') || message === 'timeout exceeded when trying to connect'
}

function headersOf(error: DomainError): Record<string, string> {
  if (error.kind === 'unauthenticated') return { 'WWW-Authenticate': 'Bearer' }
  if (error.retry_after_sec !== undefined) return { 'Retry-After': String(error.retry_after_sec) }
  return {}
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .toWellFormed()
    .slice(0, MAX_LINE)
}

function isStillSending(req: Request): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers
  return !req.complete && !req.socket.destroyed && (coding !== undefined || length !== '0')
}

/**
 * Sends the whole answer, but ends it only when the client has sent its body, has sent too much, or falls silent. Node
 * would close at once, and a client that writes into a closed connection loses the answer that it has not yet read.
 */
function sendAndLinger(req: Request, res: Response, line: string): void {
  const { socket } = req
  const begun = performance.now()
  const first = socket.bytesRead
  let last = first
  let lastAt = begun
  const look = () => {
    const now = performance.now()
    if (socket.bytesRead > last) [last, lastAt] = [socket.bytesRead, now]
    if (last - first > LINGER_BYTES || now - begun > LINGER_MS || now - lastAt > LINGER_SILENCE_MS) res.end()
  }
  const timer = setInterval(look, LINGER_LOOK_MS)
  res.once('close', () => clearInterval(timer))
  req.once('end', () => res.end())
  req.unpipe()
  req.resume()
  res.setHeader('Connection', 'close')
  res.setHeader('Content-Length', Buffer.byteLength(line))
  res.write(line)
}
