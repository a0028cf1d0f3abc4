// HTTP as bytes on a socket, for requests that no client library would send.
import { connect } from 'node:net'

/** A header of tests: what one process compressed, the same process would have to decompress. */
export const UNCOMPRESSED = { 'accept-encoding': 'identity' }

export interface RawAnswer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: Buffer
}

export interface Exchange {
  answers: RawAnswer[]
  /** What came that is no whole answer. */
  rest: Buffer
  /** Nothing more came for as long as we waited. */
  isStuck: boolean
}

export interface ExchangeOptions {
  /** Gives up after so long a silence. */
  patience_ms?: number
  /** The answers have no bodies, whatever length they name. */
  isHead?: boolean
}

/** Sends the bytes, piece by piece, and reads until the server closes. */
export function exchange(
  port: number,
  pieces: readonly (string | Buffer)[],
  { patience_ms = 30_000, isHead = false }: ExchangeOptions = {},
): Promise<Exchange> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const received: Buffer[] = []
    let isStuck = false
    socket.setTimeout(patience_ms, () => {
      isStuck = true
      socket.destroy()
    })
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    // A server may close on us while we still send; what it said before that is what counts.
    socket.on('error', () => {})
    socket.once('close', () => resolve({ ...readAnswers(Buffer.concat(received), isHead), isStuck }))
    for (const piece of pieces) socket.write(piece)
  })
}

/** Every whole answer in the bytes, in order. An interim one (100) is none. */
export function readAnswers(bytes: Buffer, isHead = false): { answers: RawAnswer[]; rest: Buffer } {
  const answers: RawAnswer[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return { answers, rest }
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    if (!status) return { answers, rest }
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const after = rest.subarray(end + 4)
    if (status === 100) {
      rest = after
      continue
    }
    if (isHead) {
      answers.push({ status, headers, body: Buffer.alloc(0) })
      rest = after
      continue
    }
    const read = headers['transfer-encoding'] === 'chunked' ? readChunks(after) : readLength(after, headers)
    if (!read) return { answers, rest }
    answers.push({ status, headers, body: read.body })
    rest = read.rest
  }
}

function readLength(bytes: Buffer, headers: Record<string, string>) {
  const length = Number(headers['content-length'] ?? 0)
  return bytes.length < length ? undefined : { body: bytes.subarray(0, length), rest: bytes.subarray(length) }
}

function readChunks(bytes: Buffer): { body: Buffer; rest: Buffer } | undefined {
  const parts: Buffer[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n')
    if (end < 0) return undefined
    const length = Number.parseInt(rest.subarray(0, end).toString('latin1'), 16)
    const after = end + 2 + length
    if (rest.length < after + 2) return undefined
    parts.push(rest.subarray(end + 2, after))
    rest = rest.subarray(after + 2)
    if (length === 0) return { body: Buffer.concat(parts), rest }
  }
}
