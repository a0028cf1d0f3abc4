// A name server on loopback that answers what a test wants, over UDP and over TCP on the same port.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach } from '@jest/globals'

/** Header bits of a response. */
export const QR = 0x8000
export const AA = 0x0400
export const TC = 0x0200
export const AD = 0x0020

export interface WrittenRecord {
  name: string
  type: number
  ttl?: number
  data: Buffer
}

export interface WrittenResponse {
  /** Header bits and response code, without QR. */
  bits?: number
  answers?: WrittenRecord[]
  authorities?: WrittenRecord[]
}

/** Returns the bytes to send, or a response to write, or nothing for silence. */
export type Answerer = (query: Buffer, over: 'udp' | 'tcp') => Buffer | WrittenResponse | undefined

const running: { udp: UdpSocket; tcp: Server; sockets: Set<Socket> }[] = []

afterEach(async () => {
  const ends = running.splice(0).map(({ udp, tcp, sockets }) => {
    for (const socket of sockets) socket.destroy()
    udp.close()
    return new Promise((resolve) => tcp.close(resolve))
  })
  await Promise.all(ends)
})

/** Resolves with the port. */
export async function serveDns(answerer: Answerer, address = '127.0.0.1', port = 0): Promise<number> {
  const sockets = new Set<Socket>()
  const tcp = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', (framed: Buffer) => {
      const bytes = answerBytes(answerer(framed.subarray(2), 'tcp'), framed.subarray(2))
      if (bytes) socket.end(Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]))
    })
  })
  tcp.listen(port, address)
  await once(tcp, 'listening')
  const { port: bound } = tcp.address() as { port: number }
  const udp = createSocket('udp4')
  udp.on('message', (query, peer) => {
    const bytes = answerBytes(answerer(query, 'udp'), query)
    if (bytes) udp.send(bytes, peer.port, peer.address)
  })
  udp.bind(bound, address)
  try {
    await once(udp, 'listening')
  } catch (error) {
    udp.close()
    await new Promise((resolve) => tcp.close(resolve))
    // Another socket can use the same port number for UDP.
    if (port === 0) return serveDns(answerer, address)
    throw error
  }
  running.push({ udp, tcp, sockets })
  return bound
}

function answerBytes(answer: Buffer | WrittenResponse | undefined, query: Buffer): Buffer | undefined {
  return answer === undefined || Buffer.isBuffer(answer) ? answer : writeResponse(query, answer)
}

/** Writes a response to a query, with its question. */
export function writeResponse(query: Buffer, { bits = 0, answers = [], authorities = [] }: WrittenResponse): Buffer {
  const end = query.indexOf(0, 12) + 5
  const head = Buffer.from(query.subarray(0, end))
  head.writeUInt16BE(QR | bits, 2)
  head.set([0, 1, 0, answers.length, 0, authorities.length, 0, 0], 4)
  return Buffer.concat([head, ...[...answers, ...authorities].map(recordBytes)])
}

function recordBytes({ name, type, ttl = 300, data }: WrittenRecord): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([nameBytes(name), fixed, data])
}

export function nameBytes(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  return Buffer.concat([
    ...labels.map((label) => Buffer.from(`${String.fromCodePoint(label.length)}${label}`)),
    Buffer.alloc(1),
  ])
}

export function typeIn(query: Buffer): number {
  return query.readUInt16BE(query.indexOf(0, 12) + 1)
}
