// A syslog server: RFC 5424 (the line), RFC 5425 and RFC 6587 (frames by TLS and TCP, counted in bytes), RFC 5426 (one packet by UDP).
import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

export interface Line {
  facility: number
  severity: number
  timestamp: string
  host: string
  app: string
  message_id: string
  /** The elements of structured data, whole. */
  data: string
  text: string
}

export interface SyslogServer {
  udp: number
  tcp: number
  tls: number | undefined
  got: Line[]
  /** What no line of RFC 5424 is. */
  faults: string[]
  /** What happens to the next connections. */
  mood: 'takes' | 'hangs up' | 'resets'
  close(): Promise<void>
}

const PRINTABLE = '[!-~]'
const LINE = new RegExp(
  `^<(\\d{1,3})>1 (\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,6})?(?:Z|[+-]\\d\\d:\\d\\d)) (${PRINTABLE}{1,255}) (${PRINTABLE}{1,48}) (${PRINTABLE}{1,128}) (${PRINTABLE}{1,32}) ` +
    `(-|(?:\\[[!#-<>-\\\\^-~]{1,32}(?: [!#-<>-\\\\^-~]{1,32}="(?:[^"\\\\\\]]|\\\\["\\\\\\]])*")*\\])+)(?: \\uFEFF?(.*))?$`,
  's',
)

export function readLine(text: string): Line | undefined {
  const [, priority = '', timestamp = '', host = '', app = '', , message_id = '', data = '', said = ''] =
    LINE.exec(text) ?? []
  if (priority === '' || Number(priority) > 191) return undefined
  return {
    facility: Math.floor(Number(priority) / 8),
    severity: Number(priority) % 8,
    timestamp,
    host,
    app,
    message_id,
    data,
    text: said,
  }
}

export async function openSyslog(tls?: { key: string; cert: string }): Promise<SyslogServer> {
  const take = (bytes: Buffer): void => {
    const text = bytes.toString('utf8')
    const line = readLine(text)
    if (line) self.got.push(line)
    else self.faults.push(text)
  }
  const takeFrames = (socket: Socket): void => {
    if (self.mood === 'hangs up') return void socket.destroy()
    if (self.mood === 'resets') return void socket.resetAndDestroy()
    let waiting = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk])
      for (;;) {
        const space = waiting.indexOf(' ')
        const length = Number(waiting.subarray(0, space).toString('latin1'))
        if (space < 1 || waiting.length < space + 1 + length) return
        if (!Number.isInteger(length)) return void socket.destroy()
        take(waiting.subarray(space + 1, space + 1 + length))
        waiting = waiting.subarray(space + 1 + length)
      }
    })
  }
  const udp = createSocket('udp4').on('message', take)
  const servers = [createServer(takeFrames), ...(tls ? [createTlsServer(tls, takeFrames)] : [])]
  await new Promise<void>((resolve) => void udp.bind(0, '127.0.0.1', resolve))
  for (const server of servers) await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const [tcp = 0, overTls] = servers.map((server) => (server.address() as AddressInfo).port)
  const self: SyslogServer = {
    udp: udp.address().port,
    tcp,
    tls: overTls,
    got: [],
    faults: [],
    mood: 'takes',
    close: async () => {
      udp.close()
      for (const server of servers) await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
  return self
}
