// Results that wait for their upload, in files of one folder: a result that was added survives the end of the process.

import { appendFileSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BATCH_MAX_RESULTS } from './batches.ts'
import type { MonitorClient } from './client.ts'
import type { ApiError } from './core/errors.ts'
import type { Result } from './generated.ts'
import type { CallOptions } from './core/options.ts'
import type { Uploaded } from './core-types.ts'

export interface OutboxOptions {
  /** How many results may wait; beyond that the oldest are dropped, about 500 at a time. 100,000 by default. */
  maxResults?: number | undefined
  /** Called when results were dropped. */
  onDropped?: ((count: number) => void) | undefined
  /** Called when the server refused one result, which was then set aside in `refused.ndjson`. */
  onRefused?: ((result: Result, why: ApiError | RangeError) => void) | undefined
}

/** A file of results, one on each line. */
interface Segment {
  readonly name: string
  count: number
}

interface RefusedLine {
  refused_at: string
  why: string
  result: Result
}

const MAX_RESULTS = 100_000
/** A bound near the size of a segment would drop what has just been added. */
const MIN_MAX_RESULTS = 1000
const SEGMENT_NAME = /^\d{12}\.ndjson$/
const REFUSED = 'refused.ndjson'
const MAX_REFUSED = 1000
/** From one batch to the next. */
const GAP_MS = 250

/** The results that an agent has not uploaded yet. One process at a time may use a folder. */
export class ResultOutbox {
  readonly #folder: string
  readonly #options: OutboxOptions
  readonly #maxResults: number
  readonly #segments: Segment[] = []
  #nextNumber = 1
  /** Where results are added. */
  #open: { segment: Segment; file: number } | undefined
  #uploading: { segment?: Segment | undefined; done: Promise<Uploaded> } | undefined

