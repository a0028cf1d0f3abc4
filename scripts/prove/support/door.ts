// A proxy in front of a server: it passes everything on, records requests and answers, and can be shut. Its clients
// share one address, like machines behind one router.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { World } from '../../lab/world.ts'

export interface Passage {
  /** Milliseconds since the Unix epoch. */
  at: number
  route: string
  /** Whose key came with it. */
  key: string
  status: number
  /** As it was before it was compressed. */
  body: string
}

export interface Door {
  readonly url: string
  readonly passages: readonly Passage[]
  /** Where the server is now. */
  leadTo(port: number): void
  /** From now on connections are refused, and existing ones are closed. */
  shut(): Promise<void>
  open(): Promise<void>
  /** From now on it answers in the server's place, with each of these in turn; with none it passes everything on again. */
  answer(...answers: readonly StandIn[]): void
  /** How often it answered in the server's place. */
  readonly stoodIn: number
}

/** An answer that never came from the server. */
export interface StandIn {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

/** What a proxy, a firewall or a captive portal answers in a server's place: a page, with each of these statuses. */
export function pagesUnder(...statuses: readonly number[]): StandIn[] {
  return statuses.map((status) => ({
    status,
    headers: { 'content-type': 'text/html', ...(status === 302 ? { location: 'https://login.example/' } : {}) },
    body: '<!doctype html>\n<title>Not here</title>\n',
  }))
}

/** On an address of this machine. The server behind it is on loopback. */
export async function openDoor(world: Pick<World, 'undo'>, host = '127.0.0.1'): Promise<Door> {
  const passages: Passage[] = []
  let behind = 0
  let standIns: readonly StandIn[] = []
  let stoodIn = 0
  const server = createServer(async (req, res) => {
    const sent = await buffer(req).catch(() => undefined)
    if (!sent) return
    const standIn = standIns[stoodIn % Math.max(1, standIns.length)]
    if (standIn) {
      stoodIn += 1
      return void res.writeHead(standIn.status, standIn.headers).end(standIn.body)
    }
    const status = await passOn(behind, req, sent, res)
    const body = req.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    const route = `${req.method} ${(req.url ?? '').replace(/\?.*$/, '')}`
    passages.push({ at: Date.now(), route, key: req.headers.authorization ?? '', status, body: body.toString() })
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, host, resolve))
  const shut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await listen(0)
  const { port } = server.address() as AddressInfo
  world.undo(shut)
  return {
    url: `http://${host}:${port}`,
    passages,
    leadTo: (to) => {
      behind = to
    },
    shut,
    open: () => listen(port),
    answer: (...answers) => {
      standIns = answers
    },
    get stoodIn() {
      return stoodIn
    },
  }
}

/** The status that was answered; 0 when there was no answer. */
function passOn(port: number, req: IncomingMessage, body: Buffer, res: ServerResponse): Promise<number> {
  return new Promise((resolve) => {
    const { method = '', url = '' } = req
    const { connection: _, ...headers } = req.headers
    const onward = request({ port, host: '127.0.0.1', method, path: url, headers, agent: false }, (answer) => {
      const { connection: __, 'keep-alive': ___, ...answered } = answer.headers
      res.writeHead(answer.statusCode ?? 0, answered)
      answer.pipe(res)
      answer.on('error', () => res.destroy())
      res.on('close', () => resolve(res.writableFinished ? (answer.statusCode ?? 0) : 0))
    })
    onward.on('error', () => {
      res.destroy()
      resolve(0)
    })
    onward.end(body)
  })
}
