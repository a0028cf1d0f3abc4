// The attacker's side of the configuration API: a token with every scope, and requests that keep coming from a few addresses.
import { createConfigurationToken } from '../../../packages/server/dist/domain/configuration/tokens.js'
import { ask } from './ask.ts'
import type { Lab } from './lab.ts'

export interface Attack {
  method: string
  path: string
  body?: object
  headers?: Record<string, string>
}

const PREFIX = '/config-api/v1'
/** Sleeps that follow a refusal, so that the attack goes on at the rate that the server allows. */
const REFUSED_MS = 100

/** Creates a token of the attacker's organisation that may read and write everything. */
export async function openToken({ deps }: Lab, org_id: number): Promise<string> {
  const wanted = { name: 'attack', scopes: ['read' as const, 'write' as const] }
  return (await createConfigurationToken(deps, org_id, wanted)).token
}

/** Sends one request to the configuration API. */
export async function send(port: number, token: string, address: string, { method, path, body, headers }: Attack) {
  return ask({
    port,
    address,
    path: path.startsWith('/status/') ? path : PREFIX + path,
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
}

/**
 * Sends requests in a few lanes, each from an address of its own, until the time runs out. Returns how often each status was answered and how
 * long the slowest answer took.
 */
export async function attackFor(
  { port, seconds }: Pick<Lab, 'port' | 'seconds'>,
  token: string,
  { network, lanes }: { network: string; lanes: number },
  next: (n: number) => Attack,
): Promise<string> {
  const statuses: Record<string, number> = {}
  const end = performance.now() + seconds * 1000
  let [n, slowest_ms] = [0, 0]
  const lane = async (_: unknown, index: number) => {
    while (performance.now() < end) {
      const { status, ms } = await send(port, token, `${network}.${index + 1}`, next(n++))
      statuses[status] = (statuses[status] ?? 0) + 1
      slowest_ms = Math.max(slowest_ms, ms)
      if (status === 429 || status === 503) await new Promise((resolve) => setTimeout(resolve, REFUSED_MS))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  const counts = Object.entries(statuses).map(([status, count]) => `${count} with ${status}`)
  return `answered ${counts.join(', ')}, the slowest after ${slowest_ms.toFixed(0)} ms`
}
