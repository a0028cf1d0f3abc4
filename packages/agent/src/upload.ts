// Sends what the buffer holds, oldest first, and forgets nothing that the server has not taken.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { MonitorClient, Result } from '@dogwatch/monitor-sdk'
import type { Kept, ResultBuffer } from './buffer.ts'
import { wordsOf } from './fatal.ts'
import { withoutDetail } from './result.ts'
import { readable } from './set-aside.ts'

export interface UploaderOptions {
  /** Its retries are off: the pace is kept here. */
  client: Pick<MonitorClient, 'http'>
  buffer: Pick<ResultBuffer, 'oldest' | 'remove' | 'size'>
  /** Milliseconds of a clock that only goes forth. */
  mono: () => number
  /** A number from 0 up to 1. */
  random: () => number
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Takes a result that the server will never take. */
  setAside: (value: string, why: string) => Promise<void>
  /** The key is refused, or the monitor disabled: nothing can be uploaded until that is settled. */
  onRefused: (status: 401 | 403) => void
  /** True for a check whose content is private by now, whatever it was when it was run. */
  isPrivate: (guid: string) => boolean
  onAnswer?: (outcome: Outcome['kind'], results: number) => void
  log?: (event: { event: 'upload_failed'; error: string; wait_ms: number }) => void
}

const BATCH_MAX_RESULTS = 500
const BATCH_MAX_BYTES = 900 * 1024
/** Many agents may share an address, and the server's limit is on addresses: at most two requests a second. */
const REQUEST_GAP_MS = 500
/** How often what trickles in is sent. */
const TRICKLE_MS = 2000
/** The step found nothing to send; somebody should call as soon as there is something. */
export const IDLE_MS = 60_000
/** Smaller bodies fit in a few packets as they are. */
const COMPRESS_MIN_CHARS = 4096
const BACKOFF_FIRST_MS = 1000
const BACKOFF_MAX_MS = 60_000
/** A server may ask for a pause, and a slip of the pen is not to silence this monitor for a day. */
export const ASKED_MAX_MS = 10 * 60_000
/** So many set aside in a row are no longer the results' fault: the server is then not hurried. */
const SET_ASIDE_IN_A_ROW = 20
/** So often the server is to have this monitor and an upload to be refused, until it is taken to be about the upload. */
const CONTRADICTIONS = 2
/** So often a single result is refused then until it is set aside, times those that were before it. */
const REFUSALS_ALONE = 3

/** What an attempt came to. */
export type Outcome =
  | { kind: 'stored' }
  | { kind: 'too_large' }
  /** The server cannot read it; `index` is the result that it names. */
  | { kind: 'unreadable'; index: number | undefined; why: string }
  /** `isOdd`: and yet the server has this monitor, so that it may be something in between that will not have the results. */
  | { kind: 'refused'; status: 401 | 403; why: string; isOdd: boolean }
  | { kind: 'failed'; why: string; retry_after_ms: number }

type Refused = Extract<Outcome, { kind: 'refused' }>

/** How the next attempt goes. */
export type Move =
  | { kind: 'forget' }
  | { kind: 'shrink'; to: number }
  | { kind: 'set_aside'; why: string }
  | { kind: 'wait' }

/** What to do after a batch of `size` results came to `outcome`. */
export function moveAfter(outcome: Outcome, size: number): Move {
  if (outcome.kind === 'stored') return { kind: 'forget' }
  if (outcome.kind === 'failed' || (outcome.kind === 'refused' && !outcome.isOdd)) return { kind: 'wait' }
  const why = outcome.kind === 'too_large' ? 'too large for a request' : outcome.why
  if (size === 1) return { kind: 'set_aside', why }
  const half = Math.floor(size / 2)
  if (outcome.kind !== 'unreadable' || outcome.index === undefined) return { kind: 'shrink', to: half }
  // Those before the bad one are sent without it, and then it alone.
  return { kind: 'shrink', to: Math.min(size - 1, Math.max(1, outcome.index)) }
}

/**
 * Full jitter: anything up to a bound that doubles with each failure in a row, and no less than the server asked for,
 * within reason.
 */
export function backoff(failures: number, retry_after_ms: number, random: () => number): number {
  const bound = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(failures - 1, 10))
  return Math.round(Math.max(Math.min(retry_after_ms, ASKED_MAX_MS), random() * bound))
}

export class Uploader {
  readonly #options: UploaderOptions
  #size = BATCH_MAX_RESULTS
  #failures = 0
  #setAside = 0
  #isRefused = false
  #contradictions = 0
  #refusedAlone = 0
  #lastRequest = Number.NEGATIVE_INFINITY

  constructor(options: UploaderOptions) {
    this.#options = options
  }

