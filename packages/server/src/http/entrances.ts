// More than one queue of new connections on one port. The event loop takes one connection from each queue a turn; when the
// turns are long, one queue alone overflows, and who comes then, the balancer's health check too, waits for seconds.
import type { Server as HttpServer } from 'node:http'
import { createServer, type ListenOptions, Server } from 'node:net'

/** Listens at `count` queues, all of them the server's. Returns those beside its own, which are to be closed with it. */
export async function listenAt(
  server: HttpServer,
  { port, host, count }: { port: number; host: string; count: number },
): Promise<Server[]> {
  if (count === 1) {
    await listening(server, { port, host })
    return []
  }
  // Where queues are many, nobody is told that somebody else's are among them.
  const own = { port: await freePort(port, host), host, reusePort: true }
  await listening(server, own)
  const others = Array.from({ length: count - 1 }, () => entranceOf(server))
  const most = Math.ceil(server.maxConnections / count)
  for (const each of [server, ...others]) each.maxConnections = most
  await Promise.all(others.map((other) => listening(other, own))).catch((error: unknown) => {
    // Half of it would keep a process that cannot start from ending.
    for (const each of [server, ...others]) each.close()
    throw error
  })
  return others
}

/** As the http server's own: half of a connection may be closed, and nothing waits to be sent with more. */
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
