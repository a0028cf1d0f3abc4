// Serves hostile answers: real answers of each protocol, with random damage. Each port speaks one protocol.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { createSecureContext, createServer as createTlsServer, TLSSocket } from 'node:tls'
import { mint } from '../../../packages/agent/test/support/certificates.ts'
import type { Dice } from '../../../packages/runtime/test/support/dice.ts'
import { listen, type Undo } from '../../lab/proof.ts'
import { ANSWERS, datagramOf } from './answers.ts'

/** A port, and the time of the first contact with it. */
export interface Port {
  port: number
  /** Time of the first contact since the proof last cleared this field, in milliseconds since the Unix epoch. */
  contacted_at: number | undefined
}

const DAMAGES = [
  ...(['none', 'flipped', 'flipped', 'flipped', 'cut', 'ended', 'reset', 'repeated', 'huge', 'huge'] as const),
  ...(['endless', 'nested', 'garbage', 'slow', 'silent'] as const),
] as const
type Damage = (typeof DAMAGES)[number]

/** Plan for damaging the answers on one connection. */
interface Plan {
  damage: Damage
  /** Number of undamaged answers before the damaged one. */
  sound: number
  socket: Socket
}

const ENDLESS_BYTES = 16 * 1024 * 1024
const DATAGRAM_BYTES = 60_000
const DRIP_MS = 50
const NESTS = [
  '[',
  '{"a":',
  '0\x84\x7f\xff\xff\xff',
  '(',
  '\x1f\x8b\x08',
  '* {',
  '250-',
  '+OK ',
  '\x81\x7e\xff\xff',
  '\xc0\x0c',
]
const PROTOCOLS = { ALPNProtocols: ['h2', 'http/1.1'] }
const ignore = (): void => {}

export function openTarget(d: Dice, undo: Undo) {
  const counts = new Map<Damage, number>()
  const { cert, key } = mint({ name: 'target', for: ['127.0.0.1'] })
  const secureContext = createSecureContext({ cert, key })
  const damageAt = (made: Port): Damage => {
    made.contacted_at ??= Date.now()
    const damage = d.one(DAMAGES)
    counts.set(damage, (counts.get(damage) ?? 0) + 1)
    return damage
  }
  const serve = async (scheme: string, made: Port): Promise<void> => {
    const isSecure = scheme === 'tls' || (!ANSWERS.has(scheme) && ANSWERS.has(scheme.slice(0, -1)))
    const bare = isSecure ? scheme.slice(0, -1) : scheme
    if (scheme !== 'tls' && !ANSWERS.has(bare)) throw new Error(`there are no answers of ${scheme}`)
    const sound = createTlsServer({ cert, key, ...PROTOCOLS }, (socket) => {
      socket.on('error', ignore)
      converse(d, socket, bare, { damage: 'none', sound: 0, socket })
    }).on('tlsClientError', ignore)
    const inner = isSecure ? await listen(sound, undo) : 0
    const server = createServer((socket) => {
      socket.on('error', ignore)
      const plan = { damage: damageAt(made), sound: d.below(4), socket }
      if (!isSecure) return converse(d, socket, bare, plan)
      // Damages either the bytes of TLS itself, or the answers inside TLS.
      if (scheme === 'tls' || d.below(3) === 0) return passOn(d, socket, inner, plan)
      const secured = new TLSSocket(socket, { isServer: true, secureContext, ...PROTOCOLS })
      secured.on('error', () => socket.destroy())
      converse(d, secured, bare, plan)
    })
    made.port = await listen(server, undo)
  }
  const serveDatagrams = async (scheme: string, made: Port): Promise<void> => {
    const socket = createSocket('udp4')
    let isOpen = true
    undo(() => {
      isOpen = false
      socket.close()
    })
    socket.on('error', ignore)
    socket.on('message', async (request, from) => {
      for await (const part of partsOf(datagramOf(scheme, request), damageAt(made), d)) {
        if (isOpen) socket.send(part.subarray(0, DATAGRAM_BYTES), from.port, from.address, ignore)
      }
    })
    socket.bind(made.port, '127.0.0.1')
    await once(socket, 'listening')
    made.port = socket.address().port
  }
  return {
    /** Number of answers that were sent, by their damage. */
    counts: counts as ReadonlyMap<string, number>,
    /** Certificate of the ports with TLS. */
    cert,
    open: async (scheme: string): Promise<Port> => {
      const made: Port = { port: 0, contacted_at: undefined }
      const isDatagram = scheme === 'ntp' || scheme === 'udp'
      if (!isDatagram) await serve(scheme, made)
      if (isDatagram || scheme === 'dns') await serveDatagrams(scheme, made)
      return made
    },
  }
}

