// An agent on the SDK, as its users write one: it enrolls, syncs, uploads results in batches, and reports its status.
// Results stay in its buffer until the SDK says that they were accepted.
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, MonitorClient, type Result, type SyncCursor } from '../../../packages/monitor-sdk/dist/index.js'
import type { World } from '../../lab/world.ts'
import type { Run, Uploader } from '../alerting/uploader.ts'
import { type Book, keyOf } from './book.ts'
import { fetchFrom } from './from-address.ts'

export interface SdkAgentPlan {
  baseUrl: string
  enrollment_token: string
  name: string
  /** Where its connections come from. */
  address: string
  /** Checks of which it reports a success with each batch. */
  wellGuids: () => readonly string[]
  upload_ms: number
  sync_ms: number
  book: Book
}

export interface SdkAgent extends Uploader {
  readonly name: string
  readonly monitor_id: string
  /** Runs no more checks, and resolves when all its results were accepted. */
  finish(): Promise<void>
}

interface Kept {
  result: Result
  done: () => void
}

const STATUS_MS = 5000
const FLUSH_MS = 200

export async function startSdkAgent(plan: SdkAgentPlan, undo: World['undo']): Promise<SdkAgent> {
  const { baseUrl, enrollment_token, name, address, book } = plan
  const own = await fetchFrom(address)
  undo(own.close)
  const fetch: typeof own.fetch = async (url, init) => {
    const response = await own.fetch(url, init)
    book.see(response)
    return response
  }
  const shared = { baseUrl, fetch, log: book.hear }
  const place = { name, region: 'r', country: 'c', city: 'c' }
  const { api_key, monitor_id } = await new MonitorClient({ ...shared, token: enrollment_token }).enroll(place)
  const client = new MonitorClient({ ...shared, token: api_key })
  const agent = new RunningSdkAgent(plan, client, monitor_id)
  undo(() => agent.end())
  return agent
}

class RunningSdkAgent implements SdkAgent {
  readonly name: string
  readonly monitor_id: string
  readonly #plan: SdkAgentPlan
  readonly #client: MonitorClient
  readonly #buffer: Kept[] = []
  readonly #ending = new AbortController()
  readonly #loops: Promise<unknown>
  #cursor: SyncCursor | undefined
  #latest = 0
  #isFinishing = false
  #failures = 0

  constructor(plan: SdkAgentPlan, client: MonitorClient, monitor_id: string) {
    this.#plan = plan
    this.#client = client
    this.name = plan.name
    this.monitor_id = monitor_id
    this.#loops = Promise.all([
      this.#every(plan.upload_ms, 'upload', () => this.#report()),
      this.#every(plan.sync_ms, 'sync', () => this.#sync()),
      this.#every(STATUS_MS, 'reportStatus', () => this.#reportStatus()),
    ])
  }

  /** Calls that failed. */
  get failures(): number {
    return this.#failures
  }

  upload(runs: readonly Run[]): Promise<void> {
    return Promise.all(runs.map((run) => new Promise<void>((done) => this.#keep(run, done)))).then(() => {})
  }

  async finish(): Promise<void> {
    this.#isFinishing = true
    while (this.#buffer.length > 0 && !this.#ending.signal.aborted) await pause(FLUSH_MS)
    await this.end()
  }

  async end(): Promise<void> {
    this.#ending.abort()
    await this.#loops
  }

  async #every(ms: number, operation: string, work: () => Promise<unknown>): Promise<void> {
    const { signal } = this.#ending
    const rest = (rest_ms: number) => pause(rest_ms, undefined, { signal }).catch(() => {})
    await rest(Math.random() * ms)
    while (!signal.aborted) {
      try {
        await work()
      } catch (error) {
        if (signal.aborted) return
        this.#failures += 1
        this.#plan.book.failCall(operation, error)
        if (error instanceof ApiError) await rest((error.retryAfter ?? 0) * 1000)
      }
      await rest(ms)
    }
  }

  async #report(): Promise<void> {
    if (!this.#isFinishing) {
      // Two rounds in one millisecond would be one result.
      this.#latest = Math.max(Date.now(), this.#latest + 1)
      for (const guid of this.#plan.wellGuids()) this.#keep({ guid, at: this.#latest, success: true }, () => {})
    }
    const results = this.#buffer.map(({ result }) => result)
    await this.#client.upload(results, {
      signal: this.#ending.signal,
      onBatch: ({ submitted, accepted }) => this.#forget(submitted, accepted),
    })
  }

  #keep({ guid, at, success }: Run, done: () => void): void {
    const result = {
      check_guid: guid,
      monitor_id: this.monitor_id,
      ran_at: new Date(at).toISOString(),
      success,
      http_status: success ? 200 : 503,
      latency_ms: 42,
      ...(!success && { error: 'status 503 is not below 400' }),
    }
    const { book } = this.#plan
    const key = keyOf(result)
    if (book.made.has(key)) book.faults.push(`the proof has made ${key} twice`)
    book.made.add(key)
    this.#buffer.push({ result, done })
  }

  #forget(submitted: number, accepted: number): void {
    const { book } = this.#plan
    if (accepted !== submitted) book.faults.push(`${this.name}: ${accepted} of ${submitted} results were accepted`)
    book.acknowledgedAt.push(Date.now())
    for (const { result, done } of this.#buffer.splice(0, submitted)) {
      book.acknowledged.add(keyOf(result))
      done()
    }
  }

  async #sync(): Promise<void> {
    const { server_time } = await this.#client.sync(this.#cursor, { signal: this.#ending.signal })
    this.#cursor = server_time
    const { syncs } = this.#plan.book
    const times = syncs.get(this.name)
    if (times) times.push(Date.now())
    else syncs.set(this.name, [Date.now()])
  }

  async #reportStatus(): Promise<void> {
    const status = { version: '1.0.0', uptime_sec: Math.floor(performance.now() / 1000), unsent_results: 0 }
    await this.#client.reportStatus(status, { signal: this.#ending.signal })
  }
}
