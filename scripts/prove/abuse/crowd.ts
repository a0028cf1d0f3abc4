// Sends requests from addresses of this machine: one at a time, or the same bytes again and again on many connections.
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'

export interface RequestPlan {
  port: number
  address: string
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string | undefined
}

const PATIENCE_MS = 60_000

/** Sends a request on a connection of its own. The status is 0 if there is no response. */
export async function send({ port, address, path, method = 'GET', headers = {}, body }: RequestPlan) {
  const begun = performance.now()
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve) => {
    const options = { host: '127.0.0.1', port, path, method, headers, localAddress: address, timeout: PATIENCE_MS }
    const sending = request({ ...options, agent: new Agent() }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.once('error', () => resolve({ status: 0, text }))
    })
    sending.once('timeout', () => sending.destroy())
    sending.once('error', () => resolve({ status: 0, text: '' }))
    sending.end(body)
  })
  return { status, text, ms: performance.now() - begun }
}

export interface CrowdPlan {
  port: number
  address: string
  connections: number
  /** Returns the bytes for a connection, and again after each response. Absent if connections stay silent. */
  say?: () => string
}

export interface Crowd {
  /** Number of responses with each status. */
  readonly statuses: Map<string, number>
  readonly opened: number
  /** Number of connections that the server closed. */
  readonly closed: number
  stop(): void
}

/** A closed connection opens again after this time, because this is no storm of new connections. */
const BACK_MS = 1000
const AT_ONCE = 100
const OPEN_EVERY_MS = 20

export function startCrowd({ port, address, connections, say }: CrowdPlan): Crowd {
  const statuses = new Map<string, number>()
  const sockets = new Set<Socket>()
  let [opened, closed, begun, isOver] = [0, 0, 0, false]
  const open = (): void => {
    if (isOver) return
    const socket = connect({ port, host: '127.0.0.1', localAddress: address })
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('connect', () => {
      opened++
      if (say) socket.write(say())
    })
    socket.on('data', (bytes: Buffer) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1', 0, 12))?.[1]
      if (status === undefined) return
      statuses.set(`with ${status}`, (statuses.get(`with ${status}`) ?? 0) + 1)
      if (say) socket.write(say())
    })
    socket.once('close', () => {
      closed++
      sockets.delete(socket)
      setTimeout(open, BACK_MS)
    })
  }
  // Not all at once, because the system would drop most of them.
  const opening = setInterval(() => {
    for (let n = 0; n < AT_ONCE && begun < connections; n++, begun++) open()
    if (begun === connections) clearInterval(opening)
  }, OPEN_EVERY_MS)
  return {
    statuses,
    get opened() {
      return opened
    },
    get closed() {
      return closed
    },
    stop: () => {
      isOver = true
      clearInterval(opening)
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Returns a form as a browser sends it. */
export function formPost(path: string, body: string, cookie?: string): string {
  const lines = [
    ...[`POST ${path} HTTP/1.1`, 'Host: x', 'Accept: text/html', 'Content-Type: application/x-www-form-urlencoded'],
    ...[`Content-Length: ${Buffer.byteLength(body)}`, ...(cookie === undefined ? [] : [`Cookie: ${cookie}`])],
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Reads the form token of a page, and the cookies that belong to it. */
export async function readForm(port: number, path: string, cookie = ''): Promise<{ csrf: string; cookie: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie, accept: 'text/html' } })
  const csrf = /name="csrf" value="([^"]+)"/.exec(await response.text())?.[1]
  if (csrf === undefined) throw new Error(`${path} has status ${response.status} and no form`)
  const set = response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  return { csrf, cookie: [cookie, ...set].filter((one) => one !== '').join('; ') }
}
