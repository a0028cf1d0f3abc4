// Makes the head of an answer one that the platform's parser takes, where browsers and curl do not mind what is wrong with it.
import { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import type { Attempt } from './attempt.ts'
import { HEADS, Lease } from './body-memory.ts'
import { KeptBytes } from './kept-bytes.ts'

export const HEAD_MAX_BYTES = 256 * 1024
/** Each head may take so much without asking. */
const FREE_BYTES = 16 * 1024
const BEGINNING = 'HTTP/'
const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/

/**
 * The head without the lines whose name is none, and with one Content-Length where the same is given several times. Nobody
 * reads the answer after us, so that it cannot be read in two ways. Lengths that differ stay, and are a fault.
 */
export function cleanHead(head: string): string {
  const [status = '', ...lines] = head.split(/\r?\n/)
  const kept = [status]
  let length: string | undefined
  let isDropped = false
  for (const line of lines) {
    const isContinued = /^[ \t]/.test(line)
    const colon = isContinued ? -1 : line.indexOf(':')
    if (colon === -1) {
      if (!isContinued || !isDropped) kept.push(line)
      continue
    }
    const name = line.slice(0, colon).trimEnd()
    const value = name.toLowerCase() === 'content-length' ? oneLength(line.slice(colon + 1)) : undefined
    isDropped = !TOKEN.test(name) || (value !== undefined && value === length)
    if (isDropped) continue
    length = value ?? length
    kept.push(value === undefined ? name + line.slice(colon) : `${name}: ${value}`)
  }
  return kept.join('\r\n')
}

/** Undefined for what is not one number, however often it is said. */
function oneLength(text: string): string | undefined {
  const [first, ...others] = new Set(text.split(',').map((part) => part.trim()))
  return others.length === 0 && first !== undefined && /^\d+$/.test(first) ? first : undefined
}

/** A socket whose peer speaks HTTP, with heads that the parser takes. */
export class HeadCleaner extends Duplex {
  readonly #socket: Socket
  readonly #lease = new Lease(HEADS)
  #head = new KeptBytes(HEAD_MAX_BYTES + 1)
  #hasAsked = false
  #isBody = false
  #hasEnded = false

  constructor(attempt: Attempt, socket: Socket) {
    super({ allowHalfOpen: true })
    this.#socket = socket
    const onData = (chunk: Buffer): void => this.#take(attempt, chunk)
    const onEnd = (): void => {
      if (this.#head.length > 0) this.#pass(Buffer.from(this.#head.bytes))
      this.#hasEnded = true
      this.push(null)
    }
    socket.on('data', attempt.guarded(onData))
    socket.on('end', attempt.guarded(onEnd))
    socket.on('error', (error) => this.destroy(error))
    // What came before the end is still to be read.
    socket.on('close', () => this.#hasEnded || this.destroy())
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#lease.release()
    this.#socket.destroy()
    done(error)
  }

  #take(attempt: Attempt, chunk: Buffer): void {
    if (this.#isBody) return this.#pass(chunk)
    const searched = Math.max(0, this.#head.length - 3)
    const before = this.#head.length
    this.#head.add(chunk)
    const { bytes } = this.#head
    if (!isHttp(bytes)) return this.#passBody(chunk, before)
    const end = endOfHead(bytes, searched)
    if (end !== undefined) return this.#headEnds(attempt, chunk.subarray(end - before), bytes.subarray(0, end))
    if (this.#head.length > HEAD_MAX_BYTES) return void this.destroy(overflow())
    if (this.#head.length > FREE_BYTES && !this.#hasAsked) this.#askForMemory(attempt)
  }

  #askForMemory(attempt: Attempt): void {
    this.#hasAsked = true
    const goOn = (): void => {
      attempt.goesOn()
      this.#socket.resume()
    }
    if (this.#lease.take(HEAD_MAX_BYTES, goOn)) return
    attempt.waits()
    this.#socket.pause()
  }

  #headEnds(attempt: Attempt, rest: Buffer, head: Buffer): void {
    const text = head.toString('latin1')
    this.#isBody = !/^HTTP\/\S+ +1(?!01)\d\d\b/.test(text)
    this.#head = new KeptBytes(HEAD_MAX_BYTES + 1)
    this.#pass(Buffer.from(cleanHead(text), 'latin1'))
    if (rest.length > 0) this.#take(attempt, rest)
  }

  /** What is no HTTP is for the parser to say. */
  #passBody(chunk: Buffer, before: number): void {
    const begun = Buffer.from(this.#head.bytes.subarray(0, before))
    this.#isBody = true
    this.#head = new KeptBytes(0)
    if (begun.length > 0) this.#pass(begun)
    this.#pass(chunk)
  }

  #pass(bytes: Buffer): void {
    if (!this.push(bytes)) this.#socket.pause()
  }
}

function isHttp(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, BEGINNING.length)
  return bytes.toString('latin1', 0, length) === BEGINNING.slice(0, length)
}

/** Where the first empty line ends. */
function endOfHead(bytes: Buffer, from: number): number | undefined {
  for (let at = bytes.indexOf(10, from); at !== -1; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 2
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return at + 3
  }
  return undefined
}

function overflow(): NodeJS.ErrnoException {
  return Object.assign(new Error('the headers are too large'), { code: 'HPE_HEADER_OVERFLOW' })
}
