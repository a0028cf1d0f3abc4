// Serves the targets of checks, and records the requests for them. Each path can be made to fail.
import { createServer } from 'node:http'
import { listen, type Undo } from '../proof.ts'

export interface Site {
  readonly port: number
  urlOf(name: string): string
  set(name: string, isUp: boolean): void
  /** Returns the times of the requests for a target, in milliseconds since the Unix epoch. */
  visitsOf(name: string): readonly number[]
}

const WORDS = 'the shop has no stock and says so at some length; '.repeat(8)

export async function openSite(undo: Undo): Promise<Site> {
  const down = new Set<string>()
  const visits = new Map<string, number[]>()
  const server = createServer((req, res) => {
    const name = (req.url ?? '').slice(1)
    const times = visits.get(name)
    if (times) times.push(Date.now())
    else visits.set(name, [Date.now()])
    res.writeHead(down.has(name) ? 503 : 200).end(down.has(name) ? WORDS : 'all is well')
  })
  const port = await listen(server, undo)
  return {
    port,
    urlOf: (name) => `http://127.0.0.1:${port}/${name}`,
    set: (name, isUp) => void (isUp ? down.delete(name) : down.add(name)),
    visitsOf: (name) => visits.get(name) ?? [],
  }
}
