// A monitor API on loopback: does what a server does, notes what arrives, and misbehaves where a case asks for it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { components } from '@dogwatch/contract/monitor'
import { type Answered, BASE_PATH, faultsOfAnswer, faultsOfRequest, isRoute } from './document.ts'
import { RateLimit } from './rate-limit.ts'
import { ServerTime } from './server-time.ts'

export type Check = components['schemas']['Check']
export type ChecksResponse = components['schemas']['ChecksResponse']
export type Result = components['schemas']['Result']
export type RunRequest = components['schemas']['RunRequest']
export type RunReport = components['schemas']['RunReport']
export type MonitorStatus = components['schemas']['MonitorStatus']
export type EnrollRequest = components['schemas']['EnrollRequest']

export interface Arrived {
  /** Milliseconds since the Unix epoch, by this machine. */
  at: number
  /** Such as `GET /checks`. */
  route: string
  query: URLSearchParams
  token: string | undefined
  /** The body, decompressed. */
  text: string
  /** What was answered; undefined when the connection was ended instead. */
  answered?: Answered
}

export type Answer =
  | { status: number; line: string; retry_after?: number }
  /** Bytes for bytes, whatever the document says: what a proxy answers in the server's place, or what no server would. */
  | Raw
  /** The connection ends without a word, and nothing was done. */
  | 'drop'
  /** What was asked is done, and the answer never comes. */
  | 'lose'

export interface Raw {
  status: number
  headers: Readonly<Record<string, string>>
  raw: string
}

const PAGE = { headers: { 'content-type': 'text/html' }, raw: '<!doctype html>\n<title>Not here</title>\n' }

/** Answers that are not the server's: of a proxy, a firewall, a captive portal. */
export const FOREIGN = {
  bad: { status: 400, ...PAGE },
  unauthorized: { status: 401, ...PAGE },
  forbidden: { status: 403, ...PAGE },
  large: { status: 413, ...PAGE },
  redirect: { status: 302, headers: { location: 'https://login.example/' }, raw: '' },
  page: { status: 200, ...PAGE },
} as const satisfies Record<string, Raw>

export interface Upload {
  at: number
  results: Result[]
  isStored: boolean
}

const RESULTS_MAX = 500
const BYTES_MAX = 1024 * 1024
const ID = 'c0nf0rmance0'

export class ScriptedServer {
  readonly enrollment_token = `dogwatch_enroll_${'0'.repeat(40)}`
  readonly monitor_id = ID
  readonly arrived: Arrived[] = []
  readonly enrolled: EnrollRequest[] = []
  readonly uploads: Upload[] = []
  readonly statuses: { at: number; status: MonitorStatus }[] = []
  /** What broke the document or the server's limits, a line each. */
  readonly faults = new Set<string>()
  /** Answers given in place of the usual ones; undefined from one of them: the usual. */
  readonly script = new Map<string, (arrived: Arrived) => Answer | undefined>()
  readonly time: ServerTime
  isDisabled = false
  /** Runs that the next answer to a sync asks for. */
  asks: RunRequest[] = []
  readonly #rows = new Map<string, Check>()
  readonly #stored = new Map<string, Result>()
  readonly #limit = new RateLimit()
  readonly #http = createServer((req, res) => void this.#serve(req, res))
  #keys = 0
  #key: string | undefined
  #port = 0

  constructor(ahead_ms: number, cursor_ahead_ms = 0) {
    this.time = new ServerTime(ahead_ms, cursor_ahead_ms)
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get key(): string | undefined {
    return this.#key
  }

  /** Listens; after `close` again on the port of before. */
  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject).listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = (this.#http.address() as AddressInfo).port
  }