  /** Sends one batch, and returns after how many milliseconds the next one may go. */
  async step(signal: AbortSignal): Promise<number> {
    const batch = await this.#options.buffer.oldest(this.#size, BATCH_MAX_BYTES)
    if (batch.length === 0) return IDLE_MS
    await this.#pace(signal)
    const outcome = await this.#attempt(batch, signal)
    this.#options.onAnswer?.(outcome.kind, batch.length)
    if (outcome.kind === 'refused') return this.#refused(outcome, batch)
    const move = moveAfter(outcome, batch.length)
    if (move.kind === 'wait') return this.#wait(outcome)
    this.#failures = this.#contradictions = this.#refusedAlone = 0
    if (move.kind === 'shrink') this.#size = move.to
    if (move.kind === 'set_aside') return this.#putAside(batch, move.why)
    if (move.kind === 'forget') {
      await this.#options.buffer.remove(batch)
      this.#setAside = 0
      // Whether there is more to send is seen before the batches are large again.
      const isWhole = batch.length >= this.#size
      this.#size = Math.min(BATCH_MAX_RESULTS, this.#size * 2)
      return isWhole ? 0 : TRICKLE_MS
    }
    return 0
  }

  /** The server has this monitor again: the next step does not wait as if it had not. */
  forgive(): void {
    this.#failures = this.#contradictions = this.#refusedAlone = 0
  }

  /** The server has this monitor, by what it answers elsewhere. */
  admitted(): void {
    if (this.#isRefused) this.#contradictions += 1
    this.#isRefused = false
  }

  async #pace(signal: AbortSignal): Promise<void> {
    const wait = this.#lastRequest + REQUEST_GAP_MS - this.#options.mono()
    if (wait > 0) await this.#options.sleep(wait, signal)
    this.#lastRequest = this.#options.mono()
  }

  async #attempt(batch: readonly Kept[], signal: AbortSignal): Promise<Outcome> {
    // The values as they are: what is sent again is the same to the byte.
    const text = `{"results":[${batch.map(({ value }) => this.#outgoing(value)).join(',')}]}`
    const isLong = text.length >= COMPRESS_MIN_CHARS
    const bytes = isLong ? await promisify(gzip)(text) : text
    try {
      const { error, response } = await this.#options.client.http.POST('/results', {
        body: { results: [] },
        bodySerializer: () => bytes,
        headers: isLong ? { 'content-encoding': 'gzip' } : {},
        signal,
      })
      return outcomeOf(response, error)
    } catch (error) {
      signal.throwIfAborted()
      return { kind: 'failed', why: wordsOf(error), retry_after_ms: 0 }
    }
  }

  #outgoing(value: string): string {
    const result = readable(value) as Result | undefined
    return result && this.#options.isPrivate(result.check_guid) ? JSON.stringify(withoutDetail(result)) : value
  }

  /** Whatever refuses uploads is not hurried, and only a single result that is refused for long is given up. */
  async #refused(outcome: Refused, batch: readonly Kept[]): Promise<number> {
    this.#isRefused = true
    const isOdd = this.#contradictions >= CONTRADICTIONS
    const move = moveAfter({ ...outcome, isOdd }, batch.length)
    if (move.kind === 'shrink') this.#size = move.to
    if (move.kind === 'set_aside') this.#refusedAlone += 1
    if (this.#refusedAlone >= REFUSALS_ALONE * (this.#setAside + 1)) {
      this.#refusedAlone = 0
      await this.#putAside(batch, outcome.why)
    }
    return this.#wait(outcome)
  }

  #wait(outcome: Outcome): number {
    this.#failures += 1
    const asked = outcome.kind === 'failed' ? outcome.retry_after_ms : 0
    const wait_ms = backoff(this.#failures, asked, this.#options.random)
    if (outcome.kind === 'refused') this.#options.onRefused(outcome.status)
    this.#options.log?.({ event: 'upload_failed', error: 'why' in outcome ? outcome.why : outcome.kind, wait_ms })
    return wait_ms
  }

  async #putAside(batch: readonly Kept[], why: string): Promise<number> {
    for (const { value } of batch) await this.#options.setAside(value, why)
    await this.#options.buffer.remove(batch)
    this.#setAside += 1
    this.#size = BATCH_MAX_RESULTS
    const tooMany = this.#setAside - SET_ASIDE_IN_A_ROW
    return tooMany > 0 ? backoff(tooMany, BACKOFF_FIRST_MS, this.#options.random) : 0
  }
}

function outcomeOf({ ok, status, headers }: Response, body: unknown): Outcome {
  if (ok) return { kind: 'stored' }
  const why = `status ${status}: ${String(body).slice(0, 200)}`
  if (status === 413) return { kind: 'too_large' }
  if (status === 400) return { kind: 'unreadable', index: indexIn(why), why }
  if (status === 401 || status === 403) return { kind: 'refused', status, why, isOdd: false }
  return { kind: 'failed', why, retry_after_ms: (Number(headers.get('retry-after')) || 0) * 1000 }
}

function indexIn(why: string): number | undefined {
  const found = /results\[(\d+)\]/.exec(why)?.[1]
  return found === undefined ? undefined : Number(found)
}
