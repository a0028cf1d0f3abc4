// Somebody who takes webhooks: a real HTTP server that keeps what it got and answers as it is told.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** The body as JSON. */
  json: Record<string, unknown> & { type: string; data: Record<string, unknown> }
}

export interface Receiver {
  url: string
  port: number
  got: Received[]
  /** Connections that were made to it. */
  connections: number
  /** How it answers the next ones: a status, or what it does with the response. */
  answer: number | ((response: ServerResponse, received: Received) => void | Promise<void>)
  /** What came, in order: `check.down shop`. */
  told(): string[]
  close(): Promise<void>
}

export async function receiver(host = '127.0.0.1', listen_port = 0): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const json = JSON.parse(body || '{}') as Received['json']
    const received = { path: request.url ?? '', headers: request.headers, body, json }
    self.got.push(received)
    if (typeof self.answer === 'number') response.writeHead(self.answer).end()
    else await self.answer(response, received)
  })
  server.on('connection', () => self.connections++)
  await new Promise<void>((resolve) => void server.listen(listen_port, host, resolve))
  const { port } = server.address() as AddressInfo
  const self: Receiver = {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/hook`,
    port,
    got: [],
    connections: 0,
    answer: 204,
    told: () =>
      self.got.map(({ json }) => `${json.type} ${String((json.data.check as { name?: string } | undefined)?.name)}`),
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
  return self
}
