// Sends results: stores each on disk first, uploads soon after results arrive, and uploads once more when the agent ends.
import { setTimeout as pause } from 'node:timers/promises'
import type { MonitorClient, Result } from '@dogwatch/monitor-sdk'
import { type Log, say } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import type { Bell } from '../process/repeat.ts'
import { bufferDir, GROUP_MS, ResultBuffer } from './buffer.ts'
import { checkOf } from './held-back.ts'
import { News } from './news.ts'
import { keepForPeople } from './rejected.ts'
import { Uploader } from './upload.ts'

export interface OutboxOptions {
  state_dir: string
  client: Pick<MonitorClient, 'http'>
  /** Bell that the outbox rings when the next upload should begin earlier than planned. */
  bell: Bell
  /** Called when the server refuses the API key, or has disabled the monitor. */
  onRefused: () => void
  /** Whether the definition of a check is private now, even if it was not private when the check ran. */
  isPrivate: (guid: string) => boolean
  /** Returns the time of a clock that never goes back, in milliseconds. */
  mono: () => number
  /** Returns the server time, in milliseconds. */
  now: () => number
  /** Returns the time of the machine's own clock, in milliseconds since the Unix epoch. */
  wall: () => number
  /** Returns a random number from 0 up to 1. */
  random: () => number
  metrics: Metrics
  log: Log
}

const LAST_UPLOAD_MS = 3000

export class Outbox {
  readonly #options: OutboxOptions
  readonly #buffer: ResultBuffer
  readonly #uploader: Uploader
  readonly #uploads = new AbortController()
  readonly #news = new News()
  /** Time in the key of the last result from an earlier process, in microseconds since the Unix epoch. */
  readonly #lastBefore: number
  #isIdle = false

  private constructor(options: OutboxOptions, buffer: ResultBuffer) {
    this.#options = options
    this.#buffer = buffer
    this.#lastBefore = buffer.lastTick
    this.#uploader = this.#makeUploader()
  }

  /** Opens the outbox. @throws Fatal when another agent uses this state directory. */
  static async open(options: OutboxOptions): Promise<Outbox> {
    const { state_dir, now, wall, metrics, log } = options
    const buffer = await ResultBuffer.open({
      dir: bufferDir(state_dir),
      now,
      wall,
      log: (event) => {
        if (event.event === 'dropped') metrics.dropped.inc({ why: event.why }, event.results)
        say(log, event.event === 'disk_works_again' ? 'info' : 'error', event)
      },
    })
    return new Outbox(options, buffer)
  }

  /** Number of results that wait, including held-back ones. */
  get size(): number {
    return this.#buffer.size + this.#buffer.heldSize
  }

  get bytes(): number {
    return this.#buffer.bytes
  }

  /** Number of results that the server could not store for now. */
  get heldSize(): number {
    return this.#buffer.heldSize
  }

  /** Number of refused results that wait to be offered again. */
  get asideSize(): number {
    return this.#buffer.asideSize
  }

  /** Stores a result. Resolves once it is on disk. */
  async keep(result: Result): Promise<void> {
    await this.#buffer.add(result)
    const isNews = this.#news.isIn(result)
    if (isNews) this.#uploader.gathering.hurry()
    if (!this.#isIdle && !(isNews && this.#uploader.gathering.isOn)) return
    this.#isIdle = false
    this.#options.bell.ring()
  }

  /** Uploads a batch, and returns the time until the next upload, in milliseconds. */
  async upload(): Promise<number> {
    const wait = await this.#uploader.step(this.#uploads.signal)
    if (!this.#uploader.isIdle) return wait
    this.#isIdle = true
    // Results that arrived during the upload may not be on disk yet. The next upload waits until they are.
    return this.#buffer.size > 0 ? Math.min(GROUP_MS, wait) : wait
  }

  /**
   * Records that the clock that dated this process's results until now was `ahead_ms` ahead of the server time. Uploads of these
   * results carry the time of that clock.
   */
  recordClockLead(ahead_ms: number): void {
    this.#uploader.dating.misdated = { after: this.#lastBefore, until: this.#buffer.lastTick, ahead_ms }
  }

  /**
   * Records that the server accepts this monitor. With `isAgain`, the server had refused the monitor before, and the next upload
   * does not wait.
   */
  admitted(isAgain: boolean): void {
    this.#uploader.admitted()
    if (isAgain) this.#uploader.forgive()
  }

  /**
   * Aborts the upload in progress, but only after a short time, so that it can still finish. The server ignores results that are
   * uploaded twice, but the repeat is useless work.
   */
  stop(): void {
    setTimeout(() => this.#uploads.abort(), LAST_UPLOAD_MS).unref()
  }

  /** Writes results that are not on disk yet. */
  flush(): Promise<void> {
    return this.#buffer.flush()
  }

  /** Uploads one last time, and ignores the outcome. */
  async uploadLast(): Promise<void> {
    this.#uploader.forgive()
    await this.#uploader.step(AbortSignal.timeout(LAST_UPLOAD_MS)).catch(() => undefined)
  }

  close(): Promise<void> {
    return this.#buffer.close()
  }

  #makeUploader(): Uploader {
    const { client, mono, now, random, metrics, log, onRefused, isPrivate } = this.#options
    return new Uploader({
      client,
      buffer: this.#buffer,
      mono,
      now,
      random,
      sleep: (ms, signal) => pause(ms, undefined, { signal }),
      onSetAside: (value, why) => say(log, 'warn', { event: 'result_set_aside', check: checkOf(value), why }),
      giveUp: (value, why) => this.#giveUp(value, why),
      onRefused,
      isPrivate,
      onAnswer: (outcome, results) => {
        metrics.uploads.inc({ outcome })
        if (outcome === 'stored') metrics.uploaded.inc(results)
      },
      log: (event) => say(log, event.event === 'none_held_back' ? 'info' : 'warn', event),
    })
  }

  async #giveUp(value: string, why: string): Promise<void> {
    const { metrics, log, state_dir } = this.#options
    metrics.dropped.inc({ why: 'rejected' })
    say(log, 'error', { event: 'result_given_up', check: checkOf(value), why })
    await keepForPeople(state_dir, value, why)
  }
}
