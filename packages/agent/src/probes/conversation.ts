// Exchanges messages with a target over one connection: sends, reads responses of limited length, and changes the connection to
// TLS.
import type { Socket } from 'node:net'
import { HIDDEN } from '@dogwatch/check-rules/secrets'
import type { Attempt } from './attempt.ts'
import { connectTo, type Endpoint, type Security, startTls } from './dial.ts'
import { CLOSED } from './faults.ts'
import type { Fault } from './observation.ts'

/** Fault that ends a conversation. */
export class ConversationFault extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.words)
    this.fault = fault
  }
}

/** Makes a fault of a response that does not follow the protocol. */
export function protocolFault(words: string): ConversationFault {
  return new ConversationFault({ kind: 'protocol', words })
}

/** Response at the start of the received bytes, and its length. */
export interface ReadResponse<Value> {
  value: Value
  length: number
}

/** Reads the response at the start of the received bytes. Returns undefined if it is not complete. */
export type ResponseReader<Value> = (received: Buffer) => ReadResponse<Value> | undefined

/** Maximum length of a response, in bytes. */
export const RESPONSE_MAX_BYTES = 4096
/** Maximum number of bytes that a target may send in a run. */
const RECEIVED_MAX_BYTES = 65_536

/** Minimum length of a secret that the agent removes from texts of the target. */
const SECRET_MIN_CHARS = 4

const TOO_LONG: Fault = { kind: 'protocol', words: 'the response is longer than 4 KiB' }
const TOO_MUCH: Fault = { kind: 'protocol', words: 'the target sent more than 64 KiB' }
const INJECTED: Fault = { kind: 'protocol', words: 'the target sent more data before the TLS handshake' }

type Script = (conversation: Conversation) => Promise<void>

interface ConversationOptions extends Omit<Endpoint, 'answers'> {
  /**
   * Texts that the agent sends, and that it removes from content and faults. Keeps short ones, because they may occur in any
   * text.
   */
  secrets: readonly string[]
}

/** Opens a connection, and runs a script on it. When the script ends, the attempt ends, too. */
export function converse(attempt: Attempt, { secrets, ...endpoint }: ConversationOptions, script: Script): void {
  const hidden = secrets.filter(({ length }) => length >= SECRET_MIN_CHARS)
  connectTo(attempt, { ...endpoint, answers: true }, (socket) =>
    run(attempt, new Conversation(attempt, socket, hidden), script),
  )
}

function run(attempt: Attempt, conversation: Conversation, script: Script): void {
  attempt.whileWaiting = () => ({ words: conversation.waitsFor, content: conversation.heard })
  const fail = (error: unknown): void => {
    if (!(error instanceof ConversationFault)) return attempt.crash(error)
    const { kind, words } = error.fault
    attempt.fail({ kind, words: conversation.withoutSecrets(words) }, conversation.heard)
  }
  script(conversation).catch(fail)
}

/** Conversation whose promises stay pending once the attempt has ended. */
export class Conversation {
  /** Description of the next response, for the fault of a run that ends while the target is silent. */
  waitsFor: string | undefined
  readonly #attempt: Attempt
  readonly #secrets: readonly string[]
  #socket: Socket
  readonly #lines: string[] = []
  #received = Buffer.alloc(0)
  #received_bytes = 0
  #isClosed = false
  #look: (() => void) | undefined
  #stopListening: () => unknown = () => undefined

  constructor(attempt: Attempt, socket: Socket, secrets: readonly string[]) {
    this.#attempt = attempt
    this.#secrets = secrets
    this.#socket = socket
    this.#listen()
  }

  /** Resolves with the next response. Rejects if it is too long, or not complete when the target closes the connection. */
  read<Value>(waitsFor: string, reader: ResponseReader<Value>): Promise<Value> {
    this.waitsFor = `while waiting for ${waitsFor}`
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const response = reader(this.#received)
        if (response) {
          this.#look = undefined
          this.#received = this.#received.subarray(response.length)
          resolve(response.value)
        } else if (this.#received.length >= RESPONSE_MAX_BYTES) throw new ConversationFault(TOO_LONG)
        else if (this.#isClosed) throw new ConversationFault(CLOSED)
      }
      this.#look = () => {
        try {
          look()
        } catch (error) {
          this.#look = undefined
          reject(error)
        }
      }
      this.#look()
    })
  }

  /** Text from the target that rules can search. */
  get content(): string {
    return this.withoutSecrets(this.#lines.join('\n'))
  }

  /** Text from the target, with the start of an incomplete response. */
  get heard(): string {
    const started = this.#received.toString('utf8', 0, RESPONSE_MAX_BYTES)
    return this.withoutSecrets([...this.#lines, ...(started === '' ? [] : [started])].join('\n'))
  }

  withoutSecrets(text: string): string {
    return this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text)
  }

  /** Passes the received bytes to the reader once more, because its decision may depend on the time. */
  lookAgain(): void {
    this.#look?.()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes)
  }

  /** Adds lines to the content. A newline is between two lines, but not after the last one. */
  note(lines: readonly string[]): void {
    this.#lines.push(...lines)
  }

  /** Discards received bytes that the caller has examined. */
  skip(bytes: number): void {
    this.#received = this.#received.subarray(bytes)
  }

  /**
   * Makes the TLS handshake on the connection. Refuses data that came before the handshake, because anyone on the path could have
   * sent it.
   */
  async startTls(security: Security): Promise<void> {
    if (this.#received.length > 0) throw new ConversationFault(INJECTED)
    this.#stopListening()
    this.waitsFor = undefined
    this.#socket = await startTls(this.#attempt, this.#socket, security, 'body')
    this.#listen()
  }

  /** Ends the attempt. Sends `farewell` first, and does not wait for a response to it. */
  finish(farewell: string | Uint8Array = ''): void {
    if (this.#attempt.isOver) return
    this.#socket.end(farewell)
    this.#attempt.finish(this.content)
  }

  #listen(): void {
    const attempt = this.#attempt
    const onData = (chunk: Buffer): void => {
      if (this.#received_bytes === 0) attempt.enter('body')
      attempt.answered()
      this.#received_bytes += chunk.length
      if (this.#received_bytes > RECEIVED_MAX_BYTES) return attempt.fail(TOO_MUCH, this.heard)
      this.#received = Buffer.concat([this.#received, chunk])
      this.#look?.()
    }
    const onEnd = (): void => {
      this.#isClosed = true
      this.#look?.()
    }
    const socket = this.#socket
    const [hear, end] = [attempt.guarded(onData), attempt.guarded(onEnd)]
    socket.on('data', hear).on('end', end)
    this.#stopListening = () => socket.off('data', hear).off('end', end).pause()
  }
}
