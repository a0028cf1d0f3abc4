// Stores results that wait for their upload, in files of one folder. A result that was added survives the end of the process.

import { appendFileSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BATCH_MAX_RESULTS } from './batches.ts'
import type { MonitorClient } from './client.ts'
import type { ApiError } from './core/errors.ts'
import type { CallOptions } from './core/options.ts'
import type { UploadCounts } from './core-types.ts'
import type { Result } from './generated.ts'

export interface OutboxOptions {
  /** Maximum number of waiting results. Above it, the outbox drops the oldest ones, about 500 at a time. Default: 100,000. */
  maxResults?: number | undefined
  /** Receives the number of results that were dropped. */
  onDropped?: ((count: number) => void) | undefined
  /** Receives a result that the server refused. It is set aside in `refused.ndjson`. */
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
/** Minimum of `maxResults`. A limit near the size of a segment would drop results that have just been added. */
const MIN_MAX_RESULTS = 1000
const SEGMENT_NAME = /^\d{12}\.ndjson$/
const REFUSED = 'refused.ndjson'
const MAX_REFUSED = 1000
/** Wait between two batches, in milliseconds. */
const GAP_MS = 250

/** Results that an agent has not uploaded yet. Only one process at a time may use a folder. */
export class ResultOutbox {
  readonly #folder: string
  readonly #options: OutboxOptions
  readonly #maxResults: number
  readonly #segments: Segment[] = []
  #nextNumber = 1
  /** The segment that receives new results. */
  #open: { segment: Segment; file: number } | undefined
  #uploading: { segment?: Segment | undefined; done: Promise<UploadCounts> } | undefined

  private constructor(folder: string, options: OutboxOptions) {
    this.#folder = folder
    this.#options = options
    this.#maxResults = options.maxResults ?? MAX_RESULTS
    if (!(this.#maxResults >= MIN_MAX_RESULTS)) throw new RangeError(`maxResults must be at least ${MIN_MAX_RESULTS}`)
  }

  /** Opens a folder with the results of an earlier process, or creates it. Refused results wait again. */
  static async open(folder: string, options: OutboxOptions = {}): Promise<ResultOutbox> {
    const outbox = new ResultOutbox(folder, options)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const names = (await readdir(folder)).filter((name) => SEGMENT_NAME.test(name)).sort()
    for (const name of names) outbox.#segments.push({ name, count: (await outbox.#read(name)).length })
    outbox.#nextNumber = Number.parseInt(names.at(-1) ?? '0', 10) + 1
    await outbox.#offerRefused()
    return outbox
  }

  /** Number of results that wait: `unsent_results` of a status report. */
  get size(): number {
    return this.#segments.reduce((sum, { count }) => sum + count, 0)
  }

  /** Stores a result. When this returns, the result survives the end of the process. Throws if the disk is not writable. */
  add(result: Result): void {
    this.#open ??= this.#newSegment()
    const { segment, file } = this.#open
    try {
      appendFileSync(file, lineOf(result))
    } catch (error) {
      // The file may now end with an incomplete line, so the next result goes to a new file.
      this.#closeOpen()
      throw error
    }
    segment.count += 1
    if (segment.count >= BATCH_MAX_RESULTS) this.#closeOpen()
    this.#dropOldest()
  }

  /**
   * Uploads the waiting results, oldest first. Sets a result that the server refuses aside in `refused.ndjson`, and continues.
   * Rejects like `client.upload`. Unconfirmed results wait for the next call.
   */
  async upload(client: Pick<MonitorClient, 'upload'>, options: CallOptions = {}): Promise<UploadCounts> {
    if (this.#uploading) return this.#uploading.done
    const done = this.#uploadAll(client, options).finally(() => (this.#uploading = undefined))
    this.#uploading = { done }
    return done
  }

  async #uploadAll(client: Pick<MonitorClient, 'upload'>, options: CallOptions): Promise<UploadCounts> {
    let [submitted, accepted] = [0, 0]
    for (let [segment] = this.#segments; segment; [segment] = this.#segments) {
      if (this.#uploading) this.#uploading.segment = segment
      if (segment === this.#open?.segment) this.#closeOpen()
      const uploaded = await this.#uploadSegment(segment, client, options)
      submitted += uploaded.submitted
      accepted += uploaded.accepted
      await rm(this.#pathOf(segment.name), { force: true })
      this.#segments.shift()
      // Pauses, because the server limits the requests of an address, which many agents may share. If the signal aborts, the next
      // upload rejects.
      await pause(GAP_MS, undefined, { signal: options.signal }).catch(() => {})
    }
    return { submitted, accepted }
  }

  async #uploadSegment(
    segment: Segment,
    client: Pick<MonitorClient, 'upload'>,
    options: CallOptions,
  ): Promise<UploadCounts> {
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
      // Removes the confirmed results from the file, so that `size` is right. To send them again would be harmless.
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

  /** Queues refused results again, because a newer server may accept them. */
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

  /** Reads the valid lines of a file. A crash may have cut the last one, and a disk may have damaged others. */
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
