// A second, foreign judge of our answers: Prism. It judges what the server really answered, recorded as the test ran.
//
// Loading Prism takes a second, so there is one for all test files. It lives in jest's own process (global-setup.ts) and is loaded
// with the first answer that it is asked to judge.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** Says where the judge is. */
const SETTING = 'DOGWATCH_TEST_JUDGE'
const OPENAPI = fileURLToPath(new URL('../../../../openapi/', import.meta.url))
const DOCUMENTS: Readonly<Record<string, string>> = {
  '/monitor-api/v1': 'monitor.yaml',
  '/account-api/v1': 'account.yaml',
  '/config-api/v1': 'config.yaml',
}

interface Answer {
  /** Whose document it is held to: the start of the path. */
  prefix: string
  method: string
  /** After the prefix, without a query. */
  path: string
  status: number
  headers: Record<string, string>
  body: string
}

export interface Judge {
  /** Asks Prism about every answer so far that ended. */
  judge(): Promise<{ judged: number; violations: string[] }>
}

/** Records the answers of a server to requests of the APIs. */
export function recordAnswers(server: Server): Judge {
  const answers: Answer[] = []
  const record = (req: IncomingMessage, res: ServerResponse): void => {
    const [path = ''] = (req.url ?? '').split('?')
    const prefix = Object.keys(DOCUMENTS).find((one) => path.startsWith(`${one}/`))
    // An answer to HEAD has no body to hold against the document.
    if (prefix === undefined || req.method === undefined || req.method === 'HEAD') return
    const { method } = req
    tap(res, (headers, body) => {
      answers.push({ prefix, method, path: path.slice(prefix.length), status: res.statusCode, headers, body })
    })
  }
  server.prependListener('request', record)
  return {
    judge: async () => {
      const asked = answers.splice(0)
      if (asked.length === 0) return { judged: 0, violations: [] }
      const answer = await fetch(process.env[SETTING] ?? '', { method: 'POST', body: JSON.stringify(asked) })
      if (!answer.ok) throw new Error(`the judge failed: ${await answer.text()}`)
      return (await answer.json()) as { judged: number; violations: string[] }
    },
  }
}

/** Passes on an answer that was sent whole: its headers, and its body as it was before it was compressed. */
function tap(res: ServerResponse, onWhole: (headers: Record<string, string>, body: string) => void): void {
  const chunks: Buffer[] = []
  const given: Record<string, unknown> = {}
  const keep = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, encoding as BufferEncoding))
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  const { write, end, writeHead } = res as unknown as Record<string, (...args: unknown[]) => unknown>
  Object.assign(res, {
    write: (...args: unknown[]) => {
      keep(args[0], typeof args[1] === 'string' ? args[1] : 'utf8')
      return write?.apply(res, args)
    },
    end: (...args: unknown[]) => {
      keep(args[0], typeof args[1] === 'string' ? args[1] : 'utf8')
      return end?.apply(res, args)
    },
    writeHead: (...args: unknown[]) => {
      // Node does not remember these where none were set before.
      const last = args.at(-1)
      if (typeof last === 'object' && last !== null && !Array.isArray(last)) Object.assign(given, last)
      return writeHead?.apply(res, args)
    },
  })
  res.once('finish', () => {
    const headers = Object.fromEntries(
      Object.entries({ ...res.getHeaders(), ...given }).map(([name, value]) => [name.toLowerCase(), String(value)]),
    )
    onWhole(headers, decompressed(Buffer.concat(chunks), headers['content-encoding']))
  })
}

function decompressed(body: Buffer, encoding: string | undefined): string {
  const plain = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync }[encoding ?? '']
  return (plain?.(body) ?? body).toString()
}

export interface PrismServer {
  close(): Promise<void>
}

/** Opens the one judge of a run, and tells the test files where it is. */
export async function openPrism(): Promise<PrismServer> {
  let judges: Promise<Record<string, JudgeOne>> | undefined
  const server = createServer((req, res) => {
    const answered = json(req).then(async (asked) => {
      const all = await (judges ??= loadPrism())
      const violations: string[] = []
      for (const one of asked as Answer[]) violations.push(...((await all[one.prefix]?.(one)) ?? []))
      return { judged: (asked as Answer[]).length, violations }
    })
    answered.then(
      (verdict) => res.end(JSON.stringify(verdict)),
      (error: unknown) => res.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.env[SETTING] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type JudgeOne = (answer: Answer) => Promise<string[]>

/** As far as we use it. */
interface PrismHttp {
  getHttpOperationsFromSpec(file: string): Promise<unknown[]>
  createInstance(config: object, components: object): PrismInstance
}
interface PrismInstance {
  /** Returns what is to be called for the outcome, in the manner of fp-ts. */
  request(input: object, operations: unknown[]): () => Promise<PrismOutcome>
}
interface PrismOutcome {
  _tag: 'Left' | 'Right'
  left?: unknown
  right?: { validations: { output: { path?: string[]; message: string }[] } }
}

/** The libraries that `prism proxy` is made of. */
async function loadPrism(): Promise<Record<string, JudgeOne>> {
  const ofPrism = createRequire(createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js'))
  const prism = ofPrism('@stoplight/prism-http') as PrismHttp
  const silent: Record<string, unknown> = {}
  for (const level of ['trace', 'debug', 'info', 'success', 'warn', 'error', 'fatal']) silent[level] = () => {}
  const logger = { ...silent, child: () => logger }
  const judges: Record<string, JudgeOne> = {}
  for (const [prefix, file] of Object.entries(DOCUMENTS)) {
    const operations = await prism.getHttpOperationsFromSpec(join(OPENAPI, file))
    judges[prefix] = (answer) => judgeOne(prism, operations, logger, answer)
  }
  return judges
}

/** As a proxy it would ask the server; here the server has answered already. */
async function judgeOne(prism: PrismHttp, operations: unknown[], logger: object, answer: Answer): Promise<string[]> {
  const { method, path, status, headers } = answer
  const isJson = status !== 204 && /^application\/json\b/.test(headers['content-type'] ?? '')
  const body: unknown = isJson ? JSON.parse(answer.body) : answer.body
  const forward = () => () => async () => ({ _tag: 'Right', right: { statusCode: status, headers, body } })
  const config = {
    isProxy: true,
    upstream: new URL('http://127.0.0.1/'),
    validateRequest: false,
    validateResponse: true,
    checkSecurity: false,
    errors: false,
    mock: { dynamic: false },
  }
  const instance = prism.createInstance(config, { logger, forward })
  const outcome = await instance.request({ method: method.toLowerCase(), url: { path, query: {} } }, operations)()
  const what = `${method} ${path} ${status}`
  if (outcome._tag === 'Left') return [`${what}: ${String(outcome.left)}`]
  return (outcome.right?.validations.output ?? []).map(
    (found) => `${what}: response.${(found.path ?? []).join('.')} ${found.message}`,
  )
}
