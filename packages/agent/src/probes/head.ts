// Corrects the head of an answer so that Node's parser accepts it, where browsers and curl tolerate what is wrong with
// it.

import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Attempt } from './attempt.ts'
import { HEADS, Lease } from './body-memory.ts'
import { KeptBytes } from './kept-bytes.ts'
import { type Input, Paced } from './paced.ts'

/** Of all heads of an answer together, the interim ones included. */
export const HEAD_MAX_BYTES = 256 * 1024
/** As many as curl takes, in all heads of an answer together. */
const LINES_MAX = 5000
/** The parser copies a value for each line that continues it. */
const FOLDED_MAX = 500
/** A target may send this many interim heads, such as 103 Early Hints. Each costs as much as an answer. */
const INTERIM_MAX = 100
/** Each head may take so much without asking. */
const FREE_BYTES = 16 * 1024
const BEGINNING = 'HTTP/'
const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/

/**
 * The head without the lines that have no name, such as a second status line, and with one Content-Length where the same is given several times. Nobody
 * reads the answer after us, so that it cannot be read in two ways. Lengths that differ stay, and are a fault.
 */
export function cleanHead(head: string): string {
  const [status = '', ...lines] = head.split(/\r?\n/)
  const kept = [status]
  let length: string | undefined
  // A line that continues none is none.
  let isDropped = true
  for (const line of lines) {
    if (/^(?:[ \t]|$)/.test(line)) {
      if (line === '' || !isDropped) kept.push(line)
      continue
    }
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).trimEnd()
    const value = name.toLowerCase() === 'content-length' ? oneLength(line.slice(colon + 1)) : undefined
    isDropped = !TOKEN.test(name) || (value !== undefined && value === length)
    if (isDropped) continue
    length = value ?? length
    kept.push(value === undefined ? name + line.slice(colon) : `${name}: ${value}`)
  }
  return kept.join('\r\n')
}

