// Talks to an SSH server (RFC 4253) up to the algorithms that it offers. It exchanges no keys, and does not sign in.
import { protocolFault, RESPONSE_MAX_BYTES, type ReadResponse } from '../conversation.ts'
import { type DialogueScript, readLines, refusal } from './script.ts'

export const talkSsh: DialogueScript = async (conversation) => {
  // A server can send other lines before its identification.
  const lines = await conversation.read('the identification', (received) =>
    readLines(received, (line) => line.startsWith('SSH-')),
  )
  conversation.note(lines)
  const identification = lines.at(-1) ?? ''
  if (!/^SSH-(?:2\.0|1\.99)-/.test(identification)) throw protocolFault('the target does not offer SSH 2')
  conversation.send('SSH-2.0-Dogwatch\r\n')
  const packet = await conversation.read('the algorithms', readSshPacket)
  if (packet[0] === DISCONNECT) throw refusal('the connection', textAt(packet, 5) ?? '')
  const algorithms = readAlgorithms(packet)
  if (!algorithms) throw NOT_SSH()
  conversation.note(algorithms)
  conversation.finish(written(Buffer.concat([Buffer.from([DISCONNECT, 0, 0, 0, BY_APPLICATION]), Buffer.alloc(8)])))
}

const NOT_SSH = () => protocolFault('the response is not SSH')
const DISCONNECT = 1
const BY_APPLICATION = 11
const KEY_EXCHANGE = 20
const COOKIE_BYTES = 16

/** Reads the payload of a packet that is not encrypted. */
export function readSshPacket(received: Buffer): ReadResponse<Buffer> | undefined {
  if (received.length < 5) return undefined
  const length = received.readUInt32BE()
  const padding = received.readUInt8(4)
  if (length > RESPONSE_MAX_BYTES - 4 || padding + 2 > length) throw NOT_SSH()
  if (received.length < 4 + length) return undefined
  return { value: received.subarray(5, 4 + length - padding), length: 4 + length }
}

/**
 * Names of the lists of algorithms at the start of the packet. An undefined name marks the list of ciphers for the other
 * direction, which usually is the same.
 */
const LISTS = ['key exchange', 'host keys', 'ciphers', undefined, 'macs'] as const

/** Reads the packet with the algorithms that a server offers, as lines. Returns undefined for any other packet. */
export function readAlgorithms(packet: Buffer): string[] | undefined {
  if (packet[0] !== KEY_EXCHANGE) return undefined
  const lines: string[] = []
  let at = 1 + COOKIE_BYTES
  for (const name of LISTS) {
    const list = textAt(packet, at)
    if (list === undefined) return undefined
    at += 4 + list.length
    if (name !== undefined) lines.push(`${name}: ${list}`)
  }
  return lines
}

/** Returns a text that follows its length, or undefined if the packet ends before the end of the text. */
function textAt(packet: Buffer, at: number): string | undefined {
  if (at + 4 > packet.length) return undefined
  const end = at + 4 + packet.readUInt32BE(at)
  return end > packet.length ? undefined : packet.toString('latin1', at + 4, end)
}

const BLOCK_BYTES = 8
const PADDING_MIN_BYTES = 4

function written(payload: Buffer): Buffer {
  const padding = BLOCK_BYTES - ((5 + payload.length + PADDING_MIN_BYTES) % BLOCK_BYTES) + PADDING_MIN_BYTES
  const head = Buffer.alloc(5)
  head.writeUInt32BE(1 + payload.length + padding)
  head.writeUInt8(padding, 4)
  return Buffer.concat([head, payload, Buffer.alloc(padding)])
}
