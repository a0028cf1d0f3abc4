// Runs a small local site for the demo to watch: healthy pages, a slow one, one that breaks now and then, a certificate that
// expires soon, and a server that greets every connection. The site also has the inbox of the demo's channel.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { mint } from '../../packages/agent/test/support/certificates.ts'
import type { Inbox } from './inbox.ts'
import { CERTIFICATE_DAYS, type DemoPorts } from './story.ts'

export interface Site {
  ports: DemoPorts
  url: string
  close(): Promise<void>
}

const DAY_MS = 86_400_000
const SLOW_MS = 700
/**
 * Period of the checkout, in minutes. The checkout is down in the last minute of each period, long enough for each monitor to
 * notice.
 */
const CYCLE_MIN = 4

const PAGES: Readonly<Record<string, () => [status: number, body: string]>> = {
  '/': () => [200, htmlOf('Dogwatch demo shop', 'All is well.')],
  '/health': () => [200, health()],
  '/slow': () => [200, htmlOf('Search', 'Slow, but here.')],
  '/catalogue': () => [200, htmlOf('Catalogue', 'Everything is in stock.')],
  '/legacy': () => [200, htmlOf('Mail', 'This is the old mail.')],
  '/checkout': () =>
    new Date().getMinutes() % CYCLE_MIN === CYCLE_MIN - 1
      ? [503, htmlOf('503 Service Unavailable', 'The checkout is closed.')]
      : [200, htmlOf('Checkout', 'Your basket is empty.')],
}

/** Returns a page whose beginning, which results keep, is the same on every page. */
function htmlOf(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/assets/shop.css">
</head>
<body><main><h1>${title}</h1><p>${text}</p></main></body>
</html>
`
}

/** Returns the response of an endpoint for health checks. Each response differs. */
function health(): string {
  const { heapUsed, rss } = process.memoryUsage()
  return JSON.stringify({
    status: 'ok',
    version: '4.12.0',
    time: new Date().toISOString(),
    uptime_sec: Math.floor(process.uptime()),
    checks: { database: 'ok', queue: 'ok', storage: 'ok' },
    memory: { heap_used: heapUsed, resident: rss },
  })
}

/** Serves the site on loopback, on these ports if they are free. */
export async function openSite(wanted: DemoPorts | undefined, inbox: Inbox): Promise<Site> {
  const sockets = new Set<Socket>()
  const { cert, key } = mint({ name: 'demo.example', not_after: new Date(Date.now() + CERTIFICATE_DAYS * DAY_MS) })
  const http = createServer((req, res) => void answer(req, res, inbox).catch(() => res.destroy()))
  const tls = createTlsServer({ cert, key }, (socket) => socket.on('error', () => {}).end())
  const tcp = createTcpServer((socket) => socket.on('error', () => {}).end('ready\r\n'))
  const servers: readonly Server[] = [http, tls, tcp]
  for (const server of servers) {
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    })
  }
  tls.on('tlsClientError', () => {})
  const ports = {
    http: await open(http, wanted?.http),
    tls: await open(tls, wanted?.tls),
    tcp: await open(tcp, wanted?.tcp),
  }
  return {
    ports,
    url: `http://127.0.0.1:${ports.http}`,
    close: async () => {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      for (const socket of sockets) socket.destroy()
      await Promise.all(closed)
    },
  }
}

async function answer(req: IncomingMessage, res: ServerResponse, inbox: Inbox): Promise<void> {
  const path = (req.url ?? '').split('?')[0] ?? ''
  if (await inbox.answer(path, req, res)) return
  if (path === '/slow') await pause(SLOW_MS)
  const [status, body] = PAGES[path]?.() ?? [404, 'no such page']
  res.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(body)
}

async function open(server: Server, port = 0): Promise<number> {
  const listen = (at: number) => once(server.listen(at, '127.0.0.1'), 'listening')
  await listen(port).catch(() => listen(0))
  return (server.address() as AddressInfo).port
}
