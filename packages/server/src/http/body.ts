// JSON bodies with a size limit.
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import getRawBody from 'raw-body'
import { HttpError } from './errors.ts'

export interface BodyLimit {
  /** Decoded bytes. */
  bytes: number
  /** The status for a larger body: the contract has 413 for one operation only. */
  status: 400 | 413
}

// Far deeper than any contract.
const MAX_DEPTH = 1000
/** For half a million levels JSON.parse takes 150 MB, and releases them late. For so many it takes 3 MB, in as little time as for as few. */
const PARSED_DEPTH = 10_000
/**
 * Bounds how long JSON.parse keeps the loop: objects of made-up names take a microsecond each. The largest legitimate bodies, a thousand changes
 * with every field, have about 45,000.
 */
const MOST_VALUES = 60_000
/** What does not compress is at most this much longer as gzip. */
const GZIP_OVERHEAD_BYTES = 16_384
/** What an agent uploads usually is shorter as gzip. Handing it to another thread would cost more than unpacking it. */
const AT_ONCE_BYTES = 32_768
const gunzipLater = promisify(gunzip)
const [QUOTE, BACKSLASH] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)]
// Brackets and braces differ in this bit alone, and no other byte of JSON outside of strings becomes one of them by it.
const BRACE_BIT = 0x20
const [OPENING, CLOSING] = ['{'.charCodeAt(0), '}'.charCodeAt(0)]
const COMMA = ','.charCodeAt(0)

const sizes = new WeakMap<IncomingMessage, number>()

/** How many bytes the body of a request had, unpacked; Infinity before it was read. */
export function bodySize(req: IncomingMessage): number {
  return sizes.get(req) ?? Infinity
}

/** Reads a body as JSON whatever its Content-Type, gzip or plain. Reads no more than the limit. */
export async function readJsonBody(req: IncomingMessage, limit: BodyLimit): Promise<unknown> {
  const bytes = await readBytes(req, limit)
  sizes.set(req, bytes.length)
  if (bytes.length === 0) throw new HttpError(400, 'the body must be json, and there is none')
  // Most bodies have too few brackets, and counting them costs a hundredth of reading it.
  const most = countUpTo(bytes, '[') + countUpTo(bytes, '{')
  if (most > PARSED_DEPTH && isTooDeep(bytes)) throw tooDeep()
  if (most + countUpTo(bytes, ',') > MOST_VALUES && countValues(bytes) > MOST_VALUES) {
    throw new HttpError(400, `the body must hold at most ${MOST_VALUES} values`)
  }
  // The validator looks at the type; we accept JSON under any.
  req.headers['content-type'] = 'application/json'
  const body = parse(bytes)
  // To look at what came of it costs a fifth of looking at each byte.
  if (most > MAX_DEPTH && most <= PARSED_DEPTH && isDeeperThan(body, MAX_DEPTH)) throw tooDeep()
  return body
}

const tooDeep = () => new HttpError(400, `the body must not nest deeper than ${MAX_DEPTH} levels`)

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown
  } catch {
    throw new HttpError(400, 'the body must be valid json')
  }
}

/** Whether something that was parsed has objects and lists within each other in more levels than so many. */
function isDeeperThan(body: unknown, most: number): boolean {
  let level: object[] = typeof body === 'object' && body !== null ? [body] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true
    const within: object[] = []
    for (const one of level) {
      // The names of what a list has would be texts, and there may be half a million.
      for (const value of Array.isArray(one) ? one : Object.values(one)) {
        if (typeof value === 'object' && value !== null) within.push(value as object)
      }
    }
    level = within
  }
  return false
}

/** The same before it is parsed. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) isInString = !isInString
    else if (isInString) at += byte === BACKSLASH ? 1 : 0
    else if ((byte | BRACE_BIT) === OPENING) depth++
    else if ((byte | BRACE_BIT) === CLOSING) depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/** Counts objects, lists and what they hold: openings and commas outside of strings. */
function countValues(bytes: Buffer): number {
  let count = 0
  let isInString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) isInString = !isInString
    else if (isInString) at += byte === BACKSLASH ? 1 : 0
    else if (byte === COMMA || (byte | BRACE_BIT) === OPENING) count++
  }
  return count
}

/** Counts how often a character occurs, up to MOST_VALUES + 1. */
function countUpTo(bytes: Buffer, character: string): number {
  let count = 0
  for (let at = bytes.indexOf(character); at >= 0 && count <= MOST_VALUES; at = bytes.indexOf(character, at + 1))
    count++
  return count
}

async function readBytes(req: IncomingMessage, limit: BodyLimit): Promise<Buffer> {
  const encoding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding !== 'gzip' && encoding !== 'identity')
    throw new HttpError(400, 'content-encoding must be gzip or identity')
  const isPlain = encoding === 'identity'
  const most = isPlain ? limit.bytes : limit.bytes + GZIP_OVERHEAD_BYTES
  try {
    const bytes = await getRawBody(req, { limit: most, length: req.headers['content-length'] ?? null })
    return isPlain ? bytes : await unzipped(bytes, limit.bytes)
  } catch (error) {
    throw refusal(error, limit)
  }
}

/** No more than so many bytes. Parts that hold nothing count as well: what came is bounded already. */
async function unzipped(bytes: Buffer, most: number): Promise<Buffer> {
  const options = { maxOutputLength: most }
  return bytes.length <= AT_ONCE_BYTES ? gunzipSync(bytes, options) : gunzipLater(bytes, options)
}

function refusal(error: unknown, limit: BodyLimit): Error {
  const { type, code } = error as { type?: string; code?: string }
  if (type === 'entity.too.large' || code === 'ERR_BUFFER_TOO_LARGE')
    return new HttpError(limit.status, `the body must hold at most ${limit.bytes} bytes`)
  if (type === 'request.aborted' || type === 'request.size.invalid') return new HttpError(400, 'the body was cut short')
  return new HttpError(400, 'the body must be valid gzip')
}
