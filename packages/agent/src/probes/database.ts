// Connects to a database, and reports the first value of its query. Contains what the probes of all databases have in common.
import type { Socket } from 'node:net'
import type { TargetOf } from '@dogwatch/check-rules/target'
import type { Check } from '@dogwatch/monitor-sdk'
import type { Attempt } from './attempt.ts'
import { type ByteReader, converse, ResponseFault } from './byte-reader.ts'
import { connectTo, type Security, securityOf, startTls } from './dial.ts'

/** Maximum length of the part of a value that the probe reads, in bytes. */
export const VALUE_MAX_BYTES = 64 * 1024
/** Maximum number of messages that a server may send. Each can be empty. */
const MESSAGES_MAX = 5000
/** Maximum length of the text of an error that is kept. */
const ERROR_MAX_CHARS = 500

export type DatabaseTarget = TargetOf<'postgres' | 'mysql'>

/** Value of a column, or the beginning of a long text. */
export interface Value {
  content: string | number | boolean | null
  isCut: boolean
}

/** Converts the text of a value to a number if its column has a numeric type. */
export function readValue(text: string, isNumeric: boolean): string | number {
  const number = Number(text)
  // A number that JavaScript cannot represent stays a text.
  const isExact =
    isNumeric && text !== '' && (Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number))
  return isExact ? number : text
}

/** Connection to a database. */
export class Link {
  readonly bytes: ByteReader
  readonly #attempt: Attempt
  readonly #security: Security
  #socket: Socket
  #messages = 0

  constructor(attempt: Attempt, { socket, bytes }: { socket: Socket; bytes: ByteReader }, security: Security) {
    this.#attempt = attempt
    this.#socket = socket
    this.bytes = bytes
    this.#security = security
  }

  get timeout_ms(): number {
    return Math.ceil(this.#attempt.bounds.timeout_ms)
  }

  send(...parts: Buffer[]): void {
    this.#socket.write(Buffer.concat(parts))
  }

  /** Counts a message. Throws if there are too many. */
  count(): void {
    this.#messages += 1
    if (this.#messages > MESSAGES_MAX) throw new ResponseFault(`the server sent more than ${MESSAGES_MAX} messages`)
  }

  /** Starts TLS. Resolves once the certificate is accepted. */
  async encrypt(): Promise<void> {
    // Data that came before the handshake could be from anyone on the path.
    if (this.bytes.length > 0) throw new ResponseFault('the server sent data before the TLS handshake')
    this.bytes.pause()
    this.#socket = await startTls(this.#attempt, this.#socket, this.#security, 'first_byte')
    this.bytes.moveTo(this.#socket)
  }
}

/** Maximum length of all that a server may send, in bytes. */
const LINK_MAX_BYTES = 256 * 1024

/** Connects to a database, and runs an exchange with it. Reports the value that the exchange resolves with. */
export function probeDatabase(
  attempt: Attempt,
  { target, check, protocol }: { target: DatabaseTarget; check: Check; protocol: string },
  exchange: (link: Link) => Promise<Value | undefined>,
): void {
  const { host, port } = target
  connectTo(attempt, { host, port, answers: true }, (socket) =>
    converse(attempt, socket, { protocol, max_bytes: LINK_MAX_BYTES }, async (bytes) => {
      const found = await exchange(new Link(attempt, { socket, bytes }, securityOf(host, check)))
      if (!found) return attempt.finish()
      attempt.facts.value = found.content
      attempt.finish(String(found.content ?? 'NULL'), found.isCut ? { read: '64 KiB' } : {})
    }),
  )
}

/**
 * Returns the fault for an error of the server. The error's text becomes the content of the run, because it can contain names.
 */
export function refusal(code: string, text: string, meanings: ReadonlyMap<string, string>): ResponseFault {
  const shown = /^[\w-]{1,40}$/.test(code) ? code : 'unknown'
  const meaning = meanings.get(shown)
  const words = meaning === undefined ? `the server reported the error ${shown}` : `${meaning} (${shown})`
  return new ResponseFault(words, { content: text.slice(0, ERROR_MAX_CHARS) })
}
