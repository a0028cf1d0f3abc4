// Reads the end of a ping's body as text. A body is never a reason to lose the ping.
import type { IncomingMessage } from 'node:http'

/** Number of bytes that are kept, from the end of a body. */
export const KEPT_BYTES = 10_000
/** Number of bytes that are read. The end of this part of a larger body is kept. */
const READ_BYTES = 64 * 1024
/** Time after which a body is cut off, in milliseconds. */
const READ_MS = 5_000

/** Maximum number of bodies of one client that are read at once. */
const MOST_SLOW = 64
/** Minimum time for a body to arrive, in milliseconds. */
const LEAST_MS = 250

/** Reads many bodies at once, but limits those of one client, so that its slow ones do not crowd out others. */
export class Bodies {
  readonly #most_slow: number
  readonly #least_ms: number
  /** Bodies that are being read by client, the oldest first: the start, and a function that cuts it off. */
  readonly #reading = new Map<string, Set<{ began: number; cut: () => void }>>()

  constructor({ most_slow = MOST_SLOW, least_ms = LEAST_MS } = {}) {
    this.#most_slow = most_slow
    this.#least_ms = least_ms
  }

  /** Reads a body like `readTail`. If too many bodies of its client are being read, cuts the oldest off at its position. */
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

/** Reads the available part of a body, even if it is cut short, slow or broken. Never refuses. `cut` ends it at its position. */
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
 * Returns the last 10,000 bytes as text that can be stored: invalid UTF-8 becomes U+FFFD, and U+0000 disappears. Returns null if
 * nothing is left.
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

/** Returns the number of bytes at the beginning that belong to a character that was cut in two. */
function rests(tail: Buffer): number {
  for (let at = 0; at < 3; at++) if (((tail[at] ?? 0) & 0xc0) !== 0x80) return at
  return 3
}
