// Maps errors to a status and a line of text. No other file does this.

import { DomainError, type ErrorKind, type FieldFault } from '@dogwatch/domain/errors'
import type { Clock } from '@dogwatch/runtime/clock'
import { isBroken, isDiskFull, isUndone } from '@dogwatch/runtime/database-faults'
import { QueueFault } from '@dogwatch/runtime/fair-queue'
import { type Log, LogThrottle } from '@dogwatch/runtime/log'
import type { ErrorRequestHandler, Request } from 'express'
import { sendLine } from './linger.ts'
import { tellLost } from './lost.ts'
import { refusalFor } from './problem.ts'

/** Refusal by the HTTP layer, such as for an unknown path, a method or a body. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Fields that caused the refusal. */
  readonly faults: readonly FieldFault[] = []

  constructor(status: number, line: string, headers: Readonly<Record<string, string>> = {}) {
    super(line)
    this.status = status
    this.headers = headers
  }
}

/** Refusal of a request with a field that does not match the contract. */
export class FieldHttpError extends HttpError {
  override readonly faults: readonly [FieldFault]

  constructor(field: string, must: string) {
    super(400, `${field} ${must}`)
    this.faults = [{ field, must }]
  }
}

export const OVERLOADED = 'overloaded; try again later'

const STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  conflict: 409,
  stale: 412,
  too_large: 413,
  limited: 429,
} as const satisfies Record<ErrorKind, number>

export function statusOf(kind: ErrorKind): number {
  return STATUS[kind]
}

const NO_ROOM = 'the server has no disk space left; try again later'
/** Retry time in seconds while the disk is full, because no one frees disk space within a second. */
const NO_ROOM_RETRY_SEC = '10'
const MAX_LINE = 500
/** Interval between log lines while the database is unavailable, in milliseconds, because each request would log one. */
const QUIET_MS = 10_000

/**
 * Sends every refusal as one line of text, or as a problem with that line if the client prefers this. Logs unexpected errors, and
 * reveals nothing about them to the client.
 */
export function errorHandler({ log, clock }: { log: Log; clock: Clock }): ErrorRequestHandler {
  const throttle = new LogThrottle(clock, QUIET_MS)
  return (error: unknown, req, res, _next) => {
    const { status, line, headers } = describe(error, req)
    if (status >= 500) tellLost(res, error)
    const facts = () => ({ err: error, request_id: res.getHeader('X-Request-Id'), method: req.method, path: req.path })
    if (isGivenUp(error)) log.debug(facts(), 'the client disconnected before its turn came')
    else if (status === 503) {
      throttle.run((count) => log.error({ ...facts(), count }, 'cannot serve requests'))
      log.debug(facts(), 'a request was not served')
    } else if (status >= 500) log.error(facts(), 'a request failed')
    if (res.headersSent) {
      // The status has already been sent, so only breaking the connection shows the failure.
      res.destroy()
      return
    }
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    const faults = error instanceof DomainError || error instanceof HttpError ? error.faults : []
    const refused = { status, line: oneLine(line), faults, body: req.body as unknown }
    const { type, text } = refusalFor(req, req.originalUrl, refused)
    res.status(status).setHeader('Content-Type', type)
    sendLine(req, res, text)
  }
}

interface Description {
  status: number
  line: string
  headers: Readonly<Record<string, string>>
}

function describe(error: unknown, req: Request): Description {
  if (error instanceof DomainError) {
    return { status: STATUS[error.kind], line: error.message, headers: headersOf(error) }
  }
  if (error instanceof HttpError) return { status: error.status, line: error.message, headers: error.headers }
  // Express could not decode the path of the request.
  if (error instanceof URIError) return { status: 404, line: 'no such path', headers: {} }
  if (isDiskFull(error)) return { status: 503, line: NO_ROOM, headers: { 'Retry-After': NO_ROOM_RETRY_SEC } }
  if (error instanceof QueueFault || isUndone(error) || (isBroken(error) && isRepeatable(req))) {
    return { status: 503, line: OVERLOADED, headers: { 'Retry-After': '1' } }
  }
  return { status: 500, line: 'internal server error', headers: {} }
}

function isGivenUp(error: unknown): boolean {
  return error instanceof QueueFault && error.reason === 'given up'
}

const REPEATABLE = /^\/(ping\/|monitor-api\/v1\/(results|status)$)/

/** Whether repeating the request does no harm, because it only reads, or is a ping, an upload or a status report. */
function isRepeatable({ method, path }: Request): boolean {
  return method === 'GET' || method === 'HEAD' || REPEATABLE.test(path)
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