/** Passes bytes between a client and the server at this port. Damages the bytes from the server. */
function passOn(d: Dice, socket: Socket, port: number, plan: Plan): void {
  const inner = connect({ port, host: '127.0.0.1' })
  inner.on('error', ignore)
  inner.on('data', (bytes: Buffer) => send(d, socket, bytes, plan))
  inner.on('end', () => plan.damage === 'none' && socket.end())
  socket.on('data', (bytes) => inner.write(bytes))
  socket.on('close', () => inner.destroy())
}

/** Holds a conversation of the protocol, and damages one of the answers. */
function converse(d: Dice, stream: Duplex, scheme: string, plan: Plan): void {
  const conversation = d.one(ANSWERS.get(scheme) ?? [[]])
  let turn = 0
  const say = (request: Buffer): void => {
    const answer = conversation[turn++]
    if (answer) send(d, stream, typeof answer === 'function' ? answer(request) : answer, plan)
  }
  say(Buffer.alloc(0))
  stream.on('data', say)
}

function send(d: Dice, stream: Duplex, bytes: Buffer, plan: Plan): void {
  if (stream.destroyed || bytes.length === 0) return
  plan.sound -= 1
  const damage = plan.sound >= 0 ? 'none' : plan.damage
  if (damage === 'none') return void stream.write(bytes)
  stream.setMaxListeners(0)
  const parts = Readable.from(partsOf(bytes, damage, d), { objectMode: true, highWaterMark: 1 })
  parts.on('end', () => damage === 'reset' && plan.socket.resetAndDestroy())
  parts.pipe(stream, { end: damage === 'ended' })
  stream.once('close', () => parts.destroy())
}

/** Yields the pieces that are sent in place of an answer, by the damage. Yields nothing for the damage `silent`. */
async function* partsOf(bytes: Buffer, damage: Damage, d: Dice): AsyncGenerator<Buffer> {
  const at = d.below(bytes.length)
  const copy = Buffer.from(bytes)
  if (damage === 'none') yield bytes
  else if (damage === 'cut' || damage === 'ended' || damage === 'reset') yield bytes.subarray(0, at)
  else if (damage === 'repeated') yield Buffer.concat(Array<Buffer>(2 + d.below(200)).fill(bytes.subarray(0, 10_000)))
  else if (damage === 'endless') {
    const end = bytes.subarray(-10_000)
    const unit = Buffer.concat(Array<Buffer>(Math.ceil(16_384 / end.length)).fill(end))
    for (let poured = 0; poured < ENDLESS_BYTES; poured += unit.length) yield unit
  } else if (damage === 'slow') {
    for (const byte of bytes) {
      yield Buffer.of(byte)
      await pause(DRIP_MS)
    }
  } else if (damage === 'garbage') yield Buffer.from(Array.from({ length: 1 + d.below(3000) }, () => d.below(256)))
  else if (damage === 'nested') {
    const nest = Buffer.from(d.one(NESTS).repeat(20_000), 'latin1')
    yield Buffer.concat([bytes.subarray(0, at), nest, bytes.subarray(at)])
  } else if (damage === 'huge')
    yield copy.fill(d.one([0xff, 0x7f, 0x39]), at, Math.min(copy.length, at + 1 + d.below(8)))
  else if (damage === 'flipped') {
    for (let flips = 1 + d.below(4); flips > 0; flips -= 1) {
      const byte = d.below(copy.length)
      copy[byte] = (copy[byte] ?? 0) ^ (1 << d.below(8))
    }
    yield copy
  }
}
