// Formats refusals as `application/problem+json` (RFC 9457) for clients of the configuration API that prefer this. All
// others get one line of text.
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { FieldFault } from '@dogwatch/domain/errors'
import { surfaceOf } from './surface.ts'

const TEXT = 'text/plain'
const PROBLEM = 'application/problem+json'
/** Maximum number of fields that a refusal lists. */
const MOST_FAULTS = 200

export interface Refusal {
  status: number
  line: string
  /** Fields that caused the refusal: of the body if the request has one, otherwise parameters of the query. */
  faults?: readonly FieldFault[]
  /** Parsed body. Absent if the request has none, or if the body was not read. */
  body?: unknown
}

/** Returns the `Content-Type` and the text of a refusal. `url` must be as the client sent it. */
export function refusalFor(
  req: Pick<IncomingMessage, 'headers'>,
  url: string,
  refused: Refusal,
): { type: string; text: string } {
  if (surfaceOf(url) !== 'config-api' || !asksForProblem(req.headers.accept)) {
    return { type: `${TEXT}; charset=utf-8`, text: refused.line }
  }
  const { status, line } = refused
  const errors = errorsOf(refused)
  const problem = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: line,
    ...(errors.length > 0 && { errors }),
  }
  return { type: PROBLEM, text: JSON.stringify(problem) }
}

/** Whether the client names the type of problems in its Accept header. A client that accepts any type gets text. */
function asksForProblem(accept = ''): boolean {
  const weight = weightOf(accept, PROBLEM)
  return weight > 0 && weight >= weightOf(accept, TEXT)
}

/** Returns the weight of a type in an Accept header, from 0 to 1. */
function weightOf(accept: string, type: string): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim())
    if (name !== type) continue
    const weight = parameters.find((part) => part.startsWith('q='))?.slice('q='.length)
    return weight === undefined ? 1 : Number(weight) || 0
  }
  return 0
}

interface ProblemError {
  detail: string
  /** Position of the field in the body, as the fragment of a URI, such as `#/steps/0/channels`. */
  pointer?: string
  /** Name of a query parameter. */
  parameter?: string
}

function errorsOf({ faults = [], body }: Refusal): ProblemError[] {
  const isOfBody = typeof body === 'object' && body !== null
  return faults.slice(0, MOST_FAULTS).map(({ field, must }) => ({
    ...(isOfBody ? { pointer: pointerTo(field) } : { parameter: field }),
    detail: `${field} ${must}`,
  }))
}

/**
 * Returns the pointer to a field, such as `#/headers/X-Key` for `headers["X-Key"]`, and `#/steps/0/channels` for
 * `steps[0].channels`.
 */
function pointerTo(field: string): string {
  const parts = field
    .toWellFormed()
    .replaceAll('"', '')
    .split(/[.[\]]/)
    .filter((part) => part !== '')
  return `#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
}
