// The open pages of this process: each has a stream over which it hears that something of its organisation changed. It hears nothing
// else, and then asks for its page again. A stream costs memory and no connection to the database.
import type { ServerResponse } from 'node:http'
import { type Change, readChanges, readNewest, readOpenSessions } from '../../domain/live/changes.ts'
import type { Deps } from '../../domain/deps.ts'
import { LogThrottle } from '../../runtime/log.ts'
import { type StreamBounds, streamToEnd } from './stream-shares.ts'

const STREAM_BOUNDS: StreamBounds = { of_process: 4_000, of_org: 1_000, of_person: 20, of_session: 12 }

/** Between two messages to an organisation. */
const REST_MS = 1_000
/** Interval of beats. A page without a sign of life for 10 s reports that its connection is lost; proxies cut silent connections. */
const BEAT_SEC = 4
/** An event, because scripts do not see comments. */
const BEAT = 'event: beat\ndata:\n\n'
/** A stream is ended after this time, and its page opens another one: so pages spread over the processes that there are. */
const LIFE_SEC = 900
/** How often we ask whether the sessions are still open, when nothing changes. */
const VERIFY_SEC = 15
/** A change is found here if nobody told of it. */
const LOOK_MS = 1_000
/** A transaction takes a while between its change and its end: each look goes back so far, and every tenth much further. */
const BACK_SEC = 10
const FAR_BACK_SEC = 90
/** Of a page that does not read what it is sent. */
const MOST_UNREAD = 2_048
/** Pages that hear of a change ask again within this time, spread; with many pages it takes longer. */
const SPREAD_MS = 800
const SPREAD_MS_EACH = 8
/** When a stream ends, its page comes back within this time. */
const BACK_MS = 4_000
/** A page that lost its stream to another one comes back after this time. Until then it polls. */
const LOST_BACK_MS = 30_000
/** Without any page for so long, nothing is looked for. */
const REST_SEC = 60
const QUIET_MS = 60_000

/** Whose page it is. */
export interface Reader {
  org_id: number
  person_id: number
  session_hash: Buffer
  /** Network of the client's address. */
  network: string
}

interface Stream extends Reader {
  session: string
  res: ServerResponse
  /** In which second of a beat it is sent one. */
  turn: number
  until_ms: number
}

interface Watched {
  streams: Set<Stream>
  told_ms: number
  timer?: NodeJS.Timeout
}

type LiveDeps = Pick<Deps, 'database' | 'clock' | 'random' | 'log'>

export class LiveStreams {
  readonly #deps: LiveDeps
  readonly #bounds: StreamBounds
  readonly #orgs = new Map<number, Watched>()
  /** In the order in which they were opened. */
  readonly #streams = new Set<Stream>()
  readonly #throttle: LogThrottle
  /** Changes that were told, with when (monotonic ms): they are found again by looking. */
  readonly #told = new Map<string, number>()
  #seconds = 0
  #looks = 0
  /** For how long no page was open. */
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

  /** Keeps an answer open as a stream for a page that shows `version`. If there are too many streams, another one ends. */
  open(of: Reader, res: ServerResponse, version: string): void {
    const session = of.session_hash.toString('hex')
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      // nginx would wait until it has a buffer full.
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

  /** Tells a page of what changed before its stream was open. It is asked afterwards: what comes from then on, the stream hears. */
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

  /** Something of an organisation changed. */
  ring({ org_id, change_id }: Change): void {
    // With no page open there is nobody to tell, and nothing that would forget what was told.
    if (!this.#ticking) return
    const key = `${org_id} ${change_id}`
    if (this.#told.has(key)) return
    this.#told.set(key, this.#deps.clock.monotonicMs())
    this.#wake(org_id)
  }

  /** Nobody knows what changed: whoever told of changes was away. */
  ringAll(): void {
    for (const org_id of this.#orgs.keys()) this.#wake(org_id)
  }

  /** Ends all of them. Their pages come back, each after a time of its own. */
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

  /** Nothing is asked and nothing runs when no page was open for a while: somebody who goes from page to page opens one after the other. */
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

  /** Whoever may no longer see the organisation hears nothing more of it. */
  async #tell(org_id: number, watched: Watched): Promise<void> {
    if (!(await this.#verify([...watched.streams]))) return this.#wake(org_id)
    const spread_ms = Math.max(SPREAD_MS, SPREAD_MS_EACH * watched.streams.size)
    for (const stream of [...watched.streams]) this.#write(stream, `data: ${spread_ms}\n\n`)
  }

  /** Ends the streams whose session is over, or shows another organisation; false: nobody could be asked. */
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
    const all: Stream[] = []
    for (const { streams } of this.#orgs.values()) {
      for (const stream of streams) {
        if (stream.turn === turn) this.#beat(stream, now_ms)
        if (this.#seconds % VERIFY_SEC === 0) all.push(stream)
      }
    }
    void this.#verify(all)
    for (const [key, at_ms] of this.#told) {
      if (now_ms - at_ms < 2 * FAR_BACK_SEC * 1000) break
      this.#told.delete(key)
    }
  }

  /** What was sent a beat ago and is still here was not read. */
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

  /** A whole number below `most`. */
  #chance(most: number): number {
    const [high = 0, low = 0] = this.#deps.random(2)
    return Math.floor((((high << 8) | low) / 65_536) * most)
  }
}
