// Writes and reads the messages of the protocol of PostgreSQL, version 3.
import { ResponseFault } from '../byte-reader.ts'
import { type Link, readValue, refusal, VALUE_MAX_BYTES, type Value } from '../database.ts'

const MESSAGE_MAX_BYTES = 64 * 1024

/** Returns a message without a type byte, such as the first one of a connection. */
export function untyped(...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([int32(body.length + 4), body])
}

export function typed(type: string, ...parts: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(type, 'latin1'), untyped(...parts)])
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

/** Writes a text that a zero byte ends. */
export function text(value: string): Buffer {
  return Buffer.from(`${value}\0`)
}

export interface ServerMessage {
  type: string
  body: Buffer
}

/** Reads the next message, and skips notices. Throws if the message is an error of the server. */
export async function nextMessage(link: Link): Promise<ServerMessage> {
  for (;;) {
    const { type, length } = await nextHead(link)
    const body = await bodyOf(link, type, length)
    if (type !== 'N' && type !== 'S') return { type, body }
  }
}

async function nextHead({ bytes }: Link): Promise<{ type: string; length: number }> {
  const head = await bytes.take(5)
  const length = head.readInt32BE(1) - 4
  if (length < 0) throw new ResponseFault('the response is not valid PostgreSQL')
  return { type: head.toString('latin1', 0, 1), length }
}

async function bodyOf(link: Link, type: string, length: number): Promise<Buffer> {
  link.count()
  if (length > MESSAGE_MAX_BYTES) throw new ResponseFault('the response is not valid PostgreSQL')
  const body = await link.bytes.take(length)
  if (type === 'E') throw readError(body)
  return body
}

/** Meanings of the errors that a check meets most, by their codes. */
const MEANINGS = new Map([
  ['28000', 'the server does not permit the sign-in'],
  ['28P01', 'the user or the password is wrong'],
  ['3D000', 'the database does not exist'],
  ['42501', 'the user has no permission for the query'],
  ['42601', 'the query is not valid'],
  ['42703', 'the query is not valid'],
  ['42P01', 'the query is not valid'],
  ['25006', 'the query would change the database'],
  ['53300', 'the server has too many connections'],
  ['57014', 'the query took too long'],
  ['57P03', 'the server does not accept connections now'],
])

/** Reads an error: fields of a letter and a text each. */
export function readError(body: Buffer): ResponseFault {
  const fields = new Map(
    body
      .toString()
      .split('\0')
      .map((field) => [field.slice(0, 1), field.slice(1)] as const),
  )
  return refusal(fields.get('C') ?? '', fields.get('M') ?? '', MEANINGS)
}

/** Waits until the server is ready for the next query. */
export async function untilReady(link: Link): Promise<void> {
  while ((await nextMessage(link)).type !== 'Z');
}

/** Types of numbers, by their identifiers. */
const NUMERIC = new Set([20, 21, 23, 26, 700, 701, 1700])
const BOOLEAN = 16

/** Reads the first value of the first row. Resolves with undefined if there is no row. */
export async function firstValue(link: Link): Promise<Value | undefined> {
  let column = 0
  for (;;) {
    const { type, length } = await nextHead(link)
    if (type === 'D') return await valueOf(link, column)
    const body = await bodyOf(link, type, length)
    if (type === 'T') column = typeOf(body)
    if (type === 'Z') return undefined
  }
}

/** Returns the type of the first column. */
function typeOf(description: Buffer): number {
  if (description.readInt16BE(0) === 0) return 0
  // The name, the table and the number of the column come before.
  return description.readInt32BE(description.indexOf(0, 2) + 7)
}

async function valueOf({ bytes }: Link, column: number): Promise<Value | undefined> {
  if ((await bytes.take(2)).readInt16BE() === 0) return undefined
  const length = (await bytes.take(4)).readInt32BE()
  if (length < 0) return { content: null, isCut: false }
  const isCut = length > VALUE_MAX_BYTES
  const written = (await bytes.take(Math.min(length, VALUE_MAX_BYTES))).toString()
  if (column === BOOLEAN && !isCut) return { content: written === 't', isCut }
  return { content: isCut ? written : readValue(written, NUMERIC.has(column)), isCut }
}
