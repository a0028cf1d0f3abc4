// Simulates clients as the server sees them: sends their requests when they are due, over a few persistent connections, and
// counts the responses.
import { Agent as Connections, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { quantile } from '../proof.ts'
import { KINDS, type Manner, type Quantiles, type RequestKind, type Tally } from './orders.ts'
import { bodyOf, isTime, type Share, type Tick } from './rounds.ts'

/** Returns the quantiles of some durations, in milliseconds. */
export function quantilesOf(spans: readonly number[]): Quantiles {
  if (spans.length === 0) return { p50: 0, p99: 0, most: 0 }
  return { p50: quantile(spans, 0.5), p99: quantile(spans, 0.99), most: quantile(spans, 1) }
}

/** Outcomes of requests since the last report, by the kind of request, with the durations of successful ones. */
export type Tallies = Record<RequestKind, Omit<Tally, keyof Quantiles> & { spans: number[] }>

export function freshTallies(): Tallies {
  const none = () => ({ due: 0, statuses: {}, retry_after: 0, broken: 0, given_up: 0, dropped: 0, spans: [] })
  return Object.fromEntries(KINDS.map((kind) => [kind, none()])) as unknown as Tallies
}

export interface Errand {
  kind: RequestKind
  method: 'GET' | 'POST'
  path: string
  headers?: Readonly<Record<string, string>>
  /** Time at which the request is due, on the clock of performance.now(). */
  due: number
  /** Returns the body. Called when the request is sent. */
  body?(): string
  /** Receives the body of a response of 200. */
  done?(answer: string): void
}

/** Minimum length of a body to compress, in characters, as in the agent. */
const COMPRESS_MIN_CHARS = 4096

export class Client {
  readonly #port: number
  readonly #manner: Manner
  readonly #tallies: () => Tallies
  readonly #connections: Connections
  readonly #waiting: Errand[] = []
  #underWay = 0
  #isClosed = false

  constructor(port: number, manner: Manner, tallies: () => Tallies) {
    this.#port = port
    this.#manner = manner
    this.#tallies = tallies
    this.#connections = new Connections({ keepAlive: true })
  }

  /** Number of requests without a response so far. */
  get pending(): number {
    return this.#waiting.length + this.#underWay
  }

  send(errand: Errand): void {
    if (this.#isClosed) return
    const count = this.#tallies()[errand.kind]
    count.due++
    if (this.#waiting.length >= this.#manner.waiting) {
      count.dropped++
      return
    }
    this.#waiting.push(errand)
    this.#go()
  }

  /** Drops the requests that still wait to be sent. */
  forget(): void {
    this.#waiting.length = 0
  }

  /** Drops waiting requests, and closes the connections once no request is in progress. */
  close(): void {
    this.forget()
    this.#isClosed = true
    if (this.#underWay === 0) this.#connections.destroy()
  }

  #go(): void {
    if (this.#underWay >= this.#manner.lanes) return
    const errand = this.#waiting.shift()
    if (errand) void this.#run(errand)
  }

  async #run(errand: Errand): Promise<void> {
    this.#underWay++
    const patience = AbortSignal.timeout(this.#manner.patience_ms)
    try {
      const response = await this.#ask(errand, patience)
      const bytes = await buffer(response)
      const isPacked = response.headers['content-encoding'] === 'gzip'
      this.#note(errand, response, (isPacked ? gunzipSync(bytes) : bytes).toString())
    } catch {
      const count = this.#tallies()[errand.kind]
      if (patience.aborted) count.given_up++
      else count.broken++
    }
    this.#underWay--
    if (this.#isClosed) this.close()
    this.#go()
  }

  #ask({ method, path, headers, body }: Errand, signal: AbortSignal): Promise<IncomingMessage> {
    const plain = body?.() ?? ''
    const isLong = plain.length >= COMPRESS_MIN_CHARS
    const bytes = isLong ? gzipSync(plain) : Buffer.from(plain)
    const all = {
      ...headers,
      ...(body && { 'Content-Type': 'application/json' }),
      ...(isLong && { 'Content-Encoding': 'gzip' }),
      ...(method === 'POST' && { 'Content-Length': bytes.length }),
    }
    const options = {
      host: '127.0.0.1',
      port: this.#port,
      agent: this.#connections,
      method,
      path,
      headers: all,
      signal,
    }
    return new Promise((resolve, reject) => {
      request(options, resolve).on('error', reject).end(bytes)
    })
  }

  #note({ kind, due, done }: Errand, { statusCode = 0, headers }: IncomingMessage, answer: string): void {
    const count = this.#tallies()[kind]
    count.statuses[statusCode] = (count.statuses[statusCode] ?? 0) + 1
    if (statusCode === 200) {
      count.spans.push(performance.now() - due)
      done?.(answer)
    } else if (headers['retry-after'] !== undefined) count.retry_after++
  }
}

/** One sync in this many requests all checks. */
const FULL_EVERY = 20
const VERSION = '1.0.0'
const API = '/monitor-api/v1'

export interface Identity {
  key: string
  /** Address of the agent, because each agent is a separate machine. */
  address: string
  share: Share
}

/** One agent as the server sees it. */
export class Agent extends Client {
  readonly #share: Share
  readonly #headers: Readonly<Record<string, string>>
  /** Ticks whose results the agent has not uploaded yet. */
  #ticks: Tick[] = []
  /** Cursor of the next sync. The agent begins as if it already had all checks. */
  #cursor = new Date().toISOString()
  #syncs: number

  constructor({ key, address, share }: Identity, place: number, ...client: ConstructorParameters<typeof Client>) {
    super(...client)
    this.#share = share
    this.#syncs = place
    this.#headers = {
      Authorization: `Bearer ${key}`,
      'X-Forwarded-For': address,
      'User-Agent': `dogwatch-agent/${VERSION}`,
      Accept: 'application/json, text/plain',
      'Accept-Encoding': 'gzip, deflate',
    }
  }

  /**
   * Runs the checks of a tick, and uploads results if it is time. `sent` receives the ticks of an upload, and the next function
   * those that the server accepted.
   */
  run(
    tick: Tick,
    due: number,
    sent: (ticks: readonly Tick[]) => void,
    done: (results: number, ticks: readonly Tick[]) => void,
  ) {
    this.#ticks.push(tick)
    if (!isTime(this.#share, this.#ticks)) return
    const ticks = this.#ticks.splice(0)
    this.send({
      ...{ kind: 'upload', method: 'POST', path: `${API}/results`, headers: this.#headers, due },
      body: () => {
        sent(ticks)
        return bodyOf(this.#share, ticks)
      },
      done: (answer) => done((JSON.parse(answer) as { accepted: number }).accepted, ticks),
    })
  }

  sync(due: number): void {
    const isFull = this.#syncs++ % FULL_EVERY === 0
    this.send({
      ...{ kind: isFull ? 'full sync' : 'sync', method: 'GET', headers: this.#headers, due },
      path: isFull ? `${API}/checks` : `${API}/checks?since=${encodeURIComponent(this.#cursor)}`,
      done: (answer) => {
        this.#cursor = (JSON.parse(answer) as { server_time: string }).server_time
      },
    })
  }

  report(due: number): void {
    this.send({
      ...{ kind: 'status', method: 'POST', path: `${API}/status`, headers: this.#headers, due },
      body: () => `{"version":"${VERSION}","uptime_sec":${Math.floor(due / 1000)},"unsent_results":0}`,
    })
  }
}
