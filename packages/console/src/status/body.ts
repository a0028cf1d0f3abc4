// Stores responses for many visitors in the form in which they are sent: compressed, and plain only if short.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

export interface Body {
  /** Plain text, or undefined if it is long. */
  plain: Buffer | undefined
  gzipped: Buffer
  etag: string
}

/** Maximum length of a plain text that is kept, in bytes. An ordinary page has a tenth of it. */
const MOST_PLAIN = 1024 * 1024

/** Compresses a text piece by piece. */
export async function bodyOf(pieces: AsyncIterable<string>): Promise<Body> {
  const hash = createHash('sha256')
  const gzipped: Buffer[] = []
  const plain: Buffer[] = []
  let length = 0
  await pipeline(
    async function* () {
      for await (const piece of pieces) {
        const bytes = Buffer.from(piece)
        hash.update(bytes)
        length += bytes.length
        if (length <= MOST_PLAIN) plain.push(bytes)
        else plain.length = 0
        yield bytes
      }
    },
    createGzip(),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) gzipped.push(chunk)
    },
  )
  return {
    plain: length > MOST_PLAIN ? undefined : Buffer.concat(plain),
    gzipped: Buffer.concat(gzipped),
    etag: `"${hash.digest('base64url').slice(0, 22)}"`,
  }
}

/** Returns the number of bytes that a body takes in memory. */
export function bytesOf({ plain, gzipped }: Body): number {
  return gzipped.length + (plain?.length ?? 0)
}

/** Reads the plain text of a body at the pace of its reader. */
export function readPlain({ plain, gzipped }: Body): AsyncIterable<Uint8Array> {
  return plain ? Readable.from([plain]) : Readable.from([gzipped]).pipe(createGunzip())
}
