// Reads the last part of a ping's body as text. No body is a reason to refuse the ping.
import type { IncomingMessage } from 'node:http'

/** Number of bytes to store, from the end of a body. */
export const KEPT_BYTES = 10_000
/** Maximum number of bytes to read. Of a larger body, the end of this first part is stored. */
const READ_BYTES = 64 * 1024
/** Time in milliseconds after which reading a body stops. */
const READ_MS = 5_000

/** Maximum number of bodies of one client to read at once. */
const MOST_SLOW = 64
/** Minimum time in milliseconds that a body has to arrive, even if too many bodies of its client are being read. */
const LEAST_MS = 250

/** Reads many bodies at once, but limits those of one client, so that a client with slow bodies does not crowd out others. */
export class Bodies {
  readonly #most_slow: number
  readonly #least_ms: number
  /** Bodies that are being read, by client, the oldest first. `began`: start of reading. `cut`: function that ends reading. */
  readonly #reading = new Map<string, Set<{ began: number; cut: () => void }>>()

  constructor({ most_slow = MOST_SLOW, least_ms = LEAST_MS } = {}) {
    this.#most_slow = most_slow
    this.#least_ms = least_ms
  }

  /**
   * Reads a body like `readTail`. If too many bodies of the client are being read, ends reading the oldest one, which keeps what
   * has arrived.
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
 * Reads what arrives of a body, even if it is incomplete, slow or broken. Never refuses. `cut` ends reading, which keeps what has
 * arrived.
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
  // Discards the rest of the body.
  req.removeAllListeners('data').resume()
  return tailText(Buffer.concat(chunks))
}

/**
 * Returns the last 10,000 bytes as text that the database can store: invalid UTF-8 becomes U+FFFD, and U+0000 disappears. Returns
 * null if no text is left.
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

/** Returns the number of bytes at the beginning that belong to a character whose start was cut off. */
function rests(tail: Buffer): number {
  for (let at = 0; at < 3; at++) if (((tail[at] ?? 0) & 0xc0) !== 0x80) return at
  return 3
}
