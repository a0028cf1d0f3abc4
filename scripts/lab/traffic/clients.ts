// Clients as the server sees them: what each sends when it is due, over a few persistent connections, and what it is answered.
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

/** Outcomes of requests since the last window, by their kind, with the durations of those that succeeded. */
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
  /** On the clock of performance.now(). */
  due: number
  /** Returns the body at the time of sending. */
  body?(): string
  /** Receives a response of 200. */
  done?(answer: string): void
}

/** Minimum length of a compressed body, as in the agent. */
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

  /** Requests that are not answered yet. */
  get pending(): number {
    return this.#waiting.length + this.#underWay
  }

  get connections(): number {
    const { sockets, freeSockets } = this.#connections
    return [...Object.values(sockets), ...Object.values(freeSockets)].reduce(
      (sum, some) => sum + (some?.length ?? 0),
      0,
    )
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

  /** Drops what waits. */
  forget(): void {
    this.#waiting.length = 0
  }

  /** Closes its connections, when none is in use. */
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

/** One sync of this many asks for the whole set. */
const FULL_EVERY = 20
const VERSION = '1.0.0'
const API = '/monitor-api/v1'

export interface Identity {
  key: string
  /** Each agent is a machine of its own. */
  address: string
  share: Share
}

/** One agent as the server sees it. */
export class Agent extends Client {
  readonly #share: Share
  readonly #headers: Readonly<Record<string, string>>
  /** Ticks that it has not uploaded. */
  #ticks: Tick[] = []
  /** Cursor of an agent that has its whole set already. */
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

  /** Runs checks, and uploads when it is time. The functions receive the ticks that are sent, and those that the server accepted. */
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

  /** Makes a request that changes nothing, for a client that only holds a connection. */
  ping(due: number): void {
    this.send({ kind: 'ping', method: 'GET', path: `${API}/ping`, headers: this.#headers, due })
  }
}
