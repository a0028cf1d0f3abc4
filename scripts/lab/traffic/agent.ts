// One agent as the server sees it: its requests and when it sends them.
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Answer, request } from '../lane.ts'
import { bodyOf, Gathering, type Share, type Tick } from './rounds.ts'
import type { Sender } from './sender.ts'

/** Minimum length of a compressed body, as in the agent. */
const COMPRESS_MIN_CHARS = 4096
/** One sync of this many asks for the whole set. */
const FULL_EVERY = 20
const VERSION = '1.0.0'

export interface Identity {
  key: string
  /** Each agent is a machine of its own. */
  address: string
  share: Share
}

export class Agent {
  readonly #identity: Identity
  readonly #headers: Readonly<Record<string, string>>
  readonly #gathering: Gathering
  readonly sender: Sender
  /** Cursor of an agent that has its whole set already. */
  #cursor = new Date().toISOString()
  #syncs: number

  constructor(identity: Identity, sender: Sender, place: number) {
    this.#identity = identity
    this.#gathering = new Gathering(identity.share)
    this.sender = sender
    this.#syncs = place
    this.#headers = {
      'X-Forwarded-For': identity.address,
      'User-Agent': `dogwatch-agent/${VERSION}`,
      Accept: 'application/json, text/plain',
      'Accept-Encoding': 'gzip, deflate',
    }
  }

  /** Runs checks, and uploads when it is time. `done` receives the ticks whose results the server accepted. */
  run(tick: Tick, due: number, done: (results: number, ticks: readonly Tick[]) => void): void {
    const { key, share } = this.#identity
    const ticks = this.#gathering.add(tick)
    if (ticks.length === 0) return
    const make = () => {
      const body = bodyOf(share, ticks)
      const isLong = body.length >= COMPRESS_MIN_CHARS
      const headers = isLong ? { ...this.#headers, 'Content-Encoding': 'gzip' } : this.#headers
      return request('POST', '/results', { key, headers, body: isLong ? gzipSync(body) : body })
    }
    const taken = (answer: Answer) => done((JSON.parse(answer.body.toString()) as { accepted: number }).accepted, ticks)
    this.sender.send({ kind: 'upload', due, make, done: taken })
  }

  sync(due: number): void {
    const isFull = this.#syncs++ % FULL_EVERY === 0
    const { key } = this.#identity
    const make = () => {
      const path = isFull ? '/checks' : `/checks?since=${encodeURIComponent(this.#cursor)}`
      return request('GET', path, { key, headers: this.#headers })
    }
    const done = (answer: Answer) => {
      this.#cursor = /"server_time":"([^"]+)"/.exec(textOf(answer))?.[1] ?? this.#cursor
    }
    this.sender.send({ kind: isFull ? 'full sync' : 'sync', due, make, done })
  }

  report(due: number): void {
    const { key } = this.#identity
    const body = `{"version":"${VERSION}","uptime_sec":${Math.floor(due / 1000)},"unsent_results":0}`
    this.sender.send({
      kind: 'status',
      due,
      make: () => request('POST', '/status', { key, headers: this.#headers, body }),
    })
  }
}

function textOf({ head, body }: Answer): string {
  const bytes = /^transfer-encoding: *chunked/im.test(head) ? withoutFraming(body) : body
  return (/^content-encoding: *gzip/im.test(head) ? gunzipSync(bytes) : bytes).toString()
}

function withoutFraming(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at)
    const length = Number.parseInt(body.toString('latin1', at, lineEnd), 16)
    if (!(length > 0)) return Buffer.concat(parts)
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + length))
    at = lineEnd + 2 + length + 2
  }
}
