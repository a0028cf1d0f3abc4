// Manages the open pages of this process. Each has a stream that reports only that something of its organisation changed; the
// page then requests itself again. A stream costs memory and no connection to the database.
import type { ServerResponse } from 'node:http'
import type { Deps } from '@dogwatch/domain/deps'
import { type Change, readChanges, readNewest, readOpenSessions } from '@dogwatch/domain/live/changes'
import { LogThrottle } from '@dogwatch/runtime/log'
import { type StreamBounds, type StreamHolders, streamToEnd } from './stream-shares.ts'

const STREAM_BOUNDS: StreamBounds = { of_process: 4_000, of_org: 1_000, of_person: 20, of_session: 12 }

/** Minimum time between two messages to an organisation. */
const REST_MS = 1_000
/**
 * Interval of beats. Proxies cut silent connections, and a page without a sign of life for 10 s reports that its connection is
 * lost.
 */
const BEAT_SEC = 4
/** Text of a beat. It is an event, because scripts do not see comments. */
const BEAT = 'event: beat\ndata:\n\n'
/** Maximum lifetime of a stream. Its page then opens another one, so that pages spread over all processes. */
const LIFE_SEC = 900
/** Interval of checking that the sessions are still open, if nothing changes. */
const VERIFY_SEC = 15
/** Interval of looking for changes that no notification reported. */
const LOOK_MS = 1_000
/**
 * How far back a look for changes goes, because a transaction ends some time after its change. Every tenth look goes much
 * further.
 */
const BACK_SEC = 10
const FAR_BACK_SEC = 90
/** Maximum number of unread bytes in a stream. A stream with more is closed. */
const MOST_UNREAD = 2_048
/** Time over which notified pages spread their requests. The time is longer with many pages. */
const SPREAD_MS = 800
const SPREAD_MS_EACH = 8
/**
 * Time after which a page opens a new stream if its stream breaks off. After an orderly end, it is 1 s plus a random part of this
 * time.
 */
const BACK_MS = 4_000
/** Time after which a page opens a new stream if its stream was ended in favour of another. Until then, the page polls. */
const LOST_BACK_MS = 30_000
/** Time without any open page after which looking for changes stops. */
const REST_SEC = 60
const QUIET_MS = 60_000

/** Viewer of an open page. */
export interface Reader extends Omit<StreamHolders, 'session'> {
  session_hash: Buffer
}

interface Stream extends Reader {
  session: string
  res: ServerResponse
  /** Second of the beat interval at which the stream receives its beat. */
  turn: number
  until_ms: number
}

interface OrgStreams {
  streams: Set<Stream>
  told_ms: number
  timer?: NodeJS.Timeout
}

type LiveDeps = Pick<Deps, 'database' | 'clock' | 'random' | 'log'>

export class LiveStreams {
  readonly #deps: LiveDeps
  readonly #bounds: StreamBounds
  readonly #orgs = new Map<number, OrgStreams>()
  /** Open streams, oldest first. */
  readonly #streams = new Set<Stream>()
  readonly #throttle: LogThrottle
  /** Changes that were already announced, each with its time (monotonic, in ms), because later looks find them again. */
  readonly #told = new Map<string, number>()
  #seconds = 0
  #looks = 0
  /** Number of seconds since the last page was closed. 0 while any page is open. */
  #quiet_sec = 0
  #isOver = false
  #ticking: NodeJS.Timeout | undefined
  #looking: NodeJS.Timeout | undefined

  constructor(deps: LiveDeps, bounds: Partial<StreamBounds> = {}) {
    this.#deps = deps
    this.#bounds = { ...STREAM_BOUNDS, ...bounds }
    this.#throttle = new LogThrottle(deps.clock, QUIET_MS)
  }

  get size(): number {
    return this.#streams.size
  }

