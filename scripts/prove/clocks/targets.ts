// The targets of a scenario's agents: each path can be down, and explains that at length.
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { mint } from '../../../packages/agent/test/support/certificates.ts'
import type { World } from '../../lab/world.ts'

export interface Targets {
  readonly port: number
  urlOf(name: string): string
  /** Always up, with a certificate that holds for 90 days. */
  readonly secure_url: string
  /** Of who has issued that certificate. */
  readonly authority: string
  /** From now on the target is down, or up. */
  set(name: string, isUp: boolean): void
  /** When each was asked, in milliseconds since the Unix epoch. */
  visitsOf(name: string): readonly number[]
}

const YEARS_MS = 10 * 365 * 86_400_000
const WORDS = 'the shop has no stock and says so at some length; '.repeat(8)

export async function openTargets(undo: World['undo']): Promise<Targets> {
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
  const listen = async (server: Server): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    undo(
      () =>
        new Promise((resolve) => {
          server.close(resolve)
          server.closeAllConnections()
        }),
    )
    return (server.address() as AddressInfo).port
  }
  const port = await listen(createServer(answer))
  const secure_port = await listen(createSecureServer({ cert, key }, answer))
  return {
    port,
    secure_url: `https://127.0.0.1:${secure_port}/secure`,
    authority: ca.cert,
    urlOf: (name) => `http://127.0.0.1:${port}/${name}`,
    set: (name, isUp) => void (isUp ? down.delete(name) : down.add(name)),
    visitsOf: (name) => visits.get(name) ?? [],
  }
}
