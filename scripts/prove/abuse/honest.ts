// Acts as the honest tenant in a separate thread: jobs ping in time, each from its own address, the owner reads pages, a script
// reads and writes, a visitor reads the status page, and a watcher requests the health check.
import { parentPort, workerData } from 'node:worker_threads'
import { type RequestPlan, send } from '../../lab/clients/requests.ts'

export interface HonestPlan {
  port: number
  personal_token: string
  config_token: string
  /** Cookie of the owner's session. */
  cookie: string
  slug: string
  ping_tokens: readonly string[]
  ping_every_ms: number
}

export interface HonestRequest {
  kind: string
  /** Status of the response. 0 if there was none. */
  status: number
  ms: number
}

// Interval between requests of a kind, for at least 240 in a minute. With only 60, the slowest request alone would be the 99th
// percentile.
const EVERY_MS = 250
const HEALTH_EVERY_MS = 100
const PATHS = ['/', '/checks', '/heartbeats', '/channels/maintenance']

const plan = workerData as HonestPlan
let sent: HonestRequest[] = []

function every(kind: string, ms: number, offset_ms: number, next: (n: number) => Omit<RequestPlan, 'port'>): void {
  let n = 0
  const call = async (): Promise<void> => {
    const { status, ms: took_ms } = await send({ port: plan.port, ...next(n++) })
    sent.push({ kind, status, ms: took_ms })
  }
  setTimeout(() => {
    void call()
    setInterval(call, ms)
  }, offset_ms)
}

for (const [n, token] of plan.ping_tokens.entries()) {
  const offset_ms = (n * plan.ping_every_ms) / plan.ping_tokens.length
  every('ping', plan.ping_every_ms, offset_ms, () => ({ address: `127.9.0.${n + 1}`, path: `/ping/${token}` }))
}
const { cookie, slug } = plan
const Authorization = `Bearer ${plan.personal_token}`
const asWriter = { Authorization: `Bearer ${plan.config_token}`, 'Content-Type': 'application/json' }
const checks = { address: '127.9.1.1', path: '/account-api/v1/checks', headers: { Authorization } }
every('read', EVERY_MS, 0, () => checks)
every('page', EVERY_MS, 100, (n) => ({
  address: '127.9.3.1',
  path: PATHS[n % PATHS.length] ?? '',
  headers: { cookie },
}))
every('status', EVERY_MS, 200, () => ({ address: '127.9.4.1', path: `/status/${slug}` }))
every('write', EVERY_MS, 300, (n) => {
  const body = JSON.stringify({ slug, title: `Honest ${n % 2}`, entries: [] })
  return { address: '127.9.5.1', path: '/config-api/v1/status-page', method: 'PUT', headers: asWriter, body }
})
every('health', HEALTH_EVERY_MS, 0, () => ({ address: '127.9.2.1', path: '/healthz' }))

parentPort?.on('message', () => {
  parentPort?.postMessage(sent)
  sent = []
})
