// What the agents of a scenario look at: each path can be down, and says at length why.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { World } from '../support/world.ts'

export interface Targets {
  readonly port: number
  urlOf(name: string): string
  /** From now on the target is down, or up. */
  set(name: string, isUp: boolean): void
  /** When each was asked, in milliseconds since the Unix epoch. */
  visitsOf(name: string): readonly number[]
}

const WORDS = 'the shop has no stock and says so at some length; '.repeat(8)

export async function openTargets(undo: World['undo']): Promise<Targets> {
  const down = new Set<string>()
  const visits = new Map<string, number[]>()
  const server = createServer((req, res) => {
    const name = (req.url ?? '').slice(1)
    const times = visits.get(name)
    if (times) times.push(Date.now())
    else visits.set(name, [Date.now()])
    res.writeHead(down.has(name) ? 503 : 200).end(down.has(name) ? WORDS : 'all is well')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  const { port } = server.address() as AddressInfo
  return {
    port,
    urlOf: (name) => `http://127.0.0.1:${port}/${name}`,
    set: (name, isUp) => void (isUp ? down.delete(name) : down.add(name)),
    visitsOf: (name) => visits.get(name) ?? [],
  }
}
