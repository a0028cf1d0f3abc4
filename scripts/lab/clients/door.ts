// Runs a proxy in front of a server, which records requests. All its clients share one address, like machines behind one router.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { listen, type Undo } from '../proof.ts'

export interface Passage {
  /** Time in milliseconds since the Unix epoch. */
  at: number
  /** API key of the agent that sent the request. */
  key: string
  /** Status of the response. 0 if there was none. */
  status: number
  results: { check_guid: string; ran_at: string }[]
}

export interface Door {
  readonly url: string
  readonly passages: readonly Passage[]
}

/** Opens a proxy in front of the server at this port. */
export async function openDoor(behind: number, undo: Undo): Promise<Door> {
  const passages: Passage[] = []
  const server = createServer(async (req, res) => {
    const sent = await buffer(req).catch(() => undefined)
    if (!sent) return
    const status = await passOn(behind, req, sent, res)
    const body = req.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    const isUpload = req.url?.endsWith('/results') === true
    const { results = [] } = (isUpload ? JSON.parse(body.toString()) : {}) as Partial<Passage>
    passages.push({ at: Date.now(), key: req.headers.authorization ?? '', status, results })
  })
  return { url: `http://127.0.0.1:${await listen(server, undo)}`, passages }
}

/** Passes a request on to the server. Returns the status of the response, or 0 if there is none. */
function passOn(port: number, req: IncomingMessage, body: Buffer, res: ServerResponse): Promise<number> {
  return new Promise((resolve) => {
    const { method = '', url = '' } = req
    const { connection: _, ...headers } = req.headers
    const onward = request({ port, host: '127.0.0.1', method, path: url, headers, agent: false }, (response) => {
      const { connection: __, 'keep-alive': ___, ...kept } = response.headers
      res.writeHead(response.statusCode ?? 0, kept)
      response.pipe(res)
      response.on('error', () => res.destroy())
      res.on('close', () => resolve(res.writableFinished ? (response.statusCode ?? 0) : 0))
    })
    onward.on('error', () => {
      res.destroy()
      resolve(0)
    })
    onward.end(body)
  })
}

/** Returns the uploads through the proxy that the server accepted. */
export function uploadsThrough({ passages }: Door): Passage[] {
  return passages.filter(({ status, results }) => status === 200 && results.length > 0)
}