  /** From now on connections are refused. */
  async close(): Promise<void> {
    if (!this.#http.listening) return
    const closed = new Promise((resolve) => this.#http.close(resolve))
    this.#http.closeAllConnections()
    await closed
  }

  /** Adds a row or replaces one; the next delta has it. */
  put(row: Partial<Check> & { guid: string }): Check {
    const content = { name: row.guid, url: '', match_string: '' }
    const state = { enabled: true, deleted: false, interval_sec: 1, result_detail_max_chars: 256, monitor_count: 1 }
    const made = { ...content, ...state, monitor_rank: 0, ...row, updated_at: this.time.cursor() }
    this.#rows.set(row.guid, made)
    return made
  }

  /** Puts the row that says: stop running this. */
  bury(guid: string): void {
    const { monitor_count: _count, monitor_rank: _rank, ...row } = this.put({ guid, deleted: true, name: '' })
    this.#rows.set(guid, row)
  }

  /** Takes a row away without a trace, as if it had never been assigned. */
  forget(guid: string): void {
    this.#rows.delete(guid)
  }

  row(guid: string): Check | undefined {
    return this.#rows.get(guid)
  }

  /** From one run of a check to the next by this monitor, in milliseconds; 0 for what is no row. */
  turnOf(guid: string): number {
    const { interval_sec = 0, monitor_count = 1 } = this.#rows.get(guid) ?? {}
    return interval_sec * Math.max(1, monitor_count) * 1000
  }

  /** An operator's reset: the key is void, and the monitor waits to be reclaimed. */
  reset(): void {
    this.#key = undefined
  }

  /** The key of before counts again. */
  restoreKey(): void {
    this.#key = keyNamed(this.#keys)
  }

  of(route: string): Arrived[] {
    return this.arrived.filter((arrived) => arrived.route === route)
  }

  /** Reports of runs that were asked for, in the order in which they came. */
  get reports(): RunReport[] {
    const bodies = this.of('POST /results').map(({ text }) => (parse(text) ?? {}) as { runs?: RunReport[] })
    return bodies.flatMap(({ runs }) => runs ?? [])
  }

  /** Results that are stored, once each, in the order in which they came. */
  get results(): Result[] {
    return [...this.#stored.values()]
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const arrived = await read(req).catch(() => undefined)
    if (!arrived) return void res.destroy()
    this.arrived.push(arrived)
    if (!this.#limit.take()) this.faults.add('more requests than 10 a second and 30 at once')
    const body = parse(arrived.text)
    for (const fault of faultsOfRequest({ ...arrived, body })) this.faults.add(fault)
    const scripted = this.script.get(arrived.route)?.(arrived)
    if (scripted === 'drop') return void res.destroy()
    if (scripted !== undefined && typeof scripted !== 'string' && 'raw' in scripted) {
      const { status, headers, raw } = scripted
      if (arrived.route === 'POST /results') this.#noteUpload(arrived.at, body, 0)
      arrived.answered = { status, headers, body: raw }
      return void res.writeHead(status, headers).end(raw)
    }
    const answered = scripted === undefined || scripted === 'lose' ? this.#answer(arrived, body) : refusal(scripted)
    if (arrived.route === 'POST /results') this.#noteUpload(arrived.at, body, answered.status)
    if (scripted === 'lose') return void res.destroy()
    arrived.answered = answered
    if (isRoute(arrived.route)) {
      for (const fault of faultsOfAnswer(arrived.route, answered)) this.faults.add(`the kit's own answer: ${fault}`)
    }
    const { status, headers } = answered
    res.writeHead(status, headers).end(status === 200 ? JSON.stringify(answered.body) : String(answered.body))
  }

  #noteUpload(at: number, body: unknown, status: number): void {
    const { results } = (body ?? {}) as { results?: unknown }
    if (!Array.isArray(results)) return
    const upload = { at, results: results as Result[], isStored: status === 200 }
    this.uploads.push(upload)
    // The first one stored stays.
    if (upload.isStored)
      for (const one of upload.results) this.#stored.set(keyOf(one), this.#stored.get(keyOf(one)) ?? one)
  }

  #answer(arrived: Arrived, body: unknown): Answered {
    const { route, token } = arrived
    if (!isRoute(route)) return refusal({ status: 404, line: 'not found' })
    if (route === 'POST /enroll') return this.#enroll(token, body)
    if (token === undefined || token !== this.#key) return refusal({ status: 401, line: 'unknown API key' })
    if (this.isDisabled) return refusal({ status: 403, line: 'this monitor is disabled' })
    if (route === 'POST /results' && Buffer.byteLength(arrived.text) > BYTES_MAX) {
      return refusal({ status: 413, line: `the body must hold at most ${BYTES_MAX} bytes` })
    }
    const [fault] = faultsOfRequest({ ...arrived, body })
    if (fault !== undefined) return refusal({ status: 400, line: fault })
    if (route === 'GET /checks') return json(this.#changes(arrived.query.get('since')))
    if (route === 'POST /status') this.statuses.push({ at: arrived.at, status: body as MonitorStatus })
    return json(
      route === 'POST /results' ? { accepted: (body as { results: Result[] }).results.length } : { status: 'ok' },
    )
  }

  #enroll(token: string | undefined, body: unknown): Answered {
    if (token !== this.enrollment_token) return refusal({ status: 401, line: 'unknown enrollment token' })
    const [fault] = faultsOfRequest({ route: 'POST /enroll', query: new URLSearchParams(), body })
    if (fault !== undefined) return refusal({ status: 400, line: fault })
    const request = body as EnrollRequest
    this.enrolled.push(request)
    if (request.id && request.id !== ID) return refusal({ status: 404, line: 'no monitor with that id' })
    if (request.id && this.#key !== undefined) return refusal({ status: 409, line: 'this monitor is already enrolled' })
    this.#keys += 1
    this.#key = keyNamed(this.#keys)
    return json({ api_key: this.#key, monitor_id: ID })
  }

  #changes(since: string | null): ChecksResponse {
    const rows = [...this.#rows.values()].sort((a, b) => (a.updated_at < b.updated_at ? -1 : 1))
    const checks = rows.filter(({ updated_at }) => updated_at > (since ?? ''))
    const runs = this.asks.splice(0)
    return { checks, server_time: this.time.cursor(), now: this.time.now(), ...(runs.length > 0 && { runs }) }
  }
}

/** A result is one of its check at its time. */
export function keyOf({ check_guid, ran_at }: Result): string {
  return `${check_guid} ${ran_at}`
}

export const RESULTS_PER_UPLOAD = RESULTS_MAX

const keyNamed = (number: number): string => `dogwatch_key_${String(number).padStart(40, '0')}`

async function read(req: IncomingMessage): Promise<Arrived> {
  const at = Date.now()
  const pieces: Buffer[] = []
  for await (const piece of req) pieces.push(piece as Buffer)
  const raw = Buffer.concat(pieces)
  const text = (req.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()
  const url = new URL(req.url ?? '/', 'http://any')
  const path = url.pathname.startsWith(`${BASE_PATH}/`) ? url.pathname.slice(BASE_PATH.length) : url.pathname
  const token = /^bearer (.+)$/i.exec(req.headers.authorization ?? '')?.[1]
  return { at, route: `${req.method ?? ''} ${path}`, query: url.searchParams, token, text }
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

const OURS = { 'content-type': 'application/json', 'x-request-id': 'r-conformance' }

function json(body: unknown): Answered {
  return { status: 200, headers: OURS, body }
}

/** A success that nobody who read the results would tell. */
export function impossible(accepted: number): Raw {
  return { status: 200, headers: OURS, raw: JSON.stringify({ accepted }) }
}

function refusal({ status, line, retry_after }: Exclude<Answer, string | Raw>): Answered {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'x-request-id': 'r-conformance',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(retry_after === undefined ? {} : { 'retry-after': String(retry_after) }),
  }
  return { status, headers, body: line }
}
