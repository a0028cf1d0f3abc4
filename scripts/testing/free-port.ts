// Finds a port for a process that must be told where to listen.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Ports below the range that systems give ports from, so that nobody else gets the port between this look and its use. Browsers
 * refuse a few below these.
 */
const FIRST_PORT = 11_000
const PORTS = 9_000
const tried = new Set<number>()

/** Returns a port of 127.0.0.1 without a listening program. Returns no port twice in a process. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + randomInt(PORTS)
    if (tried.has(port)) continue
    tried.add(port)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
