// Probes a ws:// or wss:// target: opens a WebSocket, sends the message of the check, and waits for one.
import { createHash, randomBytes } from 'node:crypto'
import { type IncomingMessage, request as sendRequest } from 'node:http'
import type { Socket } from 'node:net'
import { SCHEMES } from '@dogwatch/check-rules/schemes'
import type { Check } from '@dogwatch/monitor-sdk'
import { VERSION } from '../../process/version.ts'
import type { Attempt } from '../attempt.ts'
import { converse, MESSAGE_MAX_BYTES, untilEnough } from '../byte-reader.ts'
import { connectTo, securityOf } from '../dial.ts'
import type { Probe } from '../probe.ts'
import { basicAuth, serverName } from '../web-identity.ts'
import { MessageReader, OPCODES, writeFrame } from './frames.ts'

/** Suffix of the key whose hash proves that a server speaks the protocol. */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
/** Maximum number of interim responses before the final response. */
const INTERIM_MAX = 20
const HEAD_MAX_BYTES = 64 * 1024
const LIMITS = { protocol: 'WebSocket', max_bytes: 4 * MESSAGE_MAX_BYTES } as const
const NORMAL_CLOSURE = Buffer.from([0x03, 0xe8])

export const probeWebSocket: Probe<'ws' | 'wss'> = (attempt, { scheme, url, host, port }, check) => {
  const { headers = {} } = check
  const secure = { ...securityOf(serverName({ url, headers }, host), check), protocols: ['http/1.1'] }
  const endpoint = { host, port, answers: true, ...(SCHEMES[scheme].isTls ? { secure } : {}) }
  connectTo(attempt, endpoint, (socket) => {
    const key = randomBytes(16).toString('base64')
    const sent = sendRequest({
      path: `${url.pathname}${url.search}`,
      headers: headerLines(url, headers, key),
      maxHeaderSize: HEAD_MAX_BYTES,
      insecureHTTPParser: true,
      createConnection: () => socket,
    })
    let interim = 0
    const onInformation = (): void => {
      interim += 1
      if (interim > INTERIM_MAX) attempt.fail({ kind: 'http', words: 'the server sent too many interim responses' })
    }
    const onResponse = ({ statusCode = 0 }: IncomingMessage): void => {
      attempt.http_status = statusCode
      attempt.fail({ kind: 'http', words: `the status is ${statusCode} instead of 101, so there is no WebSocket` })
    }
    const onUpgrade = (response: IncomingMessage, upgraded: Socket, head: Buffer): void => {
      attempt.http_status = response.statusCode ?? 0
      const fault = faultOfHandshake(response, headers, key)
      if (fault !== undefined) return attempt.fail({ kind: 'protocol', words: fault })
      attempt.answered()
      if (head.length > 0) upgraded.unshift(head)
      exchange(attempt, upgraded, check)
    }
    sent.on('information', attempt.guarded(onInformation))
    sent.on('response', attempt.guarded(onResponse))
    sent.on('upgrade', attempt.guarded(onUpgrade))
    attempt.failOnErrorOf(sent)
    sent.end()
  })
}

/** Headers of the handshake, which a check cannot replace. */
const OWN: ReadonlySet<string> = new Set([
  'host',
  'sec-websocket-accept',
  'sec-websocket-extensions',
  'sec-websocket-key',
  'sec-websocket-version',
])

/** Returns header names and values in turn, in the order of sending. */
function headerLines(url: URL, headers: Readonly<Record<string, string>>, key: string): string[] {
  const given = Object.entries(headers)
  const has = (name: string): boolean => given.some(([one]) => one.toLowerCase() === name)
  const host = given.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? url.host
  const authorization = basicAuth(url)
  return [
    ...['Host', host],
    ...(has('user-agent') ? [] : ['User-Agent', `dogwatch-agent/${VERSION}`]),
    ...(authorization === undefined || has('authorization') ? [] : ['Authorization', authorization]),
    ...given.filter(([name]) => !OWN.has(name.toLowerCase())).flat(),
    ...['Connection', 'Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Version', '13', 'Sec-WebSocket-Key', key],
  ]
}

function faultOfHandshake(
  { headers: answered }: IncomingMessage,
  headers: Readonly<Record<string, string>>,
  key: string,
): string | undefined {
  const wanted = createHash('sha1').update(`${key}${ACCEPT_SUFFIX}`).digest('base64')
  if (answered['sec-websocket-accept'] !== wanted) return 'the server did not accept the WebSocket handshake'
  if (answered['sec-websocket-extensions']) return 'the server uses an extension that was not offered'
  const offered = Object.entries(headers).find(([name]) => name.toLowerCase() === 'sec-websocket-protocol')?.[1] ?? ''
  const chosen = answered['sec-websocket-protocol']
  if (offered === '' && chosen === undefined) return undefined
  const isOffered = offered.split(',').some((one) => one.trim() === chosen)
  return isOffered ? undefined : 'the server did not choose one of the offered subprotocols'
}

/**
 * Sends the message of the check, and waits for a message that its rule accepts. If the check has neither, an open WebSocket is
 * enough.
 */
function exchange(attempt: Attempt, socket: Socket, { post_data = '' }: Check): void {
  const { isEnough } = attempt.bounds
  const end = (): boolean => socket.write(writeFrame(OPCODES.close, NORMAL_CLOSURE))
  if (post_data === '' && !isEnough) {
    end()
    return attempt.finish()
  }
  attempt.enter('first_byte')
  if (post_data !== '') socket.write(writeFrame(OPCODES.text, Buffer.from(post_data)))
  converse(attempt, socket, LIMITS, (bytes) => {
    const messages = new MessageReader(bytes, (frame) => socket.write(frame))
    return untilEnough(attempt, () => messages.next(), end)
  })
}
