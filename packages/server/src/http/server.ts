// The HTTP server itself: its bounds, and plain answers to what is not HTTP.
import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Express } from 'express'
import { newRequestId } from '../runtime/ids.ts'
import type { Random } from '../runtime/random.ts'

const BOUNDS = {
  headersTimeout: 10_000,
  // A full batch over a line of 20 kB/s.
  requestTimeout: 60_000,
  // Longer than the usual load balancer keeps its side open, so that it never writes into a closing connection.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2000,
  maxHeaderSize: 16_384,
}

export function createHttpServer(app: Express, random: Random): Server {
  const server = createServer(BOUNDS, app)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket, newRequestId(random)))
  return server
}

const STATUS_OF: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }
const LINE_OF: Readonly<Record<number, string>> = {
  400: 'the request is not valid http',
  408: 'the request took too long to arrive',
  431: 'the request headers are too large',
}

/** What Node's parser gave up on never reaches Express; it is answered here, unless an answer is under way. */
function refuse(
  error: NodeJS.ErrnoException,
  socket: Duplex & { _httpMessage?: { headersSent: boolean } },
  request_id: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage) {
    socket.destroy()
    return
  }
  const status = STATUS_OF[error.code ?? ''] ?? 400
  const line = LINE_OF[status] ?? ''
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nX-Request-Id: ${request_id}\r\n` +
      `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${line.length}\r\n\r\n${line}`,
  )
}
