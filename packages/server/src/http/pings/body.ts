// Reads the end of a ping's body as text. A body is never a reason to lose the ping.
import type { IncomingMessage } from 'node:http'

/** How many bytes of a body are kept, from its end. */
export const KEPT_BYTES = 10_000
/** At most this much is read; of a larger body, the end of this part is kept. */
const READ_BYTES = 64 * 1024
/** A body that takes longer is cut off there. */
const READ_MS = 5_000

/** Bodies of one client that may be read at once. */
const MOST_SLOW = 64
/** Even then a body gets this long to arrive. */
const LEAST_MS = 250

/** Reads bodies: many at once, but not so many of one client that its slow ones crowd out others. */
export class Bodies {
  readonly #most_slow: number
  readonly #least_ms: number
  /** By client, the oldest first: when reading began, and how to cut it off. */
  readonly #reading = new Map<string, Set<{ began: number; cut: () => void }>>()

  constructor({ most_slow = MOST_SLOW, least_ms = LEAST_MS } = {}) {
    this.#most_slow = most_slow
    this.#least_ms = least_ms
  }

  /**
   * Reads a body like `readTail`. When too many bodies of its client are being read, the oldest is cut off where it is.
   */
  async read(req: IncomingMessage, client: string): Promise<string | null> {
    if (req.complete && req.readableLength === 0) return null
    const cutting = new AbortController()
    const one = { began: performance.now(), cut: () => cutting.abort() }
    const all = this.#reading.get(client) ?? new Set()
    this.#reading.set(client, all.add(one))
    const [oldest] = all
    if (all.size > this.#most_slow && oldest && performance.now() - oldest.began >= this.#least_ms) {
      all.delete(oldest)
      oldest.cut()
    }
    try {
      return await readTail(req, cutting.signal)
    } finally {
      all.delete(one)
      if (all.size === 0 && this.#reading.get(client) === all) this.#reading.delete(client)
    }
  }
}

/**
 * Reads a body as far as it comes, even if it is cut short, slow or broken. Never refuses. `cut` ends it where it is.
 */
async function readTail(req: IncomingMessage, cut?: AbortSignal): Promise<string | null> {
  const chunks: Buffer[] = []
  let read = 0
  if (req.destroyed) return null
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, READ_MS)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    req.on('data', (chunk: Buffer) => {
      if (read < READ_BYTES) chunks.push(chunk.subarray(0, READ_BYTES - read))
      read += chunk.length
      if (read >= READ_BYTES) done()
    })
    for (const event of ['end', 'close', 'error'] as const) req.once(event, done)
    cut?.addEventListener('abort', done, { once: true })
  })
  // Discard the rest.
  req.removeAllListeners('data').resume()
  return tailText(Buffer.concat(chunks))
}

/**
 * The last 10,000 bytes as text that can be stored: invalid UTF-8 becomes U+FFFD, U+0000 is removed. Null when nothing
 * is left.
 */
export function tailText(bytes: Buffer): string | null {
  const tail = bytes.subarray(Math.max(0, bytes.length - KEPT_BYTES))
  const isCut = tail.length < bytes.length
  const text = tail
    .subarray(isCut ? rests(tail) : 0)
    .toString('utf8')
    .replaceAll('\0', '')
  return text === '' ? null : text
}

/** How many bytes at the beginning belong to a character that was cut in two. */
function rests(tail: Buffer): number {
  for (let at = 0; at < 3; at++) if (((tail[at] ?? 0) & 0xc0) !== 0x80) return at
  return 3
}
