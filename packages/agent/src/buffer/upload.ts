// Uploads the buffer, oldest results first, and deletes nothing that the server has not accepted.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Result, ResultsRequest } from '@dogwatch/monitor-sdk'
import { wordsOf } from '../process/fatal.ts'
import { withoutDetail } from '../run/sent-result.ts'
import { foreignAnswerOf } from '../sync/answers.ts'
import { BACKOFF_FIRST_MS, backoff } from '../sync/backoff.ts'
import type { Aside } from './aside.ts'
import type { StoredResult } from './buffer-store.ts'
import { Dating } from './dating.ts'
import { Gathering } from './gathering.ts'
import { partition } from './held-back.ts'
import { moveAfter, type Outcome, outcomeOf, storedOr, WITHOUT_DISK } from './outcome.ts'
import { readable } from './rejected.ts'
import type { UploaderOptions } from './upload-options.ts'

const BATCH_MAX_RESULTS = 500
const BATCH_MAX_BYTES = 900 * 1024
/** Minimum gap between requests, in milliseconds, because the server limits an address that many agents may share. */
const REQUEST_GAP_MS = 500
/** Wait after a step that found nothing to send, in milliseconds. The caller should call again as soon as a result arrives. */
export const IDLE_MS = 60_000
/** Minimum length of a body to compress, in characters. Smaller bodies fit in a few packets without compression. */
const COMPRESS_MIN_CHARS = 4096
/** Number of consecutive refusals after which the agent blames the server instead of the results, and waits between uploads. */
const SET_ASIDE_IN_A_ROW = 20
/**
 * Number of responses from the server itself to other requests, while a proxy or firewall responds to uploads, before uploads
 * become smaller.
 */
const CONTRADICTIONS = 2
/** Number of times that a proxy or firewall may block the upload of a single result before the agent tries another result. */
const BLOCKED_ALONE = 3
/** Number of the oldest results among which the agent chooses another one to try while the oldest is blocked. */
const REACH = 100
/**
 * Wait before the first refused result is sent again, in milliseconds. The wait doubles with each further refusal, up to
 * `OFFER_MAX_MS`.
 */
export const OFFER_FIRST_MS = 5 * 60_000
const OFFER_MAX_MS = 60 * 60_000
/** Age at which a refused result is given up, in milliseconds: the same as for results in the buffer. */
const ASIDE_MAX_MS = 7 * 86_400_000

/** The oldest result, which the agent sends alone while a proxy or firewall blocks it. */
interface BlockedResult {
  key: string
  times: number
  /** Whether the server has stored another result since a proxy or firewall blocked this one. */
  isSuspect: boolean
}

export class Uploader {
  readonly #options: UploaderOptions
  #size = BATCH_MAX_RESULTS
  #failures = 0
  #setAside = 0
  #isIdle = false
  #isKeptBack = false
  #contradictions = 0
  #blocked: BlockedResult | undefined
  #lastRequest = Number.NEGATIVE_INFINITY
  /** State of gathering results for the next upload, which the outbox changes, too. */
  readonly gathering = new Gathering()
  readonly dating = new Dating()
  #offerAt: number | undefined
  #offerWait_ms = OFFER_FIRST_MS
  #wasOffer = false
  #heldBatch = BATCH_MAX_RESULTS
  #heldAt = Number.NEGATIVE_INFINITY
  #heldFailures = 0

  constructor(options: UploaderOptions) {
    this.#options = options
  }

  /** Whether the last step found no result that waits for its first upload. */
  get isIdle(): boolean {
    return this.#isIdle
  }

  /** Sends one batch, and returns the time until the next one, in milliseconds. */
  async step(signal: AbortSignal): Promise<number> {
    const gathering_ms = this.#untilGathered()
    if (gathering_ms > 0) {
      this.#isIdle = false
      return gathering_ms
    }
    const hadNews = this.gathering.begin()
    const { batch, isWhole } = await this.#nextBatch()
    this.#isIdle = batch.length === 0
    const before = await this.#sendBefore(signal)
    if (before !== undefined) {
      if (hadNews) this.gathering.hurry()
      return before
    }
    this.#wasOffer = false
    if (batch.length === 0) return this.#untilNext()
    const wait = this.#isOtherTried(batch)
      ? await this.#tryOther(batch, signal)
      : await this.#send(batch, isWhole, signal)
    return this.#failures > 0 ? wait : Math.min(wait, this.#untilNext())
  }

