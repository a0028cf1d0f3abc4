// Keeps the set of checks up to date with the server: small responses often, the whole set now and then.
import { ApiError, type MonitorClient, type SyncCursor } from '@dogwatch/monitor-sdk'
import { wordsOf } from '../process/fatal.ts'
import { ASKED_MAX_MS } from './backoff.ts'
import { applyAnswer, type Checks } from './check-set.ts'
import type { ServerTimeSample } from './timekeeper.ts'

export interface SyncOptions {
  client: Pick<MonitorClient, 'sync'>
  /** Returns the time of a clock that never goes back, in milliseconds. */
  mono: () => number
  /** Returns a random number from 0 up to 1. */
  random: () => number
  /** Stored checks from before a restart, which apply until the first response. */
  checks?: Checks | undefined
  /** Receives the class of this monitor, before any check of the response runs. */
  hearClass?: (told: string | undefined) => Promise<void>
  /** Receives the server time from a response. Returns whether another response should confirm the time soon. */
  hear: (answered: ServerTimeSample) => boolean
  onSynced: (synced: SyncResult) => Promise<void>
  /** Receives the maximum time that the server holds a waiting ping, in seconds. Undefined if the server holds none. */
  hearWait?: (told: number | undefined) => void
  /**
   * Runs when the server refuses this monitor: 401 means an unknown key, 403 a disabled monitor. Resolves with the milliseconds
   * until the next request.
   */
  onRefused: (status: 401 | 403) => Promise<number>
  /** Runs when the server was unreachable, or could not respond. */
  onUnheard?: () => void
  log?: (event: { event: 'sync_failed'; error: string; wait_ms: number }) => void
}

export interface SyncResult {
  checks: Checks
  is_full: boolean
  /** Number of rows in the response: changed checks and tombstones. */
  rows: number
}

export const SYNC_MS = 30_000
const FULL_MS = 10 * 60_000
/**
 * Time without a response after which the agent requests all checks, in milliseconds, because the server may no longer know the
 * deletions since then.
 */
const OFFLINE_MS = 5 * 60_000
const RETRY_FIRST_MS = 2000
/** Minimum wait before another response confirms a doubtful time, in milliseconds. The wait is at most twice as long. */
const CONFIRM_MS = 1000
const CONFIRMATIONS_MAX = 4
const TIMEOUT_MS = 15_000

export class Sync {
  readonly #options: SyncOptions
  #checks: Checks
  #cursor: SyncCursor | undefined
  #fullAt = Number.NEGATIVE_INFINITY
  #answeredAt = Number.NEGATIVE_INFINITY
  readonly #runs: unknown[] = []
  #failures = 0
  #confirmations = 0

  constructor(options: SyncOptions) {
    this.#options = options
    this.#checks = options.checks ?? new Map()
  }

  get checks(): Checks {
    return this.#checks
  }

  /** Time of the server's last response, on the monotonic clock. Minus infinity before the first. */
  get answeredAt(): number {
    return this.#answeredAt
  }

  get fullAt(): number {
    return this.#fullAt
  }

  /** Whether the server time in the last response is doubtful, so that the next response should come soon and confirm it. */
  get isTimeDoubted(): boolean {
    return this.#confirmations > 0
  }

  /** Whether the server has sent a credible time. Until then, the lead of the clock that dates results is unknown. */
  get hasTime(): boolean {
    return Number.isFinite(this.#answeredAt) && !this.isTimeDoubted
  }

  /** Returns the runs that the server requested, each once. The caller must first apply the checks of the same response. */
  takeRuns(): unknown[] {
    return this.#runs.splice(0)
  }

  /** Makes the next sync request the whole set. */
  startOver(): void {
    this.#cursor = undefined
  }

  /** Syncs once, and returns the time until the next sync, in milliseconds. */
  async step(signal: AbortSignal): Promise<number> {
    const sent = this.#options.mono()
    const isFull = this.#isFullDue(sent)
    try {
      const since = isFull ? undefined : this.#cursor
      let date: string | undefined
      const onHeaders = (headers: Headers): void => void (date = headers.get('date') ?? undefined)
      const answer = await this.#options.client.sync(since, { signal, retries: 0, timeout: TIMEOUT_MS, onHeaders })
      const received = this.#options.mono()
      const isDoubted = this.#options.hear({ sent, received, now: answer.now, date })
      this.#confirmations = isDoubted && this.#confirmations < CONFIRMATIONS_MAX ? this.#confirmations + 1 : 0
      await this.#options.hearClass?.(answer.class)
      this.#checks = applyAnswer(this.#checks, answer.checks, isFull)
      this.#cursor = answer.server_time
      this.#answeredAt = received
      this.#failures = 0
      if (isFull) this.#fullAt = received
      await this.#options.onSynced({ checks: this.#checks, is_full: isFull, rows: answer.checks.length })
      this.#options.hearWait?.(answer.wait_sec)
      if (Array.isArray(answer.runs)) this.#runs.push(...answer.runs)
      if (this.isTimeDoubted) return CONFIRM_MS * (1 + this.#options.random())
      return SYNC_MS * (0.9 + this.#options.random() * 0.2)
    } catch (error) {
      signal.throwIfAborted()
      this.#confirmations = 0
      return this.#failed(error)
    }
  }

  #isFullDue(now: number): boolean {
    if (this.#cursor === undefined) return true
    return now - this.#fullAt >= FULL_MS || now - this.#answeredAt > OFFLINE_MS
  }

  async #failed(error: unknown): Promise<number> {
    const status = error instanceof ApiError ? error.status : undefined
    if (status === 401 || status === 403) {
      this.startOver()
      return this.#options.onRefused(status)
    }
    this.#options.onUnheard?.()
    // If the server refuses the cursor, the next sync requests all checks.
    if (status === 400) this.startOver()
    const asked = error instanceof ApiError ? Math.min(ASKED_MAX_MS, (error.retryAfter ?? 0) * 1000) : 0
    const wait_ms = Math.max(asked, this.#nextWait())
    this.#options.log?.({ event: 'sync_failed', error: wordsOf(error), wait_ms: Math.round(wait_ms) })
    return wait_ms
  }
  /** Returns a wait that grows with each failure in a row, but never beyond the sync period. */
  #nextWait(): number {
    this.#failures += 1
    const bound = Math.min(SYNC_MS, RETRY_FIRST_MS * 2 ** Math.min(this.#failures - 1, 10))
    return bound * (0.5 + this.#options.random() / 2)
  }
}
