// Reads the messages of a binary protocol from a connection, up to a limit for the whole run.
import type { Socket } from 'node:net'
import type { Attempt } from './attempt.ts'
import { CLOSED } from './faults.ts'
import type { Fault } from './observation.ts'

/** Reason why a response fails the check. */
export class ResponseFault extends Error {
  readonly fault: Fault
  readonly content: string

  constructor(words: string, { kind = 'protocol', content = '' }: { kind?: Fault['kind']; content?: string } = {}) {
    super(words)
    this.fault = { kind, words }
    this.content = content
  }
}

interface ReaderLimits {
  /** Name of the protocol, for faults. */
  protocol: string
  /** Maximum length of all that the target may send, in bytes. */
  max_bytes: number
}

interface PendingTake {
  count: number
  resolve: (bytes: Buffer) => void
}

/** Codes of errors that reading beyond the end of a message causes. */
const SHORT: ReadonlySet<unknown> = new Set(['ERR_OUT_OF_RANGE', 'ERR_BUFFER_OUT_OF_BOUNDS'])

/**
 * Runs an exchange of messages over a connection. The attempt ends if the exchange throws. After the end of the attempt, promises
 * of `ByteReader.take` stay pending.
 */
export function converse(
  attempt: Attempt,
  socket: Socket,
  limits: ReaderLimits,
  exchange: (bytes: ByteReader) => Promise<void>,
): void {
  exchange(new ByteReader(attempt, socket, limits)).catch((error: unknown) => {
    if (error instanceof ResponseFault) attempt.fail(error.fault, error.content)
    else if (SHORT.has((error as { code?: unknown }).code)) attempt.fail(invalid(limits))
    else attempt.crash(error)
  })
}

function invalid({ protocol }: ReaderLimits): Fault {
  return { kind: 'protocol', words: `the response is not valid ${protocol}` }
}

/** Maximum length of a message that is read, in bytes. */
export const MESSAGE_MAX_BYTES = 64 * 1024

export interface Message {
  text: string
  /** Whether only the beginning of the message was read. */
  isCut: boolean
}

/**
 * Reads messages until the rule of the check accepts one, or one is too long to read whole. Then calls `end`, and ends the attempt.
 * Without a rule, the first message is enough.
 */
export async function untilEnough(attempt: Attempt, next: () => Promise<Message>, end: () => unknown): Promise<void> {
  const { isEnough = () => true } = attempt.bounds
  let last = ''
  // If no message that the rule accepts comes in time, the run judges the last message that came.
  attempt.onTimeout = () => last
  for (;;) {
    const { text, isCut } = await next()
    last = text
    if (!isCut && !isEnough(text)) continue
    end()
    return attempt.finish(text, isCut ? { read: '64 KiB' } : {})
  }
}

export class ByteReader {
  readonly #attempt: Attempt
  readonly #limits: ReaderLimits
  #socket: Socket
  #chunks: Buffer[] = []
  #length = 0
  #received = 0
  #wanted: PendingTake | undefined
  readonly #onData: (chunk: Buffer) => void
  readonly #onEnd: () => void

  constructor(attempt: Attempt, socket: Socket, limits: ReaderLimits) {
    this.#attempt = attempt
    this.#limits = limits
    this.#socket = socket
    this.#onData = attempt.guarded((chunk) => this.#add(chunk))
    this.#onEnd = attempt.guarded(() => attempt.fail(CLOSED))
    this.#listen()
  }

  /** Number of bytes that have arrived and are not yet read. */
  get length(): number {
    return this.#length
  }

  /** Resolves with the next `count` bytes. Rejects if they would exceed the limit for the whole run. */
  async take(count: number): Promise<Buffer> {
    const { protocol, max_bytes } = this.#limits
    if (count > max_bytes)
      throw new ResponseFault(`the response is longer than ${max_bytes / 1024} KiB, or not valid ${protocol}`)
    if (this.#length >= count) return this.#cut(count)
    return await new Promise((resolve) => {
      this.#wanted = { count, resolve }
    })
  }

  /** Stops reading from this connection, because the exchange will continue over another one, such as TLS. */
  pause(): void {
    this.#socket.off('data', this.#onData).off('end', this.#onEnd)
  }

  /** Continues the exchange over another connection. */
  moveTo(socket: Socket): void {
    this.#socket = socket
    this.#listen()
  }

  #listen(): void {
    this.#socket.on('data', this.#onData).on('end', this.#onEnd)
  }

  #add(chunk: Buffer): void {
    if (this.#attempt.isOver) return
    if (this.#received === 0) this.#attempt.enter('body')
    this.#attempt.answered()
    this.#received += chunk.length
    if (this.#received > this.#limits.max_bytes) {
      const { max_bytes } = this.#limits
      return this.#attempt.fail({ kind: 'protocol', words: `the response is longer than ${max_bytes / 1024} KiB` })
    }
    this.#chunks.push(chunk)
    this.#length += chunk.length
    const wanted = this.#wanted
    if (!wanted || this.#length < wanted.count) return
    this.#wanted = undefined
    wanted.resolve(this.#cut(wanted.count))
  }

  #cut(count: number): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks)
    this.#length -= count
    this.#chunks = this.#length === 0 ? [] : [all.subarray(count)]
    return all.subarray(0, count)
  }
}
