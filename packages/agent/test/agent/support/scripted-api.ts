// A monitor API on a real socket: it does what a server does, unless a test gives it other answers first.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach } from '@jest/globals'
import type { Check, EnrollRequest, MonitorStatus, Result } from '@dogwatch/monitor-sdk'

export interface Arrived {
  route: string
  query: URLSearchParams
  token: string | undefined
  body: string
}

type Answer = (res: ServerResponse, arrived: Arrived) => void

export interface ScriptedApi {
  url: string
  port: number
  arrived: Arrived[]
  /** Bodies of enrollments, uploads and status reports, as they came. */
  enrolled: EnrollRequest[]
  uploads: Result[][]
  statuses: MonitorStatus[]
  checks: Check[]
  keys: Set<string>
  /** The next requests of a route are answered so, one answer each. */
  next: (route: string, ...answers: Answer[]) => void
  /** Whatever `next` said of this route counts no more. */
  forget: (route: string) => void
  /** Resolves when `holds` is true, which is looked at after each request. */
  until: (holds: () => boolean) => Promise<void>
  close: () => Promise<void>
  reopen: () => Promise<void>
}

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

export async function scriptedApi(): Promise<ScriptedApi> {
  const scripts = new Map<string, Answer[]>()
  const waiting = new Set<() => void>()
  const server = createServer(async (req, res) => {
    const arrived = await readRequest(req)
    api.arrived.push(arrived)
    res.on('close', () => waiting.forEach((look) => look()))
    const scripted = scripts.get(arrived.route)?.shift()
    if (scripted) scripted(res, arrived)
    else answer(api, res, arrived)
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const api: ScriptedApi = {
    url: `http://127.0.0.1:${port}`,
    port,
    arrived: [],
    enrolled: [],
    uploads: [],
    statuses: [],
    checks: [],
    keys: new Set(['key-0']),
    next: (route, ...answers) => scripts.set(route, [...(scripts.get(route) ?? []), ...answers]),
    forget: (route) => void scripts.delete(route),
    until: (holds) =>
      new Promise((resolve) => {
        const look = () => {
          if (!holds()) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    reopen: () => listen(port),
  }
  closing.push(api.close)
  return api
}

export function text(status: number, line: string, headers: Record<string, string> = {}): Answer {
  return (res) => res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(line)
}

/** The connection ends without a word. */
export const hangUp: Answer = (res) => res.destroy()

/** Makes an agent that has something to upload sync at once, as it does when an upload is refused. */
export async function askAgain(api: ScriptedApi): Promise<void> {
  const syncs = () => api.arrived.filter(({ route }) => route === 'GET /checks').length
  const before = syncs()
  api.next('POST /results', text(403, 'this monitor is disabled'))
  await api.until(() => syncs() > before)
}

export function checkRow(row: Partial<Check> = {}): Check {
  const guid = row.guid ?? '8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11'
  const content = { name: 'shop', url: 'http://shop.example/', match_string: '' }
  const state = { enabled: true, deleted: false, interval_sec: 60, result_detail_max_chars: 256 }
  return { guid, ...content, ...state, monitor_count: 1, monitor_rank: 0, updated_at: serverTime(), ...row }
}

export function resultOf(n: number): Result {
  const ran_at = new Date(Date.parse('2026-11-20T10:00:00Z') + n).toISOString()
  return { check_guid: `check ${n}`, monitor_id: '', ran_at, success: true, http_status: 200, latency_ms: n }
}

export function serverTime(at = Date.now()): string {
  return new Date(at).toISOString().replace('Z', '000Z')
}

async function readRequest(req: IncomingMessage): Promise<Arrived> {
  const pieces: Buffer[] = []
  for await (const piece of req) pieces.push(piece as Buffer)
  const raw = Buffer.concat(pieces)
  const body = (req.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()
  const url = new URL(req.url ?? '/', 'http://any')
  const route = `${req.method} ${url.pathname.replace('/monitor-api/v1', '')}`
  return { route, query: url.searchParams, token: req.headers.authorization?.replace(/^Bearer /, ''), body }
}

function answer(api: ScriptedApi, res: ServerResponse, { route, token, body }: Arrived): void {
  const json = (value: unknown) => res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  const parsed = body === '' ? undefined : JSON.parse(body)
  if (route === 'POST /enroll') {
    api.enrolled.push(parsed)
    const api_key = `key-${api.enrolled.length}`
    api.keys.add(api_key)
    json({ monitor_id: parsed.id ?? '0123456789ab', api_key })
  } else if (!api.keys.has(token ?? '')) text(401, 'unknown API key')(res, { route, token, body } as Arrived)
  else if (route === 'GET /checks') json({ checks: api.checks, server_time: serverTime(), now: serverTime() })
  else if (route === 'POST /results') {
    api.uploads.push(parsed.results)
    json({ accepted: parsed.results.length })
  } else if (route === 'POST /status') {
    api.statuses.push(parsed)
    json({ status: 'ok' })
  } else json({ status: 'ok' })
}
