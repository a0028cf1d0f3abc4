// Sends a line to a syslog server: one packet over UDP, or one frame on its own connection over TCP and TLS.
import { createSocket } from 'node:dgram'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type Channel, type Outcome, SEND_MS } from '../channel.ts'
import { BLOCKED, bareHost, connectionFault, type Guard, LIGHT_TLS, openGuard } from '../egress.ts'
import type { ChannelSettings } from '../kind.ts'
import { syslogMessage } from './message.ts'

const PORTS = new Map(Object.entries({ 'udp:': 514, 'tcp:': 514, 'tls:': 6514 }))
/**
 * Time to wait for a refusal, in milliseconds. No server confirms a line, but one that does not accept it hangs up or resets
 * within this time.
 */
const SETTLE_MS = 150
/** Maximum time for a server to hang up after we did, in milliseconds. */
const LINGER_MS = 1000
/** Time in milliseconds within which a machine without such a server reports this, if it does at all. */
const UNREACHABLE_MS = 200

export function syslogChannel(
  settings: Pick<ChannelSettings, 'egress_allow' | 'resolve'>,
): Channel<'syslog_url' | 'syslog_facility'> {
  const guard = openGuard(settings)
  return {
    send: async (dispatch) => {
      const { syslog_url } = dispatch.destination
      if (!URL.canParse(syslog_url)) return { kind: 'retry', reason: 'the URL is not valid' }
      const url = new URL(syslog_url)
      if (guard.blocks(bareHost(url))) return { kind: 'retry', reason: BLOCKED }
      const line = Buffer.from(syslogMessage(dispatch), 'utf8')
      const over = new AbortController()
      const timer = setTimeout(() => over.abort(new Error(`no response within ${SEND_MS / 1000} s`)), SEND_MS)
      try {
        return await (url.protocol === 'udp:' ? sendPacket(url, line, guard, over) : sendFrame(url, line, guard, over))
      } finally {
        clearTimeout(timer)
        over.abort()
      }
    },
  }
}

function failed(error: unknown, url: URL, isConnected: boolean): Outcome {
  return { kind: 'retry', ...connectionFault(error, bareHost(url), isConnected) }
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (PORTS.get(protocol) ?? 514) : Number(port)
}

/**
 * Sends a frame of RFC 5425 and RFC 6587: the length in bytes, a space, the line. The frame counts as delivered unless the server
 * closes the connection within `SETTLE_MS`.
 */
function sendFrame(url: URL, line: Buffer, guard: Guard, over: AbortController): Promise<Outcome> {
  return new Promise((resolve) => {
    const host = bareHost(url)
    const options = { host, port: portOf(url), lookup: guard.lookup(over.signal) }
    const isTls = url.protocol === 'tls:'
    const socket: Socket = isTls
      ? connectTls({ ...options, ...LIGHT_TLS, ...(isIP(host) === 0 && { servername: host }) })
      : connect(options)
    let isConnected = false
    let isOurEnd = false
    let pause: NodeJS.Timeout | undefined
    const finish = (outcome: Outcome): void => {
      clearTimeout(pause)
      socket.destroy()
      resolve(outcome)
    }
    over.signal.addEventListener('abort', () => finish(failed(over.signal.reason, url, isConnected)))
    socket.once('connect', () => (isConnected = true))
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      socket.write(Buffer.concat([Buffer.from(`${line.length} `), line]), () => {
        pause = setTimeout(() => {
          isOurEnd = true
          socket.end()
          pause = setTimeout(() => finish({ kind: 'delivered' }), LINGER_MS)
        }, SETTLE_MS)
      })
    })
    socket.on('error', (error) => finish(failed(error, url, isConnected)))
    const hungUp = (): void =>
      finish(isOurEnd ? { kind: 'delivered' } : failed(new Error('the server closed the connection'), url, isConnected))
    socket.once('end', hungUp).once('close', hungUp)
    socket.resume()
  })
}

/**
 * Sends a packet. No server confirms a packet, so it counts as delivered once sent, unless the other machine reports that nothing
 * receives it.
 */
async function sendPacket(url: URL, line: Buffer, guard: Guard, over: AbortController): Promise<Outcome> {
  const found = await resolved(url, guard, over.signal)
  if ('fault' in found) return failed(found.fault, url, false)
  const socket = createSocket(found.family === 6 ? 'udp6' : 'udp4')
  try {
    return await new Promise<Outcome>((resolve) => {
      const fail = (error: Error): void => resolve(failed(error, url, false))
      socket.on('error', fail)
      over.signal.addEventListener('abort', () => fail(over.signal.reason as Error))
      socket.connect(portOf(url), found.address, () => {
        socket.send(line, (error) => {
          if (error) fail(error)
          else setTimeout(() => resolve({ kind: 'delivered' }), UNREACHABLE_MS)
        })
      })
    })
  } finally {
    socket.close()
  }
}

function resolved(
  url: URL,
  guard: Guard,
  signal: AbortSignal,
): Promise<{ address: string; family: number } | { fault: unknown }> {
  const host = bareHost(url)
  if (isIP(host) !== 0) return Promise.resolve({ address: host, family: isIP(host) })
  return new Promise((resolve) => {
    guard.lookup(signal)(host, { all: true }, (error, addresses) => {
      const [first] = Array.isArray(addresses) ? addresses : []
      resolve(error ? { fault: error } : (first ?? { fault: new Error('no address') }))
    })
  })
}
