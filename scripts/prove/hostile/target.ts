// Serves hostile answers: takes real answers of each protocol, and damages them by chance. Each port speaks one protocol.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext, createServer as createTlsServer, TLSSocket } from 'node:tls'
import { mint } from '../../../packages/agent/test/support/certificates.ts'
import type { Dice } from '../../../packages/server/test/support/dice.ts'
import { listen, type Undo } from '../../lab/proof.ts'
import { ANSWERS, datagramOf } from './answers.ts'

/** A port, and what has happened there. */
export interface Port {
  port: number
  /** Time of the first contact since this was cleared, in milliseconds since the Unix epoch. */
  contacted_at: number | undefined
}

export interface HostileTarget {
  /** Number of answers by their damage. */
  readonly counts: ReadonlyMap<string, number>
  /** Certificate of those that speak TLS. */
  readonly cert: string
  open(scheme: string): Promise<Port>
}

const DAMAGES = [
  ...(['none', 'flipped', 'flipped', 'flipped', 'cut', 'ended', 'reset', 'repeated', 'huge', 'huge'] as const),
  ...(['endless', 'nested', 'garbage', 'slow', 'silent'] as const),
] as const
type Damage = (typeof DAMAGES)[number]

/** How the answers of a connection are damaged. */
interface Plan {
  d: Dice
  damage: Damage
  /** Number of answers that are sent as they are, before the one that is damaged. */
  sound: number
  socket: Socket
}

const ENDLESS_BYTES = 16 * 1024 * 1024
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
/** Schemes whose connections begin with a handshake. */
const SECURE = new Set(['https', 'tls', 'wss', 'grpcs', 'mqtts', 'smtps', 'imaps', 'pop3s', 'ftps', 'rediss', 'ldaps'])
const PROTOCOLS = ['h2', 'http/1.1']

export function openTarget(d: Dice, undo: Undo): HostileTarget {
  const counts = new Map<Damage, number>()
  const next = (made: Port): Damage => {
    made.contacted_at ??= Date.now()
    const damage = d.one(DAMAGES)
    counts.set(damage, (counts.get(damage) ?? 0) + 1)
    return damage
  }
  const { cert, key } = mint({ name: 'target', for: ['127.0.0.1'] })
  const secureContext = createSecureContext({ cert, key })
  const serve = async (scheme: string, made: Port): Promise<void> => {
    const inner = SECURE.has(scheme) ? await serveBehindTls(scheme, { cert, key }, d, undo) : 0
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      const plan = { d, damage: next(made), sound: d.below(4), socket }
      if (inner === 0) return converse(socket, scheme, plan)
      // Either the bytes of TLS are damaged, or what it encrypts.
      if (scheme === 'tls' || d.below(3) === 0) return passOn(socket, inner, plan)
      const secured = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: PROTOCOLS })
      secured.on('error', () => socket.destroy())
      converse(secured, scheme.slice(0, -1), plan)
    })
    made.port = await listen(server, undo)
  }
  return {
    counts,
    cert,
    open: async (scheme) => {
      const made: Port = { port: 0, contacted_at: undefined }
      const isDatagram = ['ntp', 'udp'].includes(scheme)
      if (!isDatagram) await serve(scheme, made)
      if (isDatagram || scheme === 'dns') await serveDatagrams(scheme, made, () => next(made), d, undo)
      return made
    },
  }
}

/** Serves sound answers over TLS. Resolves with the port. */
function serveBehindTls(scheme: string, minted: { cert: string; key: string }, d: Dice, undo: Undo): Promise<number> {
  const server = createTlsServer({ cert: minted.cert, key: minted.key, ALPNProtocols: PROTOCOLS }, (secured) => {
    secured.on('error', () => undefined)
    converse(secured, scheme.slice(0, -1), { d, damage: 'none', sound: 0, socket: secured })
  })
  server.on('tlsClientError', () => undefined)
  return listen(server, undo)
}

/** Passes bytes between a client and the server at this port. Those of the server are damaged. */
function passOn(socket: Socket, port: number, plan: Plan): void {
  const inner = connect({ port, host: '127.0.0.1' })
  inner.on('error', () => undefined)
  inner.on('data', (bytes: Buffer) => send(socket, bytes, plan))
  inner.on('end', () => plan.damage === 'none' && socket.end())
  socket.on('data', (bytes) => inner.write(bytes))
  socket.on('close', () => inner.destroy())
}