  /** Sends results that are due before new ones: held-back results, or one refused result. Returns undefined if none are due. */
  async #sendBefore(signal: AbortSignal): Promise<number | undefined> {
    if (this.#isHeldDue()) {
      const held = this.dating.alike(await this.#options.buffer.heldBack(this.#heldBatch, BATCH_MAX_BYTES))
      if (held.length > 0) return this.#sendHeld(held, signal)
      this.#heldAt = this.#options.mono() + BACKOFF_FIRST_MS
    }
    if (this.#isOfferDue()) {
      const aside = await this.#options.buffer.firstAside()
      if (aside) return this.#offer(aside, signal)
    }
    return undefined
  }

  /** Lets the next step begin at once, because the server accepts this monitor again, or the agent is about to end. */
  forgive(): void {
    this.gathering.end()
    this.#failures = 0
    this.#isKeptBack = false
    this.#contradictions = 0
  }

  /** Records that the server itself responded to a request other than an upload. */
  admitted(): void {
    if (this.#isKeptBack) this.#contradictions += 1
    this.#isKeptBack = false
  }

  // ---- results that wait ------------------------------------------------------------------------------------------

  /** Returns how long new results must wait for more to arrive, in milliseconds. Held-back and refused ones wait otherwise. */
  #untilGathered(): number {
    const { buffer, mono } = this.#options
    if (buffer.size === 0 || buffer.size >= this.#size) return 0
    return Math.min(this.gathering.left(mono()), this.#untilNext())
  }

  /** Sends a batch. `isWhole` means that the batch is as large as possible, so that the buffer may contain more results. */
  async #send(batch: readonly StoredResult[], isWhole: boolean, signal: AbortSignal): Promise<number> {
    const outcome = await this.#attempt(batch, { remaining: this.#options.buffer.size - batch.length, signal })
    if (outcome.kind === 'not_ours') return this.#keptBack(outcome, batch)
    const move = moveAfter(outcome, batch.length)
    if (move.kind === 'wait') return this.#wait(outcome)
    this.forgive()
    this.#blocked = undefined
    if (move.kind === 'shrink') this.#size = move.to
    if (move.kind === 'set_aside') return this.#putAside(batch, move.why)
    if (move.kind === 'forget') {
      if (!(await this.#settle(batch, outcome))) return this.#wait(WITHOUT_DISK)
      this.#setAside = 0
      this.#size = Math.min(BATCH_MAX_RESULTS, this.#size * 2)
      return isWhole ? 0 : this.gathering.emptied(this.#options.mono())
    }
    return 0
  }

  /** Handles a response from a proxy or firewall. May make uploads smaller, or set one result aside, but drops none. */
  async #keptBack(outcome: Extract<Outcome, { kind: 'not_ours' }>, batch: readonly StoredResult[]): Promise<number> {
    this.#isKeptBack = true
    const [first] = batch
    if (batch.length === 1 && this.#blocked?.isSuspect && this.#blocked.key === first?.key) {
      this.#blocked = undefined
      return this.#putAside(batch, outcome.why)
    }
    const isPathOpen = this.#contradictions >= CONTRADICTIONS
    if (batch.length > 1) {
      if (outcome.status === 413 || isPathOpen) this.#size = Math.floor(batch.length / 2)
    } else if (isPathOpen) {
      const key = first?.key ?? ''
      const times = this.#blocked?.key === key ? this.#blocked.times + 1 : 1
      this.#blocked = { key, times, isSuspect: false }
    }
    return this.#wait(outcome)
  }

  #isOtherTried([first]: readonly StoredResult[]): boolean {
    if (!this.#blocked || this.#blocked.key !== first?.key || this.#blocked.isSuspect) return false
    return this.#blocked.times >= BLOCKED_ALONE && this.#blocked.times % 2 === 1
  }

  /**
   * Sends another result in place of the oldest, which a proxy or firewall blocks. If the server stores that one, other results
   * need not wait for the oldest any longer.
   */
  async #tryOther(batch: readonly StoredResult[], signal: AbortSignal): Promise<number> {
    const others = (await this.#options.buffer.oldest(REACH, BATCH_MAX_BYTES)).slice(1)
    const other = others[Math.floor(this.#options.random() * others.length)]
    if (!this.#blocked || !other) return this.#send(batch, false, signal)
    const outcome = await this.#attempt([other], { remaining: this.#options.buffer.size - 1, signal })
    if (outcome.kind === 'stored') {
      // The other result stays in the buffer and is sent again in its turn, because the server ignores repeats.
      this.#blocked.isSuspect = true
      return 0
    }
    this.#blocked.times += 1
    return this.#wait(outcome)
  }

  async #putAside(batch: readonly StoredResult[], why: string): Promise<number> {
    for (const { value } of batch) this.#options.onSetAside(value, why)
    this.#offerAt ??= this.#options.mono() + OFFER_FIRST_MS
    const surplus = await this.#options.buffer.setAside(batch, why)
    for (const one of surplus) await this.#options.giveUp(one.value, one.why)
    this.#setAside += 1
    this.#size = BATCH_MAX_RESULTS
    const tooMany = this.#setAside - SET_ASIDE_IN_A_ROW
    return tooMany > 0 ? backoff(tooMany, BACKOFF_FIRST_MS, this.#options.random) : 0
  }

  // ---- results that the server could not store for now ------------------------------------------------------------

  /** Returns the oldest results. Holds back those that must follow held-back results of the same check. */
  async #nextBatch(): Promise<{ batch: StoredResult[]; isWhole: boolean }> {
    const { buffer } = this.#options
    for (;;) {
      const oldest = await buffer.oldest(this.#size, BATCH_MAX_BYTES)
      const batch = this.dating.alike(oldest)
      const isWhole = oldest.length >= this.#size || batch.length < oldest.length
      const [behind, rest] = partition(batch, (one) => buffer.isBehind(one))
      if (behind.length === 0 || !(await buffer.holdBack(behind, batch))) return { batch, isWhole }
      if (rest.length > 0) return { batch: rest, isWhole }
    }
  }

  /**
   * Deletes the results that the server stored, and holds back the rest of the batch. If that fails, keeps the whole batch and
   * returns false.
   */
  async #settle(batch: readonly StoredResult[], outcome: Outcome): Promise<boolean> {
    const { buffer, log } = this.#options
    const again = outcome.kind === 'stored' ? outcome.again : new Set()
    const [missed, done] = partition(batch, (_, index) => again.has(index))
    const before = buffer.heldSize
    if (missed.length > 0 && !(await buffer.holdBack(missed, batch))) return false
    await buffer.remove(done)
    if (before === 0 && missed.length > 0) {
      log?.({ event: 'held_back', results: missed.length })
      this.#pauseHeld()
    }
    return true
  }

  #untilHeld(): number {
    return this.#options.buffer.heldSize === 0 ? IDLE_MS : Math.max(0, this.#heldAt - this.#options.mono())
  }

  /** Whether it is time to send held-back results. It is not while uploads of other results fail. */
  #isHeldDue(): boolean {
    return this.#options.buffer.heldSize > 0 && this.#untilHeld() === 0 && (this.#isIdle || this.#failures === 0)
  }

  #pauseHeld(): void {
    this.#heldFailures += 1
    const wait_ms = backoff(this.#heldFailures, BACKOFF_FIRST_MS, this.#options.random)
    this.#heldAt = this.#options.mono() + wait_ms
  }

  /**
   * Sends held-back results. Once the server stores one of them, sends all others before new results, because the verdicts on
   * their checks wait for them.
   */
  async #sendHeld(held: readonly StoredResult[], signal: AbortSignal): Promise<number> {
    const { buffer, log } = this.#options
    const remaining = buffer.heldSize - held.length + buffer.size
    const outcome = await this.#attempt(held, { remaining, signal })
    if (outcome.kind === 'stored') {
      this.forgive()
      this.#heldBatch = Math.min(BATCH_MAX_RESULTS, 2 * this.#heldBatch)
      await buffer.remove(held.filter((_, index) => !outcome.again.has(index)))
      if (outcome.again.size === held.length) this.#pauseHeld()
      else this.#heldFailures = 0
      if (buffer.heldSize === 0) log?.({ event: 'none_held_back' })
      return this.#isIdle ? this.#untilNext() : 0
    }
    this.#pauseHeld()
    const move = moveAfter(outcome, held.length)
    if (move.kind === 'set_aside') return this.#putAside(held, move.why)
    if (move.kind === 'shrink') this.#heldBatch = move.to
    // A proxy or firewall may let smaller uploads through.
    else if (outcome.kind === 'not_ours') this.#heldBatch = Math.ceil(held.length / 2)
    return move.kind === 'shrink' ? 0 : this.#wait(outcome)
  }

  #untilNext(): number {
    return Math.min(IDLE_MS, this.#untilOffer(), this.#untilHeld())
  }

  // ---- results that were set aside --------------------------------------------------------------------------------

  #untilOffer(): number {
    if (this.#options.buffer.asideSize === 0) return IDLE_MS
    this.#offerAt ??= this.#options.mono() + OFFER_FIRST_MS
    return Math.max(0, this.#offerAt - this.#options.mono())
  }

  /** Whether to send a refused result again: not two in a row while new results wait, and none while uploads fail. */
  #isOfferDue(): boolean {
    if (!this.#isIdle && (this.#wasOffer || this.#failures > 0)) return false
    return this.#options.buffer.asideSize > 0 && this.#untilOffer() === 0
  }

  /** Sends one refused result again, alone. If the server accepts it, the next refused result follows at once. */
  async #offer(aside: Aside, signal: AbortSignal): Promise<number> {
    this.#wasOffer = true
    const outcome = await this.#attempt([aside], { remaining: this.#options.buffer.size, signal })
    if (outcome.kind === 'refused' || outcome.kind === 'failed') return this.#wait(outcome)
    if (outcome.kind === 'stored' && outcome.again.size === 0) {
      this.#offerWait_ms = OFFER_FIRST_MS
      this.#failures = 0
      await this.#options.buffer.removeAside(aside)
      return 0
    }
    this.#offerAt = this.#options.mono() + this.#offerWait_ms
    this.#offerWait_ms = Math.min(OFFER_MAX_MS, 2 * this.#offerWait_ms)
    const why = 'why' in outcome ? outcome.why : aside.why
    if (this.#options.now() - aside.since > ASIDE_MAX_MS) {
      await this.#options.buffer.removeAside(aside)
      await this.#options.giveUp(aside.value, why)
    } else await this.#options.buffer.postponeAside({ ...aside, why })
    return 0
  }

  // ---- requests ---------------------------------------------------------------------------------------------------

  async #pace(signal: AbortSignal): Promise<void> {
    const wait = this.#lastRequest + REQUEST_GAP_MS - this.#options.mono()
    if (wait > 0) await this.#options.sleep(wait, signal)
    this.#lastRequest = this.#options.mono()
  }

  async #attempt(
    batch: readonly StoredResult[],
    { remaining, signal }: { remaining: number; signal: AbortSignal },
  ): Promise<Outcome> {
    await this.#pace(signal)
    const outcome = await this.#post(batch, { remaining, signal })
    this.#options.onAnswer?.(outcome.kind, batch.length)
    return outcome
  }

