// A small local site for the demo to watch: healthy pages, a slow one, one that breaks now and then, a certificate that is about
// to expire, and a server that greets every connection. It also has the inbox of the demo's channel.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
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
/** The checkout is down in the last of so many minutes, long enough for each monitor to notice. */
const CYCLE_MIN = 4

const PAGES: Readonly<Record<string, () => Promise<{ status: number; body: string }>>> = {
  '/': async () => ({ status: 200, body: htmlOf('Dogwatch demo shop', 'All is well.') }),
  '/health': async () => ({ status: 200, body: health() }),
  '/slow': async () => {
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    return { status: 200, body: htmlOf('Search', 'Slow, but here.') }
  },
  '/catalogue': async () => ({ status: 200, body: htmlOf('Catalogue', 'Everything is in stock.') }),
  '/legacy': async () => ({ status: 200, body: htmlOf('Mail', 'This is the old mail.') }),
  '/checkout': async () =>
    new Date().getMinutes() % CYCLE_MIN === CYCLE_MIN - 1
      ? { status: 503, body: htmlOf('503 Service Unavailable', 'The checkout is closed.') }
      : { status: 200, body: htmlOf('Checkout', 'Your basket is empty.') },
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
  const [httpPort, tlsPort, tcpPort] = await Promise.all([
    open(http, wanted?.http),
    open(tls, wanted?.tls),
    open(tcp, wanted?.tcp),
  ])
  return {
    ports: { http: httpPort, tls: tlsPort, tcp: tcpPort },
    url: `http://127.0.0.1:${httpPort}`,
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
  const page = await PAGES[path]?.()
  res.writeHead(page?.status ?? 404, { 'Content-Type': 'text/html; charset=utf-8' }).end(page?.body ?? 'no such page')
}

async function open(server: Server, port = 0): Promise<number> {
  await listen(server, port).catch(() => listen(server, 0))
  return (server.address() as AddressInfo).port
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}
