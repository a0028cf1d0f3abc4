// Serves the targets of checks, and records the requests for them. Each path can be made to fail.
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { mint } from '../../../packages/agent/test/support/certificates.ts'
import { listen, type Undo } from '../proof.ts'

export interface Site {
  readonly port: number
  /** URL of a target that is always up, with a valid certificate. */
  readonly secure_url: string
  /** Certificate of the authority that issued the target's certificate. */
  readonly authority: string
  urlOf(name: string): string
  set(name: string, isUp: boolean): void
  /** Returns the times of the requests for a target, in milliseconds since the Unix epoch. */
  visitsOf(name: string): readonly number[]
}

const YEARS_MS = 10 * 365 * 86_400_000
const WORDS = 'the shop has no stock and says so at some length; '.repeat(8)

export async function openSite(undo: Undo): Promise<Site> {
  const down = new Set<string>()
  const visits = new Map<string, number[]>()
  const answer: RequestListener = (req, res) => {
    const name = (req.url ?? '').slice(1)
    const times = visits.get(name)
    if (times) times.push(Date.now())
    else visits.set(name, [Date.now()])
    res.writeHead(down.has(name) ? 503 : 200).end(down.has(name) ? WORDS : 'all is well')
  }
  const ca = mint({ name: 'Authority of the proof', is_ca: true, not_after: new Date(Date.now() + YEARS_MS) })
  const { cert, key } = mint({ name: 'target', for: ['127.0.0.1'], issuer: ca })
  const port = await listen(createServer(answer), undo)
  const secure_port = await listen(createSecureServer({ cert, key }, answer), undo)
  return {
    port,
    secure_url: `https://127.0.0.1:${secure_port}/secure`,
    authority: ca.cert,
    urlOf: (name) => `http://127.0.0.1:${port}/${name}`,
    set: (name, isUp) => void (isUp ? down.delete(name) : down.add(name)),
    visitsOf: (name) => visits.get(name) ?? [],
  }
}
