// Runs a lean HTTP client: one connection, and one prepared request at a time. It must use less CPU than what it measures.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  /** Body as the server sent it, including the framing of a chunked response. */
  body: Buffer
  /** Status line and headers. */
  head: string
}

/** Returns the body of a response as text, without the framing of a chunked response. */
export function textOf({ head, body }: Answer): string {
  if (!/^transfer-encoding: *chunked/im.test(head)) return body.toString()
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const start = body.indexOf('\r\n', at) + 2
    const length = Number.parseInt(body.toString('latin1', at, start), 16)
    if (!(length > 0)) return Buffer.concat(parts).toString()
    parts.push(body.subarray(start, start + length))
    at = start + length + 2
  }
}

const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')

/** A persistent connection. It sends the next request after the response to the previous one. */
export class Lane {
  readonly #socket: Socket
  #chunks: Buffer[] = []
  #received = 0
  /** Length of the response in progress. Absent until its head has arrived. */
  #expected: number | undefined
  #bodyStart = 0
  #isChunked = false
  #head = ''
  #done: ((answer: Answer) => void) | undefined
  #fail: ((error: Error) => void) | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error) => this.#fail?.(error))
    socket.on('close', () => this.#fail?.(new Error('the server closed the connection')))
  }

  static async open(port: number): Promise<Lane> {
    const socket = connect({ port, host: '127.0.0.1' })
    await once(socket, 'connect')
    return new Lane(socket)
  }

  /** Whether the connection is open. It is not once either side has closed it. */
  get isOpen(): boolean {
    return this.#socket.writable && !this.#socket.destroyed
  }

  /** Sends the bytes of a whole request. Resolves with the response, or rejects if the connection fails. */
  ask(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      // Rejects at once, because a closed socket does not emit its end again.
      if (!this.isOpen) reject(new Error('the server has closed the connection'))
      this.#done = resolve
      this.#fail = reject
      this.#socket.write(request)
    })
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#received += chunk.length
    if (this.#expected === undefined) this.#readHead()
    if (this.#expected === undefined || this.#received < this.#expected) return
    const bytes = Buffer.concat(this.#chunks)
    if (this.#isChunked && !bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) return
    const body = bytes.subarray(this.#bodyStart, this.#isChunked ? undefined : this.#expected)
    const done = this.#done
    this.#chunks = []
    this.#received = 0
    this.#expected = undefined
    this.#fail = undefined
    done?.({ status: Number(this.#head.slice(9, 12)), body, head: this.#head })
  }

  #readHead(): void {
    const seen = Buffer.concat(this.#chunks)
    const headEnd = seen.indexOf(HEAD_END)
    if (headEnd < 0) return
    const head = seen.toString('latin1', 0, headEnd)
    const length = /^content-length: *(\d+)/im.exec(head)?.[1]
    // A chunked response ends with its last chunk, because no other response follows it before the next request.
    this.#isChunked = length === undefined && /^transfer-encoding: *chunked/im.test(head)
    if (length === undefined && !this.#isChunked) return void this.#fail?.(new Error('an answer without an end'))
    this.#head = head
    this.#bodyStart = headEnd + HEAD_END.length
    this.#expected = this.#bodyStart + Number(length ?? 0)
  }
}

interface RequestOptions {
  /** Token of the Authorization header. */
  key: string
  body?: string
  headers?: Record<string, string>
  api?: 'monitor-api' | 'account-api' | 'config-api'
}

/** Returns the bytes of a request, by default to the monitor API. */
export function request(
  method: 'GET' | 'POST',
  path: string,
  { key, body, headers = {}, api = 'monitor-api' }: RequestOptions,
): Buffer {
  const bytes = Buffer.from(body ?? '')
  const all = { Host: '127.0.0.1', Authorization: `Bearer ${key}`, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  if (body !== undefined) lines.push('Content-Type: application/json\r\n', `Content-Length: ${bytes.length}\r\n`)
  return Buffer.concat([Buffer.from(`${method} /${api}/v1${path} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes])
}