  private constructor(folder: string, options: OutboxOptions) {
    this.#folder = folder
    this.#options = options
    this.#maxResults = options.maxResults ?? MAX_RESULTS
    if (!(this.#maxResults >= MIN_MAX_RESULTS)) throw new RangeError(`maxResults must be at least ${MIN_MAX_RESULTS}`)
  }

  /** Opens a folder, which is created if there is none, with what an earlier process left. Results that were refused wait again. */
  static async open(folder: string, options: OutboxOptions = {}): Promise<ResultOutbox> {
    const outbox = new ResultOutbox(folder, options)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const names = (await readdir(folder)).filter((name) => SEGMENT_NAME.test(name)).sort()
    for (const name of names) outbox.#segments.push({ name, count: (await outbox.#read(name)).length })
    outbox.#nextNumber = Number.parseInt(names.at(-1) ?? '0', 10) + 1
    await outbox.#offerRefused()
    return outbox
  }

  /** How many results wait: `unsent_results` of a status report. */
  get size(): number {
    return this.#segments.reduce((sum, { count }) => sum + count, 0)
  }

  /** Keeps a result. When this returns, the result survives the end of the process. Throws when the disk takes nothing. */
  add(result: Result): void {
    this.#open ??= this.#newSegment()
    const { segment, file } = this.#open
    try {
      appendFileSync(file, lineOf(result))
    } catch (error) {
      // Half a line may be there, and another one must not follow it.
      this.#closeOpen()
      throw error
    }
    segment.count += 1
    if (segment.count >= BATCH_MAX_RESULTS) this.#closeOpen()
    this.#dropOldest()
  }

  /**
   * Uploads what waits, oldest first. A result that the server refuses is set aside in `refused.ndjson`, and the others go on.
   * Rejects as `client.upload` does; whatever is not confirmed waits for the next call.
   */
  async upload(client: Pick<MonitorClient, 'upload'>, options: CallOptions = {}): Promise<Uploaded> {
    if (this.#uploading) return this.#uploading.done
    const done = this.#uploadAll(client, options).finally(() => (this.#uploading = undefined))
    this.#uploading = { done }
    return done
  }

  async #uploadAll(client: Pick<MonitorClient, 'upload'>, options: CallOptions): Promise<Uploaded> {
    let [submitted, accepted] = [0, 0]
    for (let [segment] = this.#segments; segment; [segment] = this.#segments) {
      if (this.#uploading) this.#uploading.segment = segment
      if (segment === this.#open?.segment) this.#closeOpen()
      const uploaded = await this.#uploadSegment(segment, client, options)
      submitted += uploaded.submitted
      accepted += uploaded.accepted
      await rm(this.#pathOf(segment.name), { force: true })
      this.#segments.shift()
      // The server limits the requests of an address, which many agents may share. An abort ends the next upload.
      await pause(GAP_MS, undefined, { signal: options.signal }).catch(() => {})
    }
    return { submitted, accepted }
  }

  async #uploadSegment(
    segment: Segment,
    client: Pick<MonitorClient, 'upload'>,
    options: CallOptions,
  ): Promise<Uploaded> {
    let left = await this.#read(segment.name)
    let confirmed = 0
    const results = left
    try {
      return await client.upload(results, {
        ...options,
        onBatch: ({ submitted }) => void (confirmed += submitted),
        onRefused: async (result, why) => {
          await this.#setAside(result, why)
          left = left.filter((one) => one !== result)
          segment.count = left.length
          await this.#write(segment.name, left.map(lineOf))
        },
      })
    } catch (error) {
      // Sent again, these would change nothing; but whoever asks how many wait is told the truth.
      const done = new Set(results.slice(0, confirmed))
      left = left.filter((one) => !done.has(one))
      segment.count = left.length
      if (done.size > 0) await this.#write(segment.name, left.map(lineOf))
      throw error
    }
  }

  async #setAside(result: Result, why: ApiError | RangeError): Promise<void> {
    const line: RefusedLine = { refused_at: new Date().toISOString(), why: why.message, result }
    const lines = [...(await this.#read<RefusedLine>(REFUSED)), line].slice(-MAX_REFUSED)
    await this.#write(REFUSED, lines.map(lineOf))
    this.#options.onRefused?.(result, why)
  }

  /** Lets the results that were refused wait again: the server may have been mended. */
  async #offerRefused(): Promise<void> {
    const refused = await this.#read<RefusedLine>(REFUSED)
    if (refused.length > 0) {
      const name = this.#nextName()
      const lines = refused.map(({ result }) => lineOf(result))
      await this.#write(name, lines)
      this.#segments.push({ name, count: lines.length })
    }
    await rm(this.#pathOf(REFUSED), { force: true })
  }

  #newSegment(): { segment: Segment; file: number } {
    const segment = { name: this.#nextName(), count: 0 }
    const file = openSync(this.#pathOf(segment.name), 'a', 0o600)
    this.#segments.push(segment)
    return { segment, file }
  }

  #nextName(): string {
    this.#nextNumber += 1
    return `${String(this.#nextNumber - 1).padStart(12, '0')}.ndjson`
  }

  #closeOpen(): void {
    if (this.#open) closeSync(this.#open.file)
    this.#open = undefined
  }

  #dropOldest(): void {
    while (this.size > this.#maxResults) {
      const inUse = [this.#uploading?.segment, this.#open?.segment]
      const index = this.#segments.findIndex((segment) => !inUse.includes(segment))
      const [oldest] = index === -1 ? [] : this.#segments.splice(index, 1)
      if (!oldest) return
      rmSync(this.#pathOf(oldest.name), { force: true })
      this.#options.onDropped?.(oldest.count)
    }
  }

  /** Returns what the whole lines of a file hold. A crash may have cut the last one, and a disk may have damaged others. */
  async #read<Line = Result>(name: string): Promise<Line[]> {
    const text = await readFile(this.#pathOf(name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    return text.split('\n').flatMap((line) => parsed<Line>(line))
  }

  async #write(name: string, lines: readonly string[]): Promise<void> {
    const draft = this.#pathOf(`${name}.new`)
    await writeFile(draft, lines.join(''), { mode: 0o600 })
    await rename(draft, this.#pathOf(name))
  }

  #pathOf(name: string): string {
    return join(this.#folder, name)
  }
}

function lineOf(value: Result | RefusedLine): string {
  return `${JSON.stringify(value)}\n`
}

function parsed<Line>(line: string): Line[] {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? [value as Line] : []
  } catch {
    return []
  }
}
