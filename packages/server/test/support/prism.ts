// A second, foreign judge of our answers: Prism as a proxy between the tests and the server.
//
// Requests that Prism can read go through it; those that it would choke on (bodies that are no JSON, paths that the
// document does not have) go straight to the server. Prism notes in a header where an answer breaks the document.
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { document as account } from '@dogwatch/contract/account'
import { document as monitor } from '@dogwatch/contract/monitor'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const DOCUMENTS = [
  { prefix: '/monitor-api/v1', file: 'monitor.yaml', paths: patterns(monitor) },
  { prefix: '/account-api/v1', file: 'account.yaml', paths: patterns(account) },
]
const START_MS = 30_000

export interface Judge {
  /** Where the tests send their requests. */
  url: string
  /** Every answer that broke the document, in Prism's words. */
  violations: string[]
  /** How many answers it has judged. */
  judged: number
  close(): Promise<void>
}

/** Puts the judge in front of a server. A document's Prism starts with the first request that it is to judge. */
export async function startJudge(upstream: string): Promise<Judge> {
  const children: ChildProcess[] = []
  const ports = new Map<string, Promise<number>>()
  const judge: Judge = { url: '', violations: [], judged: 0, close: async () => {} }
  const server = createServer((req, res) => void forward(req, res))

  async function startPrism(file: string, prefix: string): Promise<number> {
    const port = await freePort()
    const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js')
    const args = ['proxy', join(root, 'openapi', file), `${upstream}${prefix}`, '-p', String(port)]
    children.push(spawn(process.execPath, [prism, ...args], { stdio: 'ignore' }))
    await untilAnswers(port)
    return port
  }

  async function forward(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req)
    const whole = req.url ?? ''
    const found = DOCUMENTS.find(({ prefix, paths }) => {
      const [path = ''] = whole.slice(prefix.length).split('?')
      return whole.startsWith(prefix) && paths.some((pattern) => pattern.test(path))
    })
    const isJudged = found !== undefined && isReadable(req, body)
    let target = upstream + whole
    if (isJudged) {
      const { file, prefix } = found
      const port = ports.get(prefix) ?? startPrism(file, prefix)
      ports.set(prefix, port)
      target = `http://127.0.0.1:${await port}${whole.slice(prefix.length)}`
    }
    const onward = request(target, { method: req.method, headers: req.headers }, (answer) => {
      if (isJudged) note(`${req.method ?? ''} ${whole.slice(found.prefix.length)} ${answer.statusCode ?? 0}`, answer)
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    onward.on('error', () => res.destroy())
    onward.end(body)
  }

  function note(what: string, answer: IncomingMessage): void {
    judge.judged++
    const found = JSON.parse(String(answer.headers['sl-violations'] ?? '[]')) as {
      location: string[]
      message: string
    }[]
    for (const { location, message } of found) {
      if (location[0] === 'response') judge.violations.push(`${what}: ${location.join('.')} ${message}`)
    }
  }

  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  judge.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  judge.close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    for (const child of children) child.kill('SIGKILL')
  }
  return judge
}

function patterns(document: Readonly<Record<string, unknown>>): RegExp[] {
  return Object.keys(document.paths as object).map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[\\w-]+')}$`))
}

function isReadable(req: IncomingMessage, body: Buffer): boolean {
  if (req.method === 'GET') return true
  if (req.method !== 'POST' || req.headers['content-encoding'] !== undefined || body.length > 100_000) return false
  if (req.headers['content-type'] !== 'application/json') return false
  try {
    JSON.parse(body.toString())
    return true
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function untilAnswers(port: number): Promise<void> {
  const end = performance.now() + START_MS
  while (!(await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(20_000) }).catch(() => undefined))) {
    if (performance.now() > end) throw new Error('prism did not start')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
