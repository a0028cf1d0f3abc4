// Opens a connection to a target through a proxy: by CONNECT (RFC 9110), or by SOCKS5 (RFC 1928, RFC 1929).
import { isIP, type Socket } from 'node:net'
import type { ProxyAddress } from '@dogwatch/check-rules/request'
import type { Attempt } from './attempt.ts'
import type { FaultKind } from './observation.ts'

interface Tunnel {
  proxy: ProxyAddress
  host: string
  port: number
}

/** Calls `onOpen` once the proxy has connected the socket to the target. The attempt ends if the proxy does not. */
export function openTunnel(attempt: Attempt, socket: Socket, tunnel: Tunnel, onOpen: () => void): void {
  const onError = attempt.guarded((error: Error) => attempt.failBy(error))
  const onEnd = attempt.guarded(() => attempt.fail({ kind: 'reset', words: 'the connection was closed' }))
  socket.on('error', onError)
  socket.on('end', onEnd)
  const open = (): void => {
    socket.off('error', onError)
    socket.off('end', onEnd)
    onOpen()
  }
  const conversation = new Conversation(attempt, socket)
  if (tunnel.proxy.scheme === 'http') connectOver(conversation, tunnel, open)
  else greet(conversation, tunnel, open)
}

const REPLY_MAX_BYTES = 16 * 1024

/**
 * Sends requests to the proxy, and reads only as many bytes as its replies have, because the bytes after them come from the
 * target.
 */
class Conversation {
  readonly #attempt: Attempt
  readonly #socket: Socket
  #bytes: Buffer = Buffer.alloc(0)

  constructor(attempt: Attempt, socket: Socket) {
    this.#attempt = attempt
    this.#socket = socket
  }

  fail(kind: FaultKind, words: string): void {
    this.#attempt.fail({ kind, words })
  }

  /** Sends a request. `lengthOf` returns the length of a reply from its first bytes, or undefined if more bytes are needed. */
  send(
    request: string | Buffer,
    lengthOf: (reply: Buffer) => number | undefined,
    onReply: (reply: Buffer) => void,
  ): void {
    const onReadable = (): void => {
      if (this.#attempt.isOver) return
      for (let chunk = this.#read(); chunk; chunk = this.#read()) this.#bytes = Buffer.concat([this.#bytes, chunk])
      const length = lengthOf(this.#bytes)
      if (length === undefined || length > this.#bytes.length) {
        if (this.#bytes.length > REPLY_MAX_BYTES) this.fail('protocol', 'the reply is too long')
        return
      }
      this.#socket.off('readable', listener)
      const reply = this.#bytes.subarray(0, length)
      if (this.#bytes.length > length) this.#socket.unshift(this.#bytes.subarray(length))
      this.#bytes = Buffer.alloc(0)
      onReply(reply)
    }
    const listener = this.#attempt.guarded(onReadable)
    this.#socket.on('readable', listener)
    this.#socket.write(request)
  }

  #read(): Buffer | null {
    return this.#socket.read() as Buffer | null
  }
}

function connectOver(conversation: Conversation, { proxy, host, port }: Tunnel, onOpen: () => void): void {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const login = proxyAuthorization(proxy)
  const lines = [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    ...(login === undefined ? [] : [`Proxy-Authorization: ${login}`]),
  ]
  conversation.send(`${lines.join('\r\n')}\r\n\r\n`, endOfHead, (head) => {
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1] ?? 0)
    if (status >= 200 && status < 300) return onOpen()
    if (status === 0) return conversation.fail('protocol', 'the reply is not HTTP')
    conversation.fail('unreachable', status === 407 ? 'it requires another login' : `it replied ${status} to CONNECT`)
  })
}

function endOfHead(reply: Buffer): number | undefined {
  const end = reply.indexOf('\r\n\r\n')
  return end < 0 ? undefined : end + 4
}

/** Returns the login for an HTTP proxy, or undefined if there is none. */
export function proxyAuthorization({ user, password }: ProxyAddress): string | undefined {
  return user === '' && password === '' ? undefined : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

const VERSION = 5
const [NO_LOGIN, BY_PASSWORD] = [0, 2]

function greet(conversation: Conversation, tunnel: Tunnel, onOpen: () => void): void {
  const { user, password } = tunnel.proxy
  const methods = user === '' ? [NO_LOGIN] : [NO_LOGIN, BY_PASSWORD]
  const goOn = (): void => connectBySocks(conversation, tunnel, onOpen)
  conversation.send(
    Buffer.from([VERSION, methods.length, ...methods]),
    () => 2,
    ([version, method = 255]) => {
      if (version !== VERSION) return conversation.fail('protocol', 'the reply is not SOCKS5')
      if (method === NO_LOGIN) return goOn()
      if (method !== BY_PASSWORD || user === '') return conversation.fail('unreachable', 'it requires another login')
      const login = Buffer.concat([Buffer.from([1]), sized(user), sized(password)])
      conversation.send(
        login,
        () => 2,
        ([, status]) => (status === 0 ? goOn() : conversation.fail('unreachable', 'it requires another login')),
      )
    },
  )
}

function sized(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

/** Meaning of the replies of SOCKS5. */
const REPLIES = new Map<number | undefined, readonly [FaultKind, string]>([
  [2, ['unreachable', 'it does not allow this connection']],
  [3, ['unreachable', 'it cannot reach the network of the target']],
  [4, ['unreachable', 'it cannot reach the target']],
  [5, ['refused', 'the target refused the connection']],
  [6, ['unreachable', 'it cannot reach the target']],
])

const [IPV4, NAME, IPV6] = [1, 3, 4]

function connectBySocks(conversation: Conversation, { host, port }: Tunnel, onOpen: () => void): void {
  const family = isIP(host)
  const address =
    family === 4
      ? Buffer.from([IPV4, ...host.split('.').map(Number)])
      : family === 6
        ? Buffer.concat([Buffer.from([IPV6]), bytesOfIpv6(host)])
        : Buffer.concat([Buffer.from([NAME]), sized(host)])
  const request = Buffer.concat([Buffer.from([VERSION, 1, 0]), address, Buffer.from([port >> 8, port & 255])])
  const lengthOf = ([, , , type, first = 0]: Buffer): number | undefined =>
    type === undefined ? undefined : type === NAME ? 7 + first : type === IPV6 ? 22 : 10
  conversation.send(request, lengthOf, ([version, status]) => {
    if (version !== VERSION) return conversation.fail('protocol', 'the reply is not SOCKS5')
    if (status === 0) return onOpen()
    const [kind, words] = REPLIES.get(status) ?? ['unreachable', `it replied with the error ${status}`]
    conversation.fail(kind, words)
  })
}

function bytesOfIpv6(host: string): Buffer {
  const { hostname } = new URL(`http://[${host}]`)
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const [first, last] = [groups(head), groups(tail ?? '')]
  const all =
    tail === undefined ? first : [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
  return Buffer.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]))
}
