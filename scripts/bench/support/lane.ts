// A lean HTTP client: one connection, one request at a time, written as it stands. It must cost less than what it measures.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  body: Buffer
}

const HEAD_END = '\r\n\r\n'

/** A connection that is kept alive. Takes the next request once the last is answered. */
export class Lane {
  readonly #socket: Socket
  #chunks: Buffer[] = []
  #received = 0
  /** Bytes of the answer under way; unknown until its head has come. */
  #expected: number | undefined
  #bodyStart = 0
  #status = 0
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

  /** Sends the bytes of a whole request; resolves to an answer with status 200, or fails. */
  async send(request: Buffer): Promise<Buffer> {
    const { status, body } = await new Promise<Answer>((resolve, reject) => {
      this.#done = resolve
      this.#fail = reject
      this.#socket.write(request)
    })
    if (status !== 200) throw new Error(`the server answered ${status} ${body.toString('utf8', 0, 200)}`)
    return body
  }

  close(): void {
    this.#fail = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#received += chunk.length
    if (this.#expected === undefined) this.#readHead()
    if (this.#expected === undefined || this.#received < this.#expected) return
    const body = Buffer.concat(this.#chunks).subarray(this.#bodyStart, this.#expected)
    const done = this.#done
    this.#chunks = []
    this.#received = 0
    this.#expected = undefined
    this.#fail = undefined
    done?.({ status: this.#status, body })
  }

  #readHead(): void {
    const seen = Buffer.concat(this.#chunks)
    const headEnd = seen.indexOf(HEAD_END)
    if (headEnd < 0) return
    const head = seen.toString('latin1', 0, headEnd)
    const length = /^content-length: *(\d+)/im.exec(head)?.[1]
    if (length === undefined) return void this.#fail?.(new Error('an answer without Content-Length'))
    this.#status = Number(head.slice(9, 12))
    this.#bodyStart = headEnd + HEAD_END.length
    this.#expected = this.#bodyStart + Number(length)
  }
}

interface RequestOptions {
  /** The bearer's. */
  key: string
  body?: string
  headers?: Record<string, string>
  api?: 'monitor-api' | 'account-api'
}

/** The bytes of a request, to the monitor API unless another is named. */
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

/** As many connections as there are requests in flight. */
export function openLanes(port: number, count: number): Promise<Lane[]> {
  return Promise.all(Array.from({ length: count }, () => Lane.open(port)))
}
