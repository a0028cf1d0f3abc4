// Opens several accept queues on one port. Each iteration of the event loop accepts one connection per queue. If
// iterations are long, a single queue overflows, and new clients, such as the balancer's health check, wait for
// seconds.
import type { Server as HttpServer } from 'node:http'
import { createServer, type ListenOptions, Server } from 'node:net'

/**
 * Opens `count` accept queues for the server. Returns the listeners in addition to the server itself. The caller must close them
 * together with the server.
 */
export async function listenAt(
  server: HttpServer,
  { port, host, count }: { port: number; host: string; count: number },
): Promise<Server[]> {
  if (count === 1) {
    await listening(server, { port, host })
    return []
  }
  // With reusePort, listening succeeds even if another process uses the port. freePort fails in that case.
  const own = { port: await freePort(port, host), host, reusePort: true }
  await listening(server, own)
  const others = Array.from({ length: count - 1 }, () => entranceOf(server))
  const most = Math.ceil(server.maxConnections / count)
  for (const each of [server, ...others]) each.maxConnections = most
  await Promise.all(others.map((other) => listening(other, own))).catch((error: unknown) => {
    // Otherwise, those listeners that did open would keep a process that cannot start from exiting.
    for (const each of [server, ...others]) each.close()
    throw error
  })
  return others
}

/** Returns a listener that behaves like the HTTP server: it allows half-closed connections, and sends small writes at once. */
function entranceOf(server: HttpServer): Server {
  const entrance = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket))
  return entrance.on('drop', (data) => server.emit('drop', data))
}

async function freePort(port: number, host: string): Promise<number> {
  const probe = new Server()
  await listening(probe, { port, host })
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' && address ? address.port : port
}

function listening(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
