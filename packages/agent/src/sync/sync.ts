// Keeps the set of checks in step with the server: small answers often, the whole set now and then.
import { ApiError, type MonitorClient, type SyncCursor } from '@dogwatch/monitor-sdk'
import { wordsOf } from '../process/fatal.ts'
import { ASKED_MAX_MS } from './backoff.ts'
import { applyAnswer, type Checks } from './check-set.ts'
import type { Answered } from './timekeeper.ts'

export interface SyncOptions {
  client: Pick<MonitorClient, 'sync'>
  /** Milliseconds of a clock that only goes forth. */
  mono: () => number
  /** A number from 0 up to 1. */
  random: () => number
  /** What to begin with, from before a restart. */
  checks?: Checks | undefined
  /** Takes in what the server says this monitor is, before any check of the answer is run. */
  hearClass?: (told: string | undefined) => Promise<void>
  /** Takes in the server's time. True when another answer is to confirm it soon. */
  hear: (answered: Answered) => boolean
  onSynced: (synced: Synced) => Promise<void>
  /** For how many seconds the server holds a ping that asks for it; undefined: it does not. */
  hearWait?: (told: number | undefined) => void
  /**
   * The server will not have this monitor: with 401 its key is unknown, with 403 it is disabled. Resolves with after how
   * many milliseconds to ask again.
   */
  onRefused: (status: 401 | 403) => Promise<number>
  /** The server was not heard, or could not answer. */
  onUnheard?: () => void
  log?: (event: { event: 'sync_failed'; error: string; wait_ms: number }) => void
}

export interface Synced {
  checks: Checks
  is_full: boolean
  /** How many rows the answer had. */
  rows: number
}

export const SYNC_MS = 30_000
const FULL_MS = 10 * 60_000
/** After so long without an answer the server's memory of deletions is not relied on. */
const OFFLINE_MS = 5 * 60_000
const RETRY_FIRST_MS = 2000
/** A time that is to be confirmed is asked for after so long, or up to twice that, and so often in a row. */
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

  /** When the server last answered, on the clock given; minus infinity before it did. */
  get answeredAt(): number {
    return this.#answeredAt
  }

  get fullAt(): number {
    return this.#fullAt
  }

  /** The last answer told a time that the next one, soon, is to confirm. */
  get isTimeDoubted(): boolean {
    return this.#confirmations > 0
  }

  /** Whether an answer has told a time, and the last one a credible one: until then nobody knows by which clock results are dated. */
  get hasTime(): boolean {
    return Number.isFinite(this.#answeredAt) && !this.isTimeDoubted
  }

  /** Runs that the server asked for, each once: for when the checks of its answers are run. */
  takeRuns(): unknown[] {
    return this.#runs.splice(0)
  }

  /** The next sync asks for the whole set. */
  startOver(): void {
    this.#cursor = undefined
  }

  /** Syncs once, and returns after how many milliseconds to do so again. */
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
    // A cursor that the server does not take is of no use.
    if (status === 400) this.startOver()
    const asked = error instanceof ApiError ? Math.min(ASKED_MAX_MS, (error.retryAfter ?? 0) * 1000) : 0
    const wait_ms = Math.max(asked, this.#nextWait())
    this.#options.log?.({ event: 'sync_failed', error: wordsOf(error), wait_ms: Math.round(wait_ms) })
    return wait_ms
  }
  /** Longer with each failure in a row, and never beyond the sync period. */
  #nextWait(): number {
    this.#failures += 1
    const bound = Math.min(SYNC_MS, RETRY_FIRST_MS * 2 ** Math.min(this.#failures - 1, 10))
    return bound * (0.5 + this.#options.random() / 2)
  }
}
