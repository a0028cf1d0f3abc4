// Writes and reads the packets of the protocol of MySQL and MariaDB.
import { ResponseFault } from '../byte-reader.ts'
import { type Link, readValue, refusal, VALUE_MAX_BYTES, type Value } from '../database.ts'

const PACKET_MAX_BYTES = 64 * 1024
const PROTOCOL_VERSION = 10
const COM_QUERY = 0x03
export const COM_QUIT = Buffer.from([0x01])

/** First bytes of packets from the server, which say what a packet is. */
const OK = 0x00
const LOCAL_FILE = 0xfb
const NULL = 0xfb
const END = 0xfe
const ERROR = 0xff

/** Reads a packet from left to right. */
export class PacketCursor {
  readonly bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get left(): number {
    return this.bytes.length - this.at
  }

  number(length: number): number {
    const value = this.bytes.readUIntLE(this.at, length)
    this.at += length
    return value
  }

  take(length: number): Buffer {
    const part = this.bytes.subarray(this.at, this.at + length)
    this.at += length
    return part
  }

  /** Reads a text that a zero byte or the end of the packet ends. */
  text(): string {
    const end = this.bytes.indexOf(0, this.at)
    const part = this.bytes.toString('utf8', this.at, end < 0 ? this.bytes.length : end)
    this.at = end < 0 ? this.bytes.length : end + 1
    return part
  }

  /** Reads a number whose first byte says how many bytes it has. */
  packed(): number {
    const first = this.number(1)
    if (first < NULL) return first
    if (first === 0xfc) return this.number(2)
    if (first === 0xfd) return this.number(3)
    const value = this.number(6)
    // No length is so large that it needs the two highest bytes.
    this.take(2)
    return value
  }
}

/** Packets of one command. Both sides number them. */
export class Packets {
  readonly #link: Link
  #sequence = 0

  constructor(link: Link) {
    this.#link = link
  }

  send(body: Buffer): void {
    const head = Buffer.alloc(4)
    head.writeUIntLE(body.length, 0, 3)
    head[3] = this.#sequence & 0xff
    this.#sequence += 1
    this.#link.send(head, body)
  }

  /** Starts a command. The numbers of packets begin with 0 again. */
  query(text: string): void {
    this.#sequence = 0
    this.send(Buffer.concat([Buffer.from([COM_QUERY]), Buffer.from(text)]))
  }

  quit(): void {
    this.#sequence = 0
    this.send(COM_QUIT)
  }

  /** Reads the length of the next packet. */
  async #head(): Promise<number> {
    this.#link.count()
    const head = await this.#link.bytes.take(4)
    this.#sequence = (head[3] ?? 0) + 1
    return head.readUIntLE(0, 3)
  }

  /** Reads the next packet. Throws if the packet is an error of the server. */
  async next(): Promise<PacketCursor> {
    const length = await this.#head()
    if (length === 0 || length > PACKET_MAX_BYTES) throw invalid()
    const body = await this.#link.bytes.take(length)
    if (body[0] === ERROR) throw readError(body)
    return new PacketCursor(body)
  }

  /** Reads the first value of the result of a query. Resolves with undefined if there is no row. */
  async firstValue(): Promise<Value | undefined> {
    const first = await this.next()
    if (first.bytes[0] === OK) return undefined
    if (first.bytes[0] === LOCAL_FILE) throw new ResponseFault('the server asks for a file')
    const columns = first.packed()
    let isNumeric = false
    for (let column = 0; column < columns; column++) {
      const description = await this.next()
      if (column === 0) isNumeric = NUMERIC.has(typeOf(description))
    }
    await this.next()
    return await this.#value(isNumeric)
  }

  async #value(isNumeric: boolean): Promise<Value | undefined> {
    const length = await this.#head()
    const start = await this.#link.bytes.take(Math.min(length, VALUE_MAX_BYTES))
    if (start[0] === ERROR) throw readError(start)
    // A short packet with the code `END` marks the end of the rows. A row that begins with the same byte is always longer.
    if (start[0] === END && length < 9) return undefined
    if (start[0] === NULL) return { content: null, isCut: false }
    const row = new PacketCursor(start)
    const size = row.packed()
    const isCut = size > row.left
    if (isCut && length <= VALUE_MAX_BYTES) throw invalid()
    const text = row.take(size).toString()
    return { content: isCut ? text : readValue(text, isNumeric), isCut }
  }
}

/** Types of numbers, by their identifiers. */
const NUMERIC = new Set([0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x08, 0x09, 0x0d, 0xf6])

function typeOf(description: PacketCursor): number {
  // Skips the catalogue, the schema, and the names of the table and the column. Each is a text with its length.
  for (let name = 0; name < 6; name++) description.take(description.packed())
  // The length of the fixed part, the character set and the width.
  description.take(7)
  return description.number(1)
}

export interface Greeting {
  version: string
  salt: Buffer
  /** Method of signing in that the server prefers. */
  method: string
  hasTls: boolean
}

const HAS_TLS = 0x0800
const SALT_BYTES = 20

export function readGreeting(packet: PacketCursor): Greeting {
  if (packet.number(1) !== PROTOCOL_VERSION) throw invalid()
  const version = packet.text()
  packet.take(4)
  const start = packet.take(8)
  packet.take(1)
  const abilities = packet.number(2)
  // The character set, the status, and more abilities.
  packet.take(5)
  const length = packet.number(1)
  packet.take(10)
  const rest = packet.take(Math.max(13, length - 8))
  const salt = Buffer.concat([start, rest]).subarray(0, SALT_BYTES)
  if (salt.length < SALT_BYTES) throw invalid()
  return { version, salt, method: packet.text(), hasTls: (abilities & HAS_TLS) !== 0 }
}

/** Meanings of the errors that a check meets most, by their codes. */
const MEANINGS = new Map([
  ['1040', 'the server has too many connections'],
  ['1044', 'the user has no permission for the database'],
  ['1045', 'the user or the password is wrong'],
  ['1049', 'the database does not exist'],
  ['1054', 'the query is not valid'],
  ['1064', 'the query is not valid'],
  ['1129', 'the server blocks the monitor after too many failed connections'],
  ['1130', 'the server does not permit connections from the monitor'],
  ['1142', 'the user has no permission for the query'],
  ['1146', 'the query is not valid'],
  ['1698', 'the user or the password is wrong'],
  ['1792', 'the query would change the database'],
  ['1969', 'the query took too long'],
  ['3024', 'the query took too long'],
])

function readError(body: Buffer): ResponseFault {
  const packet = new PacketCursor(body)
  packet.take(1)
  const code = packet.number(2)
  // The packet contains a mark and the SQL state before the text.
  const text = packet
    .take(packet.left)
    .toString()
    .replace(/^#.{5}/s, '')
  return refusal(String(code), text, MEANINGS)
}

export function invalid(): ResponseFault {
  return new ResponseFault('the response is not valid MySQL')
}
