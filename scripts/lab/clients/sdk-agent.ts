// Runs an agent on the SDK: it enrolls, syncs, uploads results in batches and reports its status. A result stays in its buffer until the
// server has accepted it.
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, MonitorClient, type Result, type SyncCursor } from '../../../packages/monitor-sdk/dist/index.js'
import type { Undo } from '../proof.ts'
import { keyOf } from '../world.ts'
import type { Book } from './book.ts'
import { fetchFrom } from './from-address.ts'

export interface SdkAgentPlan {
  baseUrl: string
  enrollment_token: string
  name: string
  /** Local address of the agent's connections. */
  address: string
  /** Guids of checks that succeed in each batch. */
  wellGuids: readonly string[]
  upload_ms: number
  book: Book
}

export interface Run {
  guid: string
  /** Time in milliseconds since the Unix epoch. */
  at: number
  success: boolean
}

/** Location of agents in proofs that do not depend on it. */
export const PLACE = { region: 'r', country: 'c', city: 'c' }
const SYNC_MS = 2000
const STATUS_MS = 5000
const FLUSH_MS = 200

export async function startSdkAgent(plan: SdkAgentPlan, undo: Undo): Promise<SdkAgent> {
  const { baseUrl, enrollment_token, name, address, book } = plan
  const own = await fetchFrom(address)
  undo(own.close)
  const fetch: typeof own.fetch = async (url, init) => {
    const response = await own.fetch(url, init)
    book.see(response)
    return response
  }
  const shared = { baseUrl, fetch, log: book.log }
  const { api_key, monitor_id } = await new MonitorClient({ ...shared, token: enrollment_token }).enroll({
    ...PLACE,
    name,
  })
  const agent = new SdkAgent(plan, new MonitorClient({ ...shared, token: api_key }), monitor_id)
  undo(() => agent.end())
  return agent
}

export class SdkAgent {
  readonly monitor_id: string
  readonly #plan: SdkAgentPlan
  readonly #client: MonitorClient
  readonly #buffer: { result: Result; done: () => void }[] = []
  readonly #ending = new AbortController()
  readonly #loops: Promise<unknown>
  #cursor: SyncCursor | undefined
  #latest = 0
  #isFinishing = false

  constructor(plan: SdkAgentPlan, client: MonitorClient, monitor_id: string) {
    this.#plan = plan
    this.#client = client
    this.monitor_id = monitor_id
    this.#loops = Promise.all([
      this.#every(plan.upload_ms, 'upload', () => this.#report()),
      this.#every(SYNC_MS, 'sync', () => this.#sync()),
      this.#every(STATUS_MS, 'reportStatus', () => this.#reportStatus()),
    ])
  }

  /** Uploads runs. Resolves once the server has accepted them. */
  async upload(runs: readonly Run[]): Promise<void> {
    await Promise.all(runs.map((run) => new Promise<void>((done) => this.#keep(run, done))))
  }

  /** Uploads the remaining results, and ends the agent. */
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
        this.#plan.book.failCall(operation, error)
        if (error instanceof ApiError) await rest((error.retryAfter ?? 0) * 1000)
      }
      await rest(ms)
    }
  }

  async #report(): Promise<void> {
    if (!this.#isFinishing) {
      // Makes the times of rounds differ, because the server would take two rounds in one millisecond for the same results.
      this.#latest = Math.max(Date.now(), this.#latest + 1)
      for (const guid of this.#plan.wellGuids) this.#keep({ guid, at: this.#latest, success: true }, () => {})
    }
    const results = this.#buffer.map(({ result }) => result)
    await this.#client.upload(results, {
      signal: this.#ending.signal,
      onBatch: ({ submitted, accepted }) => this.#forget(submitted, accepted),
    })
  }

  #keep(run: Run, done: () => void): void {
    const result = resultOf(run, this.monitor_id)
    const { book } = this.#plan
    const key = keyOf(result)
    if (book.made.has(key)) book.faults.push(`the proof has made ${key} twice`)
    book.made.add(key)
    this.#buffer.push({ result, done })
  }

  #forget(submitted: number, accepted: number): void {
    const { book, name } = this.#plan
    if (accepted !== submitted) book.faults.push(`${name}: ${accepted} of ${submitted} results were accepted`)
    book.acknowledgedAt.push(Date.now())
    for (const { result, done } of this.#buffer.splice(0, submitted)) {
      book.acknowledged.add(keyOf(result))
      done()
    }
  }

  async #sync(): Promise<void> {
    const { server_time } = await this.#client.sync(this.#cursor, { signal: this.#ending.signal })
    this.#cursor = server_time
  }

  async #reportStatus(): Promise<void> {
    const status = { version: '1.0.0', uptime_sec: Math.floor(performance.now() / 1000), unsent_results: 0 }
    await this.#client.reportStatus(status, { signal: this.#ending.signal })
  }
}

export function resultOf({ guid, at, success }: Run, monitor_id: string): Result {
  const outcome = success ? { http_status: 200 } : { http_status: 503, error: 'status 503 is not below 400' }
  return { check_guid: guid, monitor_id, ran_at: new Date(at).toISOString(), success, latency_ms: 42, ...outcome }
}
