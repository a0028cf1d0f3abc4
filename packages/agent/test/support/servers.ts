// Servers on loopback that answer as a test wants, gone after it with all their connections.
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { afterEach } from '@jest/globals'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import type { Minted } from './certificates.ts'

const running: { server: Server; sockets: Set<Socket> }[] = []

afterEach(async () => {
  await Promise.all(
    running.splice(0).map(({ server, sockets }) => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(resolve))
    }),
  )
})

/** Resolves with the port. */
export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>()
  running.push({ server, sockets })
  server.on('connection', (socket) => {
    sockets.add(socket)
    // Clients that hang up are what is tested.
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  return (server.address() as AddressInfo).port
}

/** Resolves with the URL, which ends in no slash. */
export async function serveHttp(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createHttpServer(listener))}`
}

export async function serveHttps(minted: Minted, listener: RequestListener = ok, options: TlsOptions = {}) {
  const server = createHttpsServer({ key: minted.key, cert: minted.cert, ...options }, listener)
  server.on('tlsClientError', () => undefined)
  return await listen(server)
}

export async function serveTls(
  minted: Minted,
  options: TlsOptions = {},
  at: readonly [port?: number, host?: string] = [],
): Promise<number> {
  const server = createTlsServer({ key: minted.key, cert: minted.cert, ...options }, (socket) =>
    socket.on('error', () => undefined),
  )
  server.on('tlsClientError', () => undefined)
  return await listen(server, ...at)
}

/** Resolves with the port. */
export function serveTcp(onConnection: (socket: Socket) => void): Promise<number> {
  return listen(createServer(onConnection))
}

/** Answers these bytes to whatever comes first, and then ends or stays. */
export async function serveBytes(bytes: string, then: 'end' | 'reset' | 'stay' = 'end'): Promise<string> {
  const port = await serveTcp((socket) => {
    socket.once('data', () => {
      if (then === 'end') socket.end(bytes, 'latin1')
      else socket.write(bytes, 'latin1', () => then === 'reset' && setTimeout(() => socket.resetAndDestroy(), 20))
    })
  })
  return `http://127.0.0.1:${port}`
}

/** A port on which nobody listens, nor can until the test is over: a connection has it. */
export async function closedPort(): Promise<number> {
  const holder = { host: '127.0.0.1', port: await serveTcp(() => undefined) }
  for (;;) {
    const localPort = await freePort()
    const socket = connect({ ...holder, localAddress: '127.0.0.1', localPort })
    const isHeld = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.on('error', () => undefined)
    if (isHeld) return localPort
  }
}

export const ok: RequestListener = (_req, res) => res.end('all is well')
