// JSON bodies with a size limit.
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import getRawBody from 'raw-body'
import { readJson } from '../runtime/json-text.ts'
import { HttpError } from './errors.ts'

export interface BodyLimit {
  /** Decoded bytes. */
  bytes: number
  /** The status for a larger body: the contract has 413 for one operation only. */
  status: 400 | 413
}

/**
 * Far beyond any contract. The largest legitimate bodies, a thousand changes with every field, have about 45,000 values, and of names that people
 * choose ten for each change.
 */
const BOUNDS = { levels: 1000, values: 60_000, names: 20_000 }
/** What does not compress is at most this much longer as gzip. */
const GZIP_OVERHEAD_BYTES = 16_384
/** What an agent uploads usually is shorter as gzip. Handing it to another thread would cost more than unpacking it. */
const AT_ONCE_BYTES = 32_768
const gunzipLater = promisify(gunzip)
const sizes = new WeakMap<IncomingMessage, number>()

/** How many bytes the body of a request had, unpacked; Infinity before it was read. */
export function bodySize(req: IncomingMessage): number {
  return sizes.get(req) ?? Infinity
}

/** Reads a body as JSON whatever its Content-Type, gzip or plain. Reads no more than the limit. */
export async function readJsonBody(req: IncomingMessage, limit: BodyLimit): Promise<unknown> {
  const bytes = await readBytes(req, limit)
  sizes.set(req, bytes.length)
  if (bytes.length === 0) throw new HttpError(400, 'the body must be JSON, but it is empty')
  // The validator looks at the type; we accept JSON under any.
  req.headers['content-type'] = 'application/json'
  const read = await readJson(bytes, BOUNDS)
  if ('fault' in read) throw new HttpError(400, `the body ${read.fault}`)
  return read.value
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
    return new HttpError(limit.status, `the body must be at most ${limit.bytes} bytes`)
  if (type === 'request.aborted' || type === 'request.size.invalid') return new HttpError(400, 'the body was cut short')
  return new HttpError(400, 'the body must be valid gzip')
}