  /** Keeps a response open as a stream for a page that shows `version`. If there are too many streams, another one ends. */
  open(of: Reader, res: ServerResponse, version: string): void {
    const session = of.session_hash.toString('hex')
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      // Without this header, nginx would wait until its buffer is full.
      'X-Accel-Buffering': 'no',
    })
    if (this.#isOver) return void res.end(this.#farewell())
    const life_ms = (LIFE_SEC - this.#chance(LIFE_SEC / 4)) * 1000
    const until_ms = this.#deps.clock.monotonicMs() + life_ms
    const stream = { ...of, session, res, turn: this.#seconds % BEAT_SEC, until_ms }
    this.#add(stream)
    res.write(`retry: ${BACK_MS}\n\n`)
    void this.#catchUp(stream, version)
  }

  /**
   * Notifies a page if a change occurred before its stream was open. Must run after the stream is open, because the stream itself
   * reports later changes.
   */
  async #catchUp(stream: Stream, version: string): Promise<void> {
    const newest = await readNewest(this.#deps, stream.org_id).catch(() => undefined)
    if (newest !== version) this.#write(stream, 'data: 0\n\n')
  }

  #makeRoom(newcomer: Stream): void {
    const lost = streamToEnd(this.#streams, newcomer, this.#bounds)
    if (!lost) return
    this.#remove(lost)
    if (lost.res.writableLength > 0) lost.res.destroy()
    else lost.res.end(`retry: ${LOST_BACK_MS}\nevent: lost\ndata: ${LOST_BACK_MS}\n\n`)
  }

  /** Notifies the pages of an organisation of a change, once for each change. */
  ring({ org_id, change_id }: Change): void {
    // Without open pages there is no one to notify, and nothing would clear `#told`.
    if (!this.#ticking) return
    const key = `${org_id} ${change_id}`
    if (this.#told.has(key)) return
    this.#told.set(key, this.#deps.clock.monotonicMs())
    this.#wake(org_id)
  }

  /** Notifies all open pages, because changes may have been missed while the listener had no connection. */
  ringAll(): void {
    for (const org_id of this.#orgs.keys()) this.#wake(org_id)
  }

  /** Ends all streams. Each of their pages opens another one after a random time of its own. */
  end(): void {
    this.#isOver = true
    this.#rest()
    for (const { streams, timer } of this.#orgs.values()) {
      clearTimeout(timer)
      for (const { res } of [...streams]) res.end(this.#farewell())
    }
  }

  #add(stream: Stream): void {
    const { org_id, res } = stream
    this.#makeRoom(stream)
    const watched = this.#orgs.get(org_id) ?? { streams: new Set(), told_ms: -Infinity }
    this.#orgs.set(org_id, watched)
    watched.streams.add(stream)
    this.#streams.add(stream)
    this.#begin()
    res.once('close', () => this.#remove(stream))
  }

  #remove(stream: Stream): void {
    if (!this.#streams.delete(stream)) return
    const watched = this.#orgs.get(stream.org_id)
    watched?.streams.delete(stream)
    if (watched?.streams.size !== 0) return
    clearTimeout(watched.timer)
    this.#orgs.delete(stream.org_id)
  }

  #begin(): void {
    if (this.#ticking) return
    this.#quiet_sec = 0
    this.#ticking = setInterval(() => this.#tick(), 1_000).unref()
    void this.#look()
  }

  /**
   * Stops all timers and queries once no page has been open for `REST_SEC`. The wait bridges the gap when people go from page to
   * page.
   */
  #rest(): void {
    clearInterval(this.#ticking)
    clearTimeout(this.#looking)
    this.#ticking = this.#looking = undefined
    this.#told.clear()
  }

  #wake(org_id: number): void {
    const watched = this.#orgs.get(org_id)
    if (!watched || watched.timer || this.#isOver) return
    const rest_ms = Math.max(0, watched.told_ms + REST_MS - this.#deps.clock.monotonicMs())
    watched.timer = setTimeout(() => {
      delete watched.timer
      watched.told_ms = this.#deps.clock.monotonicMs()
      void this.#tell(org_id, watched)
    }, rest_ms)
  }

  /** Notifies the pages of an organisation. Viewers who may no longer see it lose their stream first. */
  async #tell(org_id: number, watched: OrgStreams): Promise<void> {
    if (!(await this.#verify([...watched.streams]))) return this.#wake(org_id)
    const spread_ms = Math.max(SPREAD_MS, SPREAD_MS_EACH * watched.streams.size)
    for (const stream of [...watched.streams]) this.#write(stream, `data: ${spread_ms}\n\n`)
  }

  /** Ends streams whose session is over or shows another organisation. Returns false if the sessions could not be read. */
  async #verify(streams: readonly Stream[]): Promise<boolean> {
    try {
      const hashes = new Map(streams.map(({ session, session_hash }) => [session, session_hash]))
      if (hashes.size === 0) return true
      const open = await readOpenSessions(this.#deps, [...hashes.values()])
      for (const { session, org_id, res } of streams) if (open.get(session) !== org_id) res.end()
      return true
    } catch (err) {
      this.#throttle.run((count) => this.#deps.log.warn({ err, count }, 'could not read the sessions of open pages'))
      return false
    }
  }

  #write({ res }: Stream, text: string): void {
    if (res.writableEnded || res.destroyed) return
    if (res.writableLength > MOST_UNREAD) res.destroy()
    else res.write(text)
  }

  #tick(): void {
    this.#seconds++
    this.#quiet_sec = this.size > 0 ? 0 : this.#quiet_sec + 1
    if (this.#quiet_sec > REST_SEC) return this.#rest()
    const turn = this.#seconds % BEAT_SEC
    const now_ms = this.#deps.clock.monotonicMs()
    for (const stream of this.#streams) if (stream.turn === turn) this.#beat(stream, now_ms)
    if (this.#seconds % VERIFY_SEC === 0) void this.#verify([...this.#streams])
    for (const [key, at_ms] of this.#told) {
      if (now_ms - at_ms < 2 * FAR_BACK_SEC * 1000) break
      this.#told.delete(key)
    }
  }

  /** Sends a beat. Closes a stream whose last beat has not been read, and ends one that is too old. */
  #beat(stream: Stream, now_ms: number): void {
    const { res, until_ms } = stream
    if (res.writableLength > 0) res.destroy()
    else if (now_ms >= until_ms) res.end(this.#farewell())
    else this.#write(stream, BEAT)
  }

  async #look(): Promise<void> {
    const isFar = this.#looks++ % 10 === 0
    try {
      for (const change of await readChanges(this.#deps, isFar ? FAR_BACK_SEC : BACK_SEC)) this.ring(change)
    } catch (err) {
      this.#throttle.run((count) => this.#deps.log.warn({ err, count }, 'could not read changes for open pages'))
    }
    if (this.#ticking && !this.#isOver) this.#looking = setTimeout(() => void this.#look(), LOOK_MS).unref()
  }

  #farewell(): string {
    return `retry: ${1_000 + this.#chance(BACK_MS)}\n\n`
  }

  /** Returns a random whole number below `most`. */
  #chance(most: number): number {
    const [high = 0, low = 0] = this.#deps.random(2)
    return Math.floor((((high << 8) | low) / 65_536) * most)
  }
}
