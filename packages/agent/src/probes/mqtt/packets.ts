// Writes and reads the packets of MQTT 3.1.1 that a check needs.
import { type ByteReader, MESSAGE_MAX_BYTES, type Message, ResponseFault } from '../byte-reader.ts'

const CONNECT = 0x10
const CONNACK = 2
const PUBLISH = 3
const SUBSCRIBE = 0x82
const SUBACK = 9
const PROTOCOL_LEVEL = 4
const KEEP_ALIVE_SEC = 120
export const DISCONNECT = Buffer.from([0xe0, 0x00])

/** Maximum number of packets that a broker may send. */
const PACKETS_MAX = 1000

interface Credentials {
  client: string
  user: string
  password: string
}

export function writeConnect({ client, user, password }: Credentials): Buffer {
  const signsIn = user !== '' || password !== ''
  // A clean session, with a user and with a password.
  const flags = 0x02 | (signsIn ? 0x80 : 0) | (password === '' ? 0 : 0x40)
  return packet(
    CONNECT,
    text('MQTT'),
    Buffer.from([PROTOCOL_LEVEL, flags, 0, KEEP_ALIVE_SEC]),
    text(client),
    ...(signsIn ? [text(user)] : []),
    ...(password === '' ? [] : [text(password)]),
  )
}

/** Returns a subscription with the lowest quality of service, at which messages may get lost. */
export function writeSubscribe(topic: string): Buffer {
  return packet(SUBSCRIBE, Buffer.from([0, 1]), text(topic), Buffer.from([0]))
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

function packet(type: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const length: number[] = []
  for (let left = body.length; length.length === 0 || left > 0; left >>>= 7)
    length.push(left > 0x7f ? (left & 0x7f) | 0x80 : left)
  return Buffer.concat([Buffer.from([type, ...length]), body])
}

interface Packet {
  type: number
  flags: number
  body: Buffer
  /** Whether only the beginning of the packet was read. */
  isCut: boolean
}

const REFUSALS = new Map([
  [1, 'the broker does not accept MQTT 3.1.1'],
  [2, 'the broker does not accept the client identifier'],
  [3, 'the broker is not available'],
  [4, 'the user or the password is wrong'],
  [5, 'the broker does not permit the connection'],
])

/** Reads the packets of a broker. */
export class PacketReader {
  readonly #bytes: ByteReader
  #packets = 0

  constructor(bytes: ByteReader) {
    this.#bytes = bytes
  }

  /** Waits until the broker accepts the connection. If the broker refuses, rejects with the broker's reason. */
  async accepted(): Promise<void> {
    const { type, body } = await this.#next()
    if (type !== CONNACK || body.length !== 2) throw invalid()
    const code = body[1] ?? 0
    if (code !== 0)
      throw new ResponseFault(REFUSALS.get(code) ?? `the broker refused the connection with the code ${code}`)
  }

  /** Resolves with the next message. Rejects if the broker refuses the subscription. */
  async message(): Promise<Message> {
    for (;;) {
      const { type, flags, body, isCut } = await this.#next()
      if (type === SUBACK && (body[2] ?? 0) > 2) throw new ResponseFault('the broker refused the subscription')
      if (type !== PUBLISH) continue
      const topicEnd = 2 + body.readUInt16BE()
      // A message whose receipt must be acknowledged has an identifier.
      const start = topicEnd + ((flags & 0x06) === 0 ? 0 : 2)
      if (start > body.length) throw invalid()
      return { text: body.toString('utf8', start), isCut }
    }
  }

  async #next(): Promise<Packet> {
    this.#packets += 1
    if (this.#packets > PACKETS_MAX) throw new ResponseFault(`the broker sent more than ${PACKETS_MAX} packets`)
    const [first = 0] = await this.#bytes.take(1)
    const length = await this.#length()
    const isCut = length > MESSAGE_MAX_BYTES
    const body = await this.#bytes.take(Math.min(length, MESSAGE_MAX_BYTES))
    if (isCut && first >> 4 !== PUBLISH) throw invalid()
    return { type: first >> 4, flags: first & 0x0f, body, isCut }
  }

  async #length(): Promise<number> {
    let length = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const [byte = 0] = await this.#bytes.take(1)
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) return length
    }
    throw invalid()
  }
}

function invalid(): ResponseFault {
  return new ResponseFault('the response is not valid MQTT')
}
