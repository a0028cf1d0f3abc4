// Results on their way out: stored on disk first, uploaded as soon as there are any, and once more at the end.
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
  /** Rung when there is something to upload again. */
  bell: Bell
  /** The server accepts nothing from this monitor now. */
  onRefused: () => void
  /** True for a check whose content is private by now. */
  isPrivate: (guid: string) => boolean
  /** Milliseconds of a clock that only goes forth. */
  mono: () => number
  /** Milliseconds of server time. */
  now: () => number
  /** The machine's own idea of the time, in milliseconds since the Unix epoch. */
  wall: () => number
  /** A number from 0 up to 1. */
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
  /** The last result of an earlier process. */
  readonly #lastBefore: number
  #isIdle = false

  private constructor(options: OutboxOptions, buffer: ResultBuffer) {
    this.#options = options
    this.#buffer = buffer
    this.#lastBefore = buffer.lastTick
    this.#uploader = this.#makeUploader()
  }

  /** @throws Fatal when another agent has this state directory. */
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

  /** How many results wait. */
  get size(): number {
    return this.#buffer.size + this.#buffer.heldSize
  }

  get bytes(): number {
    return this.#buffer.bytes
  }

  /** How many of them the server could not store for now. */
  get heldSize(): number {
    return this.#buffer.heldSize
  }

  /** How many refused results wait to be offered again. */
  get asideSize(): number {
    return this.#buffer.asideSize
  }

  /** Resolves once the result is on disk. */
  async keep(result: Result): Promise<void> {
    await this.#buffer.add(result)
    const isNews = this.#news.isIn(result)
    if (isNews) this.#uploader.gathering.hurry()
    if (!this.#isIdle && !(isNews && this.#uploader.gathering.isOn)) return
    this.#isIdle = false
    this.#options.bell.ring()
  }

  /** Uploads a batch, and returns after how many milliseconds to do so again. */
  async upload(): Promise<number> {
    const wait = await this.#uploader.step(this.#uploads.signal)
    if (!this.#uploader.isIdle) return wait
    this.#isIdle = true
    // What came in the meantime is not on disk yet.
    return this.#buffer.size > 0 ? Math.min(GROUP_MS, wait) : wait
  }

  /** The time by which this process has dated its results so far was `ahead_ms` ahead of the server's. They are sent with that time. */
  wasDatedAhead(ahead_ms: number): void {
    this.#uploader.dating.misdated = { after: this.#lastBefore, until: this.#buffer.lastTick, ahead_ms }
  }

  /** The server accepts this monitor. With `isAgain`, after it had refused it: then the next upload does not wait. */
  admitted(isAgain: boolean): void {
    this.#uploader.admitted()
    if (isAgain) this.#uploader.forgive()
  }

  /** Ends the upload in progress soon. Sending it twice would do no harm, but is not necessary. */
  stop(): void {
    setTimeout(() => this.#uploads.abort(), LAST_UPLOAD_MS).unref()
  }

  /** Writes what is not on disk yet. */
  flush(): Promise<void> {
    return this.#buffer.flush()
  }

  /** One last upload, whatever its outcome. */
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
