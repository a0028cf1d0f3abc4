// What the checks of a case look at: a web server on loopback that notes who looked, and a port where nobody is.
import { randomInt } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { text as textOf } from 'node:stream/consumers'

export interface Visit {
  /** Milliseconds since the Unix epoch, by this machine. */
  at: number
  path: string
  method: string
  headers: IncomingMessage['headers']
  body: string
}

export interface Page {
  status?: number
  body?: string
  /** Where it redirects to. */
  location?: string
}

export class Target {
  readonly visits: Visit[] = []
  /** What is at a path; `200 all is well` where nothing else is said. */
  readonly pages = new Map<string, Page>()
  readonly #http = createServer(async (req, res) => {
    const at = Date.now()
    const path = req.url ?? '/'
    const body = await textOf(req).catch(() => '')
    this.visits.push({ at, path, method: req.method ?? '', headers: req.headers, body })
    const page = this.pages.get(path)
    const { location } = page ?? {}
    const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close', ...(location && { location }) }
    res.writeHead(page?.status ?? 200, headers)
    res.end(page?.body ?? 'all is well')
  })
  closed_port = 0

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  async open(): Promise<void> {
    // The target is also a proxy, which responds for every host.
    this.#http.on('connect', (_, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      this.#http.emit('connection', socket)
    })
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve))
    this.closed_port = await freePort()
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#http.close(resolve))
    this.#http.closeAllConnections()
    await closed
  }

  /** Visits of a path, from a moment on. */
  of(path: string, since = 0): Visit[] {
    return this.visits.filter((visit) => visit.path === path && visit.at >= since)
  }
}

/** Below the range that systems give ports from, so that nobody else gets it while the case runs. */
const FIRST_PORT = 20_000
const PORTS = 10_000

async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + randomInt(PORTS)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createSocketServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