/** Holds a conversation of the protocol, with damage. */
function converse(stream: Duplex, scheme: string, plan: Plan): void {
  const conversation = plan.d.one(ANSWERS.get(scheme) ?? [[]])
  let turn = 0
  const say = (request: Buffer): void => {
    const answer = conversation[turn]
    turn += 1
    if (answer) send(stream, typeof answer === 'function' ? answer(request) : answer, plan)
  }
  say(Buffer.alloc(0))
  stream.on('data', say)
}

function send(stream: Duplex, bytes: Buffer, plan: Plan): void {
  const { d, damage, socket } = plan
  if (stream.destroyed || bytes.length === 0) return
  plan.sound -= 1
  if (plan.sound >= 0 || damage === 'none') return void stream.write(bytes)
  const part = bytes.subarray(0, d.below(bytes.length + 1))
  if (damage === 'cut') stream.write(part)
  else if (damage === 'ended') stream.end(part)
  else if (damage === 'reset') stream.write(part, () => socket.resetAndDestroy())
  else if (damage === 'slow') drip(stream, bytes)
  else if (damage === 'repeated')
    stream.write(Buffer.concat(Array<Buffer>(2 + d.below(200)).fill(bytes.subarray(0, 10_000))))
  // Once is enough, because it does not end.
  else if (damage === 'endless' && plan.sound === -1) pour(stream, Buffer.concat([part, bytes]).subarray(-10_000))
  else if (damage !== 'silent' && damage !== 'endless') stream.write(changed(bytes, plan))
}

/** Returns bytes of the same length or longer, some of which are wrong. */
function changed(bytes: Buffer, { d, damage }: Pick<Plan, 'd' | 'damage'>): Buffer {
  const at = d.below(bytes.length)
  if (damage === 'garbage') return Buffer.from(Array.from({ length: 1 + d.below(3000) }, () => d.below(256)))
  if (damage === 'nested') {
    const nest = Buffer.from(d.one(NESTS).repeat(20_000), 'latin1')
    return Buffer.concat([bytes.subarray(0, at), nest, bytes.subarray(at)])
  }
  const copy = Buffer.from(bytes)
  if (damage === 'huge') copy.fill(d.one([0xff, 0x7f, 0x39]), at, Math.min(copy.length, at + 1 + d.below(8)))
  for (let flips = damage === 'flipped' ? 1 + d.below(4) : 0; flips > 0; flips -= 1) {
    const byte = d.below(copy.length)
    copy[byte] = (copy[byte] ?? 0) ^ (1 << d.below(8))
  }
  return copy
}

/** Sends a byte now and then. */
function drip(stream: Duplex, bytes: Buffer): void {
  let sent = 0
  const timer = setInterval(() => {
    if (stream.destroyed || sent === bytes.length) return clearInterval(timer)
    stream.write(bytes.subarray(sent, sent + 1))
    sent += 1
  }, DRIP_MS)
}

/** Sends the same bytes again and again, for as long as they are accepted. */
function pour(stream: Duplex, bytes: Buffer): void {
  const unit = Buffer.concat(Array<Buffer>(Math.ceil(16_384 / bytes.length)).fill(bytes))
  let poured = 0
  const more = (): void => {
    do poured += unit.length
    while (!stream.destroyed && poured < ENDLESS_BYTES && stream.write(unit))
  }
  stream.on('drain', more)
  more()
}

async function serveDatagrams(scheme: string, made: Port, next: () => Damage, d: Dice, undo: Undo): Promise<void> {
  const socket = createSocket('udp4')
  undo(() => socket.close())
  socket.on('error', () => undefined)
  socket.on('message', (request, from) => {
    const damage = next()
    const answer = datagramOf(scheme, request)
    const isWhole = ['none', 'repeated', 'slow', 'reset'].includes(damage)
    const isPart = damage === 'cut' || damage === 'ended'
    const bytes = isWhole
      ? answer
      : isPart
        ? answer.subarray(0, d.below(answer.length))
        : changed(answer, { d, damage })
    const times = damage === 'repeated' || damage === 'endless' ? 200 : damage === 'silent' ? 0 : 1
    for (let n = 0; n < times; n += 1) socket.send(bytes.subarray(0, 60_000), from.port, from.address, () => undefined)
  })
  socket.bind(made.port, '127.0.0.1')
  await once(socket, 'listening')
  made.port = socket.address().port
}
