// The targets of a proof's checks. They record visits, as a second opinion on what an agent says it ran.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { World } from '../../lab/world.ts'

export interface Site {
  readonly url: string
  readonly port: number
  /** When it was asked for each path, in milliseconds since the Unix epoch. */
  readonly visits: ReadonlyMap<string, readonly number[]>
}

export async function openSite(world: World, host = '127.0.0.1'): Promise<Site> {
  const visits = new Map<string, number[]>()
  const server = createServer((req, res) => {
    const path = req.url ?? ''
    const times = visits.get(path)
    if (times) times.push(Date.now())
    else visits.set(path, [Date.now()])
    res.end('all is well')
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  world.undo(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  const { port } = server.address() as AddressInfo
  return { url: `http://${host}:${port}`, port, visits }
}
