// A monitor API on a real socket: it does what a server does, unless a test gives it other answers first.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { Check, EnrollRequest, MonitorStatus, Result } from '@dogwatch/monitor-sdk'
import { afterEach } from '@jest/globals'

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
  /** What the server says the monitor is; undefined: it does not know the field. */
  monitor_class: string | undefined
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
    monitor_class: undefined,
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

/** A line as the server answers it. */
export function text(status: number, line: string, headers: Record<string, string> = {}): Answer {
  return (res) => res.writeHead(status, { ...OURS, 'content-type': 'text/plain; charset=utf-8', ...headers }).end(line)
}

/** A success as the server answers it. */
export function json(value: unknown, headers: Record<string, string> = {}): Answer {
  const all = { ...OURS, 'content-type': 'application/json', ...headers }
  return (res) => res.writeHead(200, all).end(JSON.stringify(value))
}

const OURS = { 'x-request-id': 'r-0123456789abcdef' }
const PAGE = '<!doctype html>\n<title>Access denied</title>\n'

/** What proxies, firewalls and captive portals answer in the server's place. */
export const FOREIGN: Readonly<Record<string, Answer>> = {
  '400 with a page': (res) => res.writeHead(400, { 'content-type': 'text/html' }).end(PAGE),
  '400 with a page and an id': (res) => res.writeHead(400, { ...OURS, 'content-type': 'text/html' }).end(PAGE),
  '400 in plain text': (res) => res.writeHead(400, { 'content-type': 'text/plain' }).end('Bad Request'),
  '400 in several lines': (res) =>
    res.writeHead(400, { ...OURS, 'content-type': 'text/plain' }).end('Bad Request\nblocked by rule 42'),
  '401 with a page': (res) => res.writeHead(401, { 'content-type': 'text/html' }).end(PAGE),
  '403 in JSON': (res) => res.writeHead(403, { 'content-type': 'application/json' }).end('{"blocked":true}'),
  '413 with a page': (res) => res.writeHead(413, { 'content-type': 'text/html' }).end(PAGE),
  'a redirect': (res) => res.writeHead(302, { location: 'https://login.example/' }).end(),
  '200 with a page': (res) => res.writeHead(200, { 'content-type': 'text/html' }).end(PAGE),
  '200 with other JSON': (res) => json({ status: 'ok' })(res, NOTHING),
  '200 without an id': (res) =>
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"accepted":1,"checks":[],"server_time":"x"}'),
}

const NOTHING: Arrived = { route: '', query: new URLSearchParams(), token: undefined, body: '' }

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
  const reply = (value: unknown) => json(value)(res, NOTHING)
  const parsed = body === '' ? undefined : JSON.parse(body)
  const its = api.monitor_class === undefined ? {} : { class: api.monitor_class }
  if (route === 'POST /enroll') {
    api.enrolled.push(parsed)
    const api_key = `key-${api.enrolled.length}`
    api.keys.add(api_key)
    reply({ monitor_id: parsed.id ?? '0123456789ab', api_key, ...its })
  } else if (!api.keys.has(token ?? '')) text(401, 'unknown API key')(res, { route, token, body } as Arrived)
  else if (route === 'GET /checks') reply({ checks: api.checks, server_time: serverTime(), now: serverTime(), ...its })
  else if (route === 'POST /results') {
    api.uploads.push(parsed.results)
    reply({ accepted: parsed.results.length })
  } else if (route === 'POST /status') {
    api.statuses.push(parsed)
    reply({ status: 'ok' })
  } else reply({ status: 'ok' })
}
