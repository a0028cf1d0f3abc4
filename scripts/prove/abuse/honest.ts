// Acts as the honest tenant: jobs ping in time, each from its own address, the owner reads pages, a script reads and writes, a visitor reads
// the status page, and a watcher requests the health.
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

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

export type RequestKind = 'ping' | 'read' | 'health' | 'page' | 'status' | 'write'

export interface KindReport {
  /** Duration of each request with a response of 200. */
  answered_ms: number[]
  /** Number of other outcomes by status or error. */
  failed: Record<string, number>
}

export type HonestReport = Record<RequestKind, KindReport>

// At least 240 requests of each kind in a minute: of 60, the worst one alone would be the p99.
const READ_EVERY_MS = 250
const PAGE_EVERY_MS = 250
const HEALTH_EVERY_MS = 100
const PATIENCE_MS = 10_000

const { port, personal_token, config_token, cookie, slug, ping_tokens, ping_every_ms } = workerData as HonestPlan
let heard = nothing()

ping_tokens.forEach((token, n) => {
  every(ping_every_ms, (n * ping_every_ms) / ping_tokens.length, () =>
    ask('ping', `127.9.0.${n + 1}`, `/ping/${token}`),
  )
})
const Authorization = `Bearer ${personal_token}`
every(READ_EVERY_MS, 0, () => ask('read', '127.9.1.1', '/account-api/v1/checks', { Authorization }))
const paths = ['/', '/checks', '/heartbeats', '/channels/maintenance']
let pages = 0
every(PAGE_EVERY_MS, 100, () => ask('page', '127.9.3.1', paths[pages++ % paths.length] ?? '/', { cookie }))
every(PAGE_EVERY_MS, 200, () => ask('status', '127.9.4.1', `/status/${slug}`))
const writes = { Authorization: `Bearer ${config_token}`, 'Content-Type': 'application/json' }
let names = 0
every(PAGE_EVERY_MS, 300, () => {
  const body = JSON.stringify({ slug, title: `Honest ${names++ % 2}`, entries: [] })
  ask('write', '127.9.5.1', '/config-api/v1/status-page', writes, body)
})
every(HEALTH_EVERY_MS, 0, () => ask('health', '127.9.2.1', '/healthz'))

parentPort?.on('message', () => {
  parentPort?.postMessage(heard)
  heard = nothing()
})

/** Sends a request on a new connection. */
function ask(
  kind: RequestKind,
  localAddress: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): void {
  const begun = performance.now()
  const { answered_ms, failed } = heard[kind]
  const fail = (what: string) => (failed[what] = (failed[what] ?? 0) + 1)
  const options = { host: '127.0.0.1', port, path, headers, localAddress, agent: new Agent(), timeout: PATIENCE_MS }
  const method = body === undefined ? 'GET' : 'PUT'
  const sending = request({ ...options, method }, (answer) => {
    answer.resume()
    answer.once('end', () => {
      if (answer.statusCode === 200) answered_ms.push(performance.now() - begun)
      else fail(String(answer.statusCode))
    })
  })
  sending.once('timeout', () => sending.destroy(new Error('no answer in time')))
  sending.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message))
  sending.end(body)
}

function every(ms: number, offset_ms: number, call: () => void): void {
  setTimeout(() => {
    call()
    setInterval(call, ms)
  }, offset_ms)
}

function nothing(): HonestReport {
  const one = (): KindReport => ({ answered_ms: [], failed: {} })
  return { ping: one(), read: one(), health: one(), page: one(), status: one(), write: one() }
}