const PLAIN = /^[^\r\n]*\r\n(?:[!#$%&'*+.^_`|~\dA-Za-z-]+:[^\r\n]*\r\n)*\r\n$/
const FOLDED = /\n[ \t]/g
/** The name alone: its value may stand in the next line. */
const CHUNKED = /transfer-encoding/i
const LENGTH = /\ncontent-length:[^\r]*/gi
const ONE_LENGTH = /:[ \t]*\d+[ \t]*$/

/** True for a head that nothing would be done to, as those of most answers are. */
export function isClean(head: string): boolean {
  const lengths = head.match(LENGTH) ?? []
  return PLAIN.test(head) && lengths.length <= 1 && lengths.every((line) => ONE_LENGTH.test(line))
}

/** Undefined for what is not one number, however often it is said. */
function oneLength(text: string): string | undefined {
  const [first, ...others] = new Set(text.split(',').map((part) => part.trim()))
  return others.length === 0 && first !== undefined && /^\d+$/.test(first) ? first : undefined
}

/**
 * Stands between a socket and whoever reads it until a whole head has come, and then hands on what comes: another stream
 * around the socket would cost a third of a probe.
 */
class HeadCleaner {
  readonly #attempt: Attempt
  readonly #socket: Socket
  readonly #lease = new Lease(HEADS)
  readonly #paced: Paced
  #head = new KeptBytes(HEAD_MAX_BYTES + 1)
  #isPaused = false
  #hasAsked = false
  #isAside = false
  #interim = 0
  /** Bytes of the heads before this one. */
  #earlier = 0
  #lines = 0

  constructor(attempt: Attempt, socket: Socket) {
    this.#attempt = attempt
    this.#socket = socket
    this.#paced = new Paced(attempt, socket, (input) => this.#hand(input))
    let isTaken = true
    const onInput = (input: Input): void => {
      isTaken = this.#paced.add(input)
    }
    const guarded = attempt.guarded(onInput)
    socket.push = (input: Input): boolean => {
      guarded(input)
      return isTaken
    }
  }

  #hand(input: Input): boolean {
    if (this.#isAside) return PUSH.call(this.#socket, input)
    return input ? this.#take(input) : this.#end()
  }

  /** False when no more should be read for now. */
  #take(chunk: Buffer): boolean {
    const before = this.#head.length
    const searched = Math.max(0, before - 3)
    this.#head.add(chunk)
    const { bytes } = this.#head
    // What is not HTTP is left to the parser.
    if (!isHttp(bytes)) return this.#stepAside(before > 0 ? [bytes.subarray(0, before), chunk] : [chunk])
    const { end, lines } = endOfHead(bytes, { searched, before })
    this.#lines += lines
    if (this.#earlier + (end ?? bytes.length) > HEAD_MAX_BYTES || this.#lines > LINES_MAX) return this.#tooLarge()
    if (end !== undefined) return this.#headEnds(chunk, end - before, bytes.subarray(0, end))
    if (this.#head.length > FREE_BYTES && !this.#hasAsked) this.#askForMemory()
    return !this.#isPaused
  }

  #end(): boolean {
    return this.#stepAside(this.#head.length > 0 ? [this.#head.bytes, null] : [null])
  }

  #askForMemory(): void {
    this.#hasAsked = true
    this.#socket.once('close', () => this.#lease.release())
    const goOn = (): void => {
      if (this.#socket.destroyed) return
      this.#isPaused = false
      this.#attempt.goesOn()
      // Nothing was handed on, so that nobody else asks for more.
      this.#socket._read(0)
    }
    if (this.#lease.take(HEAD_MAX_BYTES, goOn, this.#attempt.address)) return
    this.#attempt.waits()
    this.#isPaused = true
  }

  #headEnds(came: Buffer, end: number, head: Buffer): boolean {
    const text = head.toString('latin1')
    // Another head follows one of these.
    const isLast = !/^HTTP\/\S+ +1(?!01)\d\d\b/.test(text)
    // Chunks may be of a byte each, and more headers follow them.
    const isSliced = isLast && CHUNKED.test(text)
    const chunk = isSliced ? this.#paced.slice(came, end) : came
    // In one piece, with what came of the body: two of them are read in two steps.
    if (isLast && end === head.length && isClean(text)) return this.#stepAside([chunk])
    if ((text.match(FOLDED)?.length ?? 0) > FOLDED_MAX) return this.#tooLarge()
    const cleaned = Buffer.from(cleanHead(text), 'latin1')
    const rest = chunk.subarray(end)
    if (isLast) return this.#stepAside(rest.length > 0 ? [cleaned, rest] : [cleaned])
    this.#interim++
    if (this.#interim > INTERIM_MAX) return this.#tooLarge()
    this.#earlier += head.length
    this.#head = new KeptBytes(HEAD_MAX_BYTES + 1)
    const isTaken = PUSH.call(this.#socket, cleaned)
    return rest.length > 0 ? this.#take(rest) : isTaken
  }

  #stepAside(inputs: readonly Input[]): boolean {
    this.#head = new KeptBytes(0)
    this.#isAside = true
    return inputs.map((input) => PUSH.call(this.#socket, input)).every(Boolean)
  }

  #tooLarge(): false {
    this.#socket.destroy(overflow())
    return false
  }
}

/** Has a socket, whose peer speaks HTTP, hand out heads that the parser takes. */
export function cleanHeads(attempt: Attempt, socket: Socket): void {
  new HeadCleaner(attempt, socket)
}

/** What streams do with a chunk. */
const PUSH = Reflect.get<Readable, 'push'>(Readable.prototype, 'push')

function isHttp(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, BEGINNING.length)
  return bytes.toString('latin1', 0, length) === BEGINNING.slice(0, length)
}

interface Searched {
  searched: number
  /** Where what is new begins. */
  before: number
}

interface Lines {
  /** Where the first empty line ends. */
  end?: number
  /** How many are new. */
  lines: number
}

function endOfHead(bytes: Buffer, { searched, before }: Searched): Lines {
  let lines = 0
  for (let at = bytes.indexOf(10, searched); at !== -1; at = bytes.indexOf(10, at + 1)) {
    if (at >= before) lines++
    if (bytes[at + 1] === 10) return { end: at + 2, lines }
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return { end: at + 3, lines }
  }
  return { lines }
}

function overflow(): NodeJS.ErrnoException {
  return Object.assign(new Error('the response headers are too large'), { code: 'HPE_HEADER_OVERFLOW' })
}
