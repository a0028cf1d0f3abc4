// The HTTP server: its limits, and plain answers to what is not HTTP.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Express } from 'express'
import { newRequestId } from '../runtime/ids.ts'
import type { Random } from '../runtime/random.ts'
import { trustOf } from './client.ts'
import { Connections } from './connections.ts'
import { endConnection } from './linger.ts'
import { refusalFor } from './problem.ts'

const BOUNDS = {
  headersTimeout: 10_000,
  // A full batch over a line of 20 kB/s.
  requestTimeout: 60_000,
  // Longer than the usual load balancer keeps its side open, so that it never writes into a closing connection.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16_384,
  requireHostHeader: false,
}
/** A connection without any traffic for this long is closed: the client does not read, or is gone. */
const SILENCE_MS = 60_000
/** Beyond this number, new connections are closed at once. */
const MOST_CONNECTIONS = 10_000
/** The limit for one address. */
const MOST_OF_ADDRESS = 500
/** A refused connection is closed after this time, so that its client does not reconnect at once. */
const REFUSED_MS = 1000
/** At most this many are delayed at once; beyond that they are closed at once. */
const MOST_REFUSED = 1000
/**
 * With this share of the connections open, idle ones are closed. It is below what fills one of the queues of
 * `entrances.ts` by chance.
 */
const CROWDED_SHARE = 0.75
/** Connections that were idle for less time stay. */
const CROWDED_IDLE_MS = 1000

/** Answers a request in front of everything else, or returns false. */
export type Early = (req: IncomingMessage, res: ServerResponse) => boolean

export interface Bounds extends ServerOptions {
  silence_ms?: number
  most_connections?: number
  /** Connections of one address; those of trusted proxies do not count. */
  connections_of_address?: number
  crowded_idle_ms?: number
}

export function createHttpServer(
  app: Express,
  random: Random,
  early: readonly Early[] = [],
  {
    silence_ms = SILENCE_MS,
    most_connections = MOST_CONNECTIONS,
    connections_of_address: of_address = MOST_OF_ADDRESS,
    crowded_idle_ms: idle_ms = CROWDED_IDLE_MS,
    ...bounds
  }: Bounds = {},
): Server {
  const crowded = Math.floor(most_connections * CROWDED_SHARE)
  const connections = new Connections({ of_address, crowded, idle_ms }, trustOf(app))
  const receive = (req: IncomingMessage, res: ServerResponse) => {
    const end = connections.begin(req.socket)
    // What else came with it is still read to its end, and is nobody's any more.
    if (!end || req.socket.destroyed) {
      req.socket.destroy()
      return
    }
    res.once('close', end)
    req.url = toOriginForm(req.url ?? '')
    // Otherwise Express would answer with a 304, which no operation declares; our answers have no validators to
    // compare.
    if (req.headers['if-none-match'] === '*') delete req.headers['if-none-match']
    // Node would refuse it as well, but without a line.
    if (req.headers.host === undefined && req.httpVersion === '1.1') refuseHostless(req, res, newRequestId(random))
    else if (!early.some((answers) => answers(req, res))) app(req, res)
  }
  const server = createServer({ ...BOUNDS, ...bounds }, receive)
  server.timeout = silence_ms
  server.maxConnections = most_connections
  admitOnly(server, connections)
  // Other expectations are ignored, as RFC 9110 allows.
  server.on('checkExpectation', receive)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket, newRequestId(random)))
  return server
}

/** A refused connection never reaches the HTTP server: creating a parser for it would cost more than the connection. */
function admitOnly(server: Server, connections: Connections): void {
  const takers = server.listeners('connection') as ((socket: Socket) => void)[]
  let refused = 0
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (connections.admit(socket)) {
      for (const take of takers) take.call(server, socket)
      return
    }
    server.emit('drop', { remoteAddress: socket.remoteAddress })
    if (refused >= MOST_REFUSED) {
      socket.destroy()
      return
    }
    refused++
    const timer = setTimeout(() => socket.destroy(), REFUSED_MS)
    socket.once('close', () => {
      refused--
      clearTimeout(timer)
    })
    socket.on('error', () => {})
  })
}

/** The request target as a path: without `http://host` before it and `#...` after it. */
function toOriginForm(target: string): string {
  if (target.startsWith('/') && !target.includes('#')) return target
  const path = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/#.*$/s, '')
  return path.startsWith('/') ? path : `/${path}`
}

function refuseHostless(req: IncomingMessage, res: ServerResponse, request_id: string): void {
  const { type, text } = refusalFor(req, req.url ?? '', { status: 400, line: LINE_OF[400] ?? '' })
  const headers = { Connection: 'close', 'X-Request-Id': request_id, 'Content-Type': type }
  res.writeHead(400, headers).end(text)
}

const STATUS_OF = new Map(Object.entries({ HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }))
const LINE_OF: Readonly<Record<number, string>> = {
  400: 'the request is not valid HTTP',
  408: 'the request took too long to arrive',
  431: 'the request headers are too large',
}

/** What Node's parser rejects never reaches Express. It is answered here, unless an answer is in progress. */
function refuse(
  error: NodeJS.ErrnoException,
  socket: Duplex & { _httpMessage?: { headersSent: boolean } },
  request_id: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage) {
    socket.destroy()
    return
  }
  const status = STATUS_OF.get(error.code ?? '') ?? 400
  const line = LINE_OF[status] ?? ''
  endConnection(
    socket,
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nX-Request-Id: ${request_id}\r\n` +
      `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${line.length}\r\n\r\n${line}`,
  )
}
