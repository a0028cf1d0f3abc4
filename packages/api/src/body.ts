// Reads JSON bodies with a size limit.
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import { readJson } from '@dogwatch/runtime/json-text'
import getRawBody from 'raw-body'
import { HttpError } from './errors.ts'

export interface BodyLimit {
  /** Maximum size in decoded bytes. */
  bytes: number
  /** Status for a larger body. The contract has 413 for one operation only. */
  status: 400 | 413
}

/**
 * Limits far beyond any contract. The largest legitimate body, a thousand changes with every field, has about 45,000 values, and
 * ten names for each change that users choose themselves.
 */
const BOUNDS = { levels: 1000, values: 60_000, names: 20_000 }
/** Maximum growth of incompressible data as gzip, in bytes. */
const GZIP_OVERHEAD_BYTES = 16_384
/**
 * Maximum compressed size of a body that is unpacked at once, because another thread would cost more. Most uploads of agents are
 * smaller.
 */
const AT_ONCE_BYTES = 32_768
const gunzipLater = promisify(gunzip)
const sizes = new WeakMap<IncomingMessage, number>()

/** Returns the unpacked size of a request body in bytes, or Infinity before it was read. */
export function bodySize(req: IncomingMessage): number {
  return sizes.get(req) ?? Infinity
}

/** Reads a body as JSON whatever its Content-Type, gzip or plain. Reads no more than the limit. */
export async function readJsonBody(req: IncomingMessage, limit: BodyLimit): Promise<unknown> {
  const bytes = await readBytes(req, limit)
  sizes.set(req, bytes.length)
  if (bytes.length === 0) throw new HttpError(400, 'the body must be JSON, but it is empty')
  // The validator checks the type, but we accept JSON under any.
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

/** Unpacks at most `most` bytes. Parts without content need no other limit, because the input is bounded already. */
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
