// Corrects the head of a response so that Node's parser accepts it where browsers and curl tolerate its faults.

import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Attempt } from '../attempt.ts'
import { HEADS, Lease } from '../body-memory.ts'
import { KeptBytes } from './kept-bytes.ts'
import { type Input, InputPacer } from './paced.ts'

/** Maximum length of all heads of a response together, interim ones included, in bytes. */
export const HEAD_MAX_BYTES = 256 * 1024
/** Maximum number of lines in all heads of a response together, as in curl. */
const LINES_MAX = 5000
/** Maximum number of continuation lines, because the parser copies the value for each of them. */
const FOLDED_MAX = 500
/** Maximum number of interim heads, such as 103 Early Hints. Each costs as much as a response. */
const INTERIM_MAX = 100
/** Memory that each head may use without a lease, in bytes. */
const FREE_BYTES = 16 * 1024
const BEGINNING = 'HTTP/'
const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/

/**
 * Removes lines without a name, such as a second status line, and repeats of the same Content-Length. Different lengths stay, so
 * that the parser refuses them. This is safe because only the agent reads the response.
 */
export function cleanHead(head: string): string {
  const [status = '', ...lines] = head.split(/\r?\n/)
  const kept = [status]
  let length: string | undefined
  // A continuation line without a line before it is invalid.
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
/** Name of the header, without its value, which may be in the next line. */
const CHUNKED = /transfer-encoding/i
const LENGTH = /\ncontent-length:[^\r]*/gi
const ONE_LENGTH = /:[ \t]*\d+[ \t]*$/

/** Whether `cleanHead` would not change the head, as with most responses. */
export function isClean(head: string): boolean {
  const lengths = head.match(LENGTH) ?? []
  return PLAIN.test(head) && lengths.length <= 1 && lengths.every((line) => ONE_LENGTH.test(line))
}

/** Returns the number in a Content-Length text, even if it repeats the same number. Returns undefined for any other text. */
function oneLength(text: string): string | undefined {
  const [first, ...others] = new Set(text.split(',').map((part) => part.trim()))
  return others.length === 0 && first !== undefined && /^\d+$/.test(first) ? first : undefined
}

/**
 * A filter between a socket and its reader. It waits for a whole head, and then passes on all further input. A second stream
 * around the socket would cost a third of a probe.
 */
class HeadCleaner {
  readonly #attempt: Attempt
  readonly #socket: Socket
  readonly #lease = new Lease(HEADS)
  readonly #paced: InputPacer
  #head = new KeptBytes(HEAD_MAX_BYTES + 1)
  #isPaused = false
  #hasAsked = false
  #isAside = false
  #interim = 0
  /** Length of the earlier heads of this response, in bytes. */
  #earlier = 0
  #lines = 0

  constructor(attempt: Attempt, socket: Socket) {
    this.#attempt = attempt
    this.#socket = socket
    this.#paced = new InputPacer(attempt, socket, (input) => this.#hand(input))
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

  /** Receives a chunk. Returns false if no more should be read for now. */
  #take(chunk: Buffer): boolean {
    const before = this.#head.length
    const searched = Math.max(0, before - 3)
    this.#head.add(chunk)
    const { bytes } = this.#head
    // Input that is not HTTP is left to the parser.
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
      // While the head waited for memory, the reader received nothing, so it does not request more by itself.
      this.#socket._read(0)
    }
    if (this.#lease.take(HEAD_MAX_BYTES, goOn, this.#attempt.address)) return
    this.#attempt.waits()
    this.#isPaused = true
  }

  #headEnds(came: Buffer, end: number, head: Buffer): boolean {
    const text = head.toString('latin1')
    // After an interim head, another head follows.
    const isLast = !/^HTTP\/\S+ +1(?!01)\d\d\b/.test(text)
    // Each chunk may contain only a byte, and trailers may follow the last chunk, so the parser gets the body in slices.
    const isSliced = isLast && CHUNKED.test(text)
    const chunk = isSliced ? this.#paced.slice(came, end) : came
    // Pushes the head and the start of the body in one piece, because the reader would need a step for each of two pieces.
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

/** Makes a socket, whose peer speaks HTTP, produce heads that the parser accepts. */
export function cleanHeads(attempt: Attempt, socket: Socket): void {
  new HeadCleaner(attempt, socket)
}

/** The method `push` of streams, which `HeadCleaner` replaces on its socket. */
const PUSH = Reflect.get<Readable, 'push'>(Readable.prototype, 'push')

function isHttp(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, BEGINNING.length)
  return bytes.toString('latin1', 0, length) === BEGINNING.slice(0, length)
}

interface HeadSearch {
  searched: number
  /** Position of the first byte that earlier calls have not counted. */
  before: number
}

interface Lines {
  /** Position after the first empty line. Absent if no empty line has arrived yet. */
  end?: number
  /** Number of lines that earlier calls have not counted. */
  lines: number
}

function endOfHead(bytes: Buffer, { searched, before }: HeadSearch): Lines {
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
