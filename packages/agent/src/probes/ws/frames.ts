// Writes and reads the frames of a WebSocket (RFC 6455).
import { randomBytes } from 'node:crypto'
import { type ByteReader, MESSAGE_MAX_BYTES, type Message, ResponseFault } from '../byte-reader.ts'

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** Maximum number of frames that a target may send. Each can be empty. */
const FRAMES_MAX = 1000
const CONTROL_MAX_BYTES = 125
const NO_STATUS = 1005

/** Returns a whole message or control frame, masked as the protocol requires for clients. */
export function writeFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const head = Buffer.alloc(length < 126 ? 2 : length < 0x1_0000 ? 4 : 10)
  head[0] = 0x80 | opcode
  head[1] = 0x80 | (length < 126 ? length : length < 0x1_0000 ? 126 : 127)
  if (head.length === 4) head.writeUInt16BE(length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
  const mask = randomBytes(4)
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))])
}

interface Frame {
  opcode: number
  isLast: boolean
  length: number
}

/** Reads the messages of a server, and responds to its pings. */
export class MessageReader {
  readonly #bytes: ByteReader
  readonly #respond: (frame: Buffer) => void
  #frames = 0

  constructor(bytes: ByteReader, respond: (frame: Buffer) => void) {
    this.#bytes = bytes
    this.#respond = respond
  }

  /** Resolves with the next message. Rejects if the server closes the WebSocket, or breaks the protocol. */
  async next(): Promise<Message> {
    const parts: Buffer[] = []
    let length = 0
    for (;;) {
      const frame = await this.#head()
      if (frame.opcode >= OPCODES.close) {
        await this.#control(frame)
        continue
      }
      // The first frame of a message names the message's kind, and all further frames are continuations.
      if ((frame.opcode === OPCODES.continuation) !== parts.length > 0) throw invalid()
      const isCut = length + frame.length > MESSAGE_MAX_BYTES
      parts.push(await this.#bytes.take(isCut ? MESSAGE_MAX_BYTES - length : frame.length))
      length += frame.length
      if (isCut || frame.isLast) return { text: Buffer.concat(parts).toString(), isCut }
    }
  }

  async #head(): Promise<Frame> {
    this.#frames += 1
    if (this.#frames > FRAMES_MAX) throw new ResponseFault(`the server sent more than ${FRAMES_MAX} frames`)
    const [first = 0, second = 0] = await this.#bytes.take(2)
    const opcode = first & 0x0f
    const isKnown = opcode <= OPCODES.binary || (opcode >= OPCODES.close && opcode <= OPCODES.pong)
    // Refuses bits of extensions, because the agent offered none, and masked frames, which a server must not send.
    if ((first & 0x70) !== 0 || (second & 0x80) !== 0 || !isKnown) throw invalid()
    return { opcode, isLast: (first & 0x80) !== 0, length: await this.#length(second) }
  }

  async #length(short: number): Promise<number> {
    if (short < 126) return short
    if (short === 126) return (await this.#bytes.take(2)).readUInt16BE()
    return Number((await this.#bytes.take(8)).readBigUInt64BE())
  }

  async #control({ opcode, isLast, length }: Frame): Promise<void> {
    if (!isLast || length > CONTROL_MAX_BYTES) throw invalid()
    const payload = await this.#bytes.take(length)
    if (opcode === OPCODES.ping) this.#respond(writeFrame(OPCODES.pong, payload))
    if (opcode !== OPCODES.close) return
    const code = length < 2 ? NO_STATUS : payload.readUInt16BE()
    throw new ResponseFault(`the server closed the WebSocket with the code ${code}`, {
      content: payload.toString('utf8', 2),
    })
  }
}

function invalid(): ResponseFault {
  return new ResponseFault('the server breaks the WebSocket protocol')
}