  async #post(
    batch: readonly StoredResult[],
    { remaining, signal }: { remaining: number; signal: AbortSignal },
  ): Promise<Outcome> {
    const { client, now } = this.#options
    const about: Omit<ResultsRequest, 'results'> = {
      sent_at: new Date(now() + this.dating.aheadOf(batch[0])).toISOString(),
      remaining: Math.max(0, remaining),
      partial: true,
    }
    // The values are sent unchanged, so that a repeated result is the same byte for byte.
    const results = batch.map(({ value }) => this.#outgoing(value)).join(',')
    const text = `{"results":[${results}],${JSON.stringify(about).slice(1)}`
    const isLong = text.length >= COMPRESS_MIN_CHARS
    const bytes = isLong ? await promisify(gzip)(text) : text
    try {
      const { data, error, response } = await client.http.POST('/results', {
        body: { results: [] },
        bodySerializer: () => bytes,
        headers: isLong ? { 'content-encoding': 'gzip' } : {},
        signal,
      })
      return response.ok ? storedOr(data, batch.length) : outcomeOf(response, error)
    } catch (error) {
      signal.throwIfAborted()
      const foreign = foreignAnswerOf(error)
      if (foreign) return { kind: 'not_ours', status: foreign.status, why: foreign.message }
      return { kind: 'failed', why: wordsOf(error), retry_after_ms: 0 }
    }
  }

  #outgoing(value: string): string {
    const result = readable(value) as Result | undefined
    return result && this.#options.isPrivate(result.check_guid) ? JSON.stringify(withoutDetail(result)) : value
  }

  #wait(outcome: Outcome): number {
    this.#failures += 1
    const asked = outcome.kind === 'failed' ? outcome.retry_after_ms : 0
    const wait_ms = backoff(this.#failures, asked, this.#options.random)
    if (outcome.kind === 'refused') this.#options.onRefused(outcome.status)
    this.#options.log?.({ event: 'upload_failed', error: 'why' in outcome ? outcome.why : outcome.kind, wait_ms })
    return wait_ms
  }
}
