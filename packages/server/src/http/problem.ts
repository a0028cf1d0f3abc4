// Refusals as `application/problem+json` (RFC 9457), for clients of the configuration API that ask for it. All others get the line alone.
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { FieldFault } from '../domain/errors.ts'
import { surfaceOf } from './surface.ts'

const TEXT = 'text/plain'
const PROBLEM = 'application/problem+json'
/** A request has at most so many faults that are told one by one. */
const MOST_FAULTS = 200

/** What is wrong with a request, as far as it is known. */
export interface Refused {
  status: number
  line: string
  /** Of fields of the body. Left out, the line says whether it names one. */
  faults?: readonly FieldFault[] | undefined
  /** The body, if it was read: a line without one names a parameter. */
  body?: unknown
}

/** The `Content-Type` and the text by which a request is refused. `url`: as it was sent. */
export function refusalFor(
  req: Pick<IncomingMessage, 'headers'>,
  url: string,
  refused: Refused,
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

/** Only by its name: what takes any type gets text, as ever. */
function asksForProblem(accept = ''): boolean {
  const weight = weightOf(accept, PROBLEM)
  return weight > 0 && weight >= weightOf(accept, TEXT)
}

/** How much a type is wanted, from 0 to 1. */
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
  /** Of a field of the body, as the fragment of a URI: `#/steps/0/channels`. */
  pointer?: string
  /** The name of a parameter of the query. */
  parameter?: string
}

function errorsOf({ status, line, faults, body }: Refused): ProblemError[] {
  if (faults) {
    return faults
      .slice(0, MOST_FAULTS)
      .map(({ field, must }) => ({ pointer: pointerTo(field), detail: `${field} ${must}` }))
  }
  const field = status === 400 || status === 409 ? fieldIn(line) : undefined
  if (field === undefined) return []
  if (typeof body === 'object' && body !== null) return [{ pointer: pointerTo(field), detail: line }]
  return [{ parameter: field, detail: line }]
}

const VERBS = new Set(['must', 'is', 'needs', 'has', 'have'])
const NAME = /^[a-z_][a-z\d_.[\]]*$/

/** The field that a line begins with: `steps[0].channels must ...`. Undefined when it begins with no name. */
function fieldIn(line: string): string | undefined {
  const [field = '', verb = ''] = line.split(' ', 2)
  return NAME.test(field) && VERBS.has(verb) && !WORDS.has(field) ? field : undefined
}

/** Lines that begin so are sentences. */
const WORDS = new Set(['it', 'this', 'that', 'there', 'what', 'none'])

/** `headers["X-Key"]` is `#/headers/X-Key`, and `steps[0].channels` is `#/steps/0/channels`. */
function pointerTo(field: string): string {
  const parts = field
    .toWellFormed()
    .replaceAll('"', '')
    .split(/[.[\]]/)
    .filter((part) => part !== '')
  return `#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
}
