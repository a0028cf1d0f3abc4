// Reads JSON bodies with a size limit.
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import { readJson } from '@dogwatch/runtime/json-text'
import getRawBody from 'raw-body'
import { HttpError } from './errors.ts'

export interface BodyLimit {
  /** Maximum size of a body in bytes, after decompression. */
  bytes: number
  /** Status of the refusal of a larger body. The contract declares 413 for one operation only. */
  status: 400 | 413
}

/**
 * Limits far above what any contract allows. The largest valid body, a thousand changes with every field, has about 45,000 values,
 * and per change ten field names that the user chose.
 */
const BOUNDS = { levels: 1000, values: 60_000, names: 20_000 }
/** Maximum number of bytes that gzip adds to data that it cannot compress. */
const GZIP_OVERHEAD_BYTES = 16_384
/**
 * Maximum compressed size of a body to decompress in this thread, because using another thread would cost more. Most uploads of
 * agents are smaller.
 */
const AT_ONCE_BYTES = 32_768
const gunzipLater = promisify(gunzip)
const sizes = new WeakMap<IncomingMessage, number>()

/** Returns the decompressed size of a request body in bytes, or Infinity before it was read. */
export function bodySize(req: IncomingMessage): number {
  return sizes.get(req) ?? Infinity
}

/** Reads a body as JSON, gzip or plain, regardless of its Content-Type. Reads no more than the limit. */
export async function readJsonBody(req: IncomingMessage, limit: BodyLimit): Promise<unknown> {
  const bytes = await readBytes(req, limit)
  sizes.set(req, bytes.length)
  if (bytes.length === 0) throw new HttpError(400, 'the body must be JSON, but it is empty')
  // The validator checks the Content-Type, but the server accepts JSON under any.
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

/**
 * Decompresses at most `most` bytes. Empty gzip members need no limit of their own, because the size of the input is limited.
 */
async function unzipped(bytes: Buffer, most: number): Promise<Buffer> {
  const options = { maxOutputLength: most }
  return bytes.length <= AT_ONCE_BYTES ? gunzipSync(bytes, options) : gunzipLater(bytes, options)
}

function refusal(error: unknown, limit: BodyLimit): Error {
  const { type, code } = error as { type?: string; code?: string }
  if (type === 'entity.too.large' || code === 'ERR_BUFFER_TOO_LARGE')
    return new HttpError(limit.status, `the body must be at most ${limit.bytes} bytes`)
  if (type === 'request.aborted' || type === 'request.size.invalid') return new HttpError(400, 'the body is incomplete')
  return new HttpError(400, 'the body must be valid gzip')
}
