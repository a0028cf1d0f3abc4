// Creates the HTTP server with its limits, and answers invalid HTTP with a line of text.
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
  // Long enough to receive a full batch at 20 kB/s.
  requestTimeout: 60_000,
  // Longer than load balancers usually keep idle connections open, so that a balancer never uses a connection that is
  // being closed.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16_384,
  requireHostHeader: false,
}
/**
 * Time without any traffic after which the server closes a connection, in milliseconds, because the client does not read or has
 * disconnected.
 */
const SILENCE_MS = 60_000
/** Maximum number of open connections. Further ones are closed at once. */
const MOST_CONNECTIONS = 10_000
/** Maximum number of open connections of one address. */
const MOST_OF_ADDRESS = 500
/** Delay before a refused connection is closed, in milliseconds, so that its client does not reconnect at once. */
const REFUSED_MS = 1000
/** Maximum number of refused connections that are still open. Further ones are closed at once. */
const MOST_REFUSED = 1000
/**
 * Share of the maximum number of connections beyond which idle ones are closed. It is below 1, because one of the queues of
 * `entrances.ts` can be full earlier by chance.
 */
const CROWDED_SHARE = 0.75
/** Minimum time in milliseconds that a connection must have been idle before it can be closed. */
const CROWDED_IDLE_MS = 1000

/** Handler that runs before the app. Returns true if it has handled the request. */
export type Early = (req: IncomingMessage, res: ServerResponse) => boolean

export interface ServerBounds extends ServerOptions {
  silence_ms?: number
  most_connections?: number
  /** Maximum number of open connections of one address. Does not apply to trusted proxies. */
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
    // Node still parses the rest of the input, but the request needs no response.
    if (!end || req.socket.destroyed) {
      req.socket.destroy()
      return
    }
    res.once('close', end)
    req.url = toOriginForm(req.url ?? '')
    // Express would answer with a 304, which no operation declares, and the responses have no versions to compare.
    if (req.headers['if-none-match'] === '*') delete req.headers['if-none-match']
    // Node would also refuse the request, but without a line of text.
    if (req.headers.host === undefined && req.httpVersion === '1.1') refuseHostless(req, res, newRequestId(random))
    else if (!early.some((answers) => answers(req, res))) app(req, res)
  }
  const server = createServer({ ...BOUNDS, ...bounds }, receive)
  server.timeout = silence_ms
  server.maxConnections = most_connections
  admitOnly(server, connections)
  // Ignores other expectations, as RFC 9110 allows.
  server.on('checkExpectation', receive)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket, newRequestId(random)))
  return server
}

/** Passes only admitted connections to the HTTP server, because creating a parser for a refused one would be expensive. */
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

/** Returns the target of a request as a path: without `http://host` before it and `#...` after it. */
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
 * Answers a request that Node's parser rejected, because such a request never reaches Express. Closes the connection if another
 * response is in progress.
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
