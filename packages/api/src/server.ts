// Creates the HTTP server with its limits, and sends plain refusals for invalid HTTP.
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
import { newRequestId } from '@dogwatch/runtime/ids'
import type { Random } from '@dogwatch/runtime/random'
import type { Express } from 'express'
import { trustOf } from './client.ts'
import { Connections } from './connections.ts'
import { endConnection } from './linger.ts'
import { refusalFor } from './problem.ts'

const BOUNDS = {
  headersTimeout: 10_000,
  // Enough for a full batch over a line of 20 kB/s.
  requestTimeout: 60_000,
  // Longer than the usual load balancer keeps its side open, so that it never writes into a closing connection.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16_384,
  requireHostHeader: false,
}
/** Time without any traffic after which a connection is closed, because the client does not read or has disconnected. */
const SILENCE_MS = 60_000
/** Maximum number of connections. Further ones are closed at once. */
const MOST_CONNECTIONS = 10_000
/** Maximum number of connections of one address. */
const MOST_OF_ADDRESS = 500
/** Delay before a refused connection is closed, so that its client does not reconnect at once. */
const REFUSED_MS = 1000
/** Maximum number of delayed refusals. Beyond it, connections are closed at once. */
const MOST_REFUSED = 1000
/**
 * Share of open connections beyond which idle ones are closed. It is below the level that fills one of the queues of
 * `entrances.ts` by chance.
 */
const CROWDED_SHARE = 0.75
/** Minimum idle time of a connection before it can be closed. */
const CROWDED_IDLE_MS = 1000

/** Handles a request before all other work, or returns false. */
export type Early = (req: IncomingMessage, res: ServerResponse) => boolean

export interface ServerBounds extends ServerOptions {
  silence_ms?: number
  most_connections?: number
  /** Maximum number of connections of one address, except trusted proxies. */
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
  }: ServerBounds = {},
): Server {
  const crowded = Math.floor(most_connections * CROWDED_SHARE)
  const connections = new Connections({ of_address, crowded, idle_ms }, trustOf(app))
  const receive = (req: IncomingMessage, res: ServerResponse) => {
    const end = connections.begin(req.socket)
    // The rest of its input is still read to its end, but no one needs it.
    if (!end || req.socket.destroyed) {
      req.socket.destroy()
      return
    }
    res.once('close', end)
    req.url = toOriginForm(req.url ?? '')
    // Otherwise, Express would respond with a 304, which no operation declares. Our responses have no validators to compare.
    if (req.headers['if-none-match'] === '*') delete req.headers['if-none-match']
    // Node would also refuse it, but without a line.
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

/**
 * Passes only admitted connections to the HTTP server, because creating a parser for a refused one would cost more than the
 * connection.
 */
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

/** Returns the request target as a path: without `http://host` before it and `#...` after it. */
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

/**
 * Answers a request that Node's parser rejected, because Express never sees it. Closes the connection if a response is in
 * progress.
 */
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
