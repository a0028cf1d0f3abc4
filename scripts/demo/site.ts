// A small local site for the demo to watch: one page is fine, one is slow, one fails now and then.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Site {
  url: string
  close(): Promise<void>
}

const PAGES: Readonly<Record<string, () => Promise<{ status: number; body: string }>>> = {
  '/': async () => ({ status: 200, body: '<h1>Dogwatch demo shop</h1><p>All is well.</p>' }),
  '/health': async () => ({ status: 200, body: '{"status":"ok"}' }),
  '/slow': async () => {
    await new Promise((resolve) => setTimeout(resolve, 700))
    return { status: 200, body: 'slow, but here' }
  },
  // Down for a minute out of every five, so that there is something to see.
  '/checkout': async () =>
    new Date().getMinutes() % 5 === 4 ? { status: 503, body: 'checkout is closed' } : { status: 200, body: 'checkout' },
}

/** Serves the site on loopback, on that port if it is free and on another if not. */
export async function openSite(port: number): Promise<Site> {
  const server = createServer(async (req, res) => {
    const page = await PAGES[req.url ?? '']?.()
    res.writeHead(page?.status ?? 404, { 'Content-Type': 'text/html; charset=utf-8' }).end(page?.body ?? 'no such page')
  })
  await listen(server, port).catch(() => listen(server, 0))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
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
