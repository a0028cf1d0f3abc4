// One HTTP server on which fakes of vendors stand side by side, each below a path of its own. A fake is written from what its
// vendor documents, and knows nothing of our code.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { z } from 'zod'

export interface VendorRequest {
  method: string
  /** Below the fake's own, with no query. */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: string
}

export interface Reply {
  status: number
  /** That it is of 2xx says nothing: nobody was told. */
  isNoMessage?: true
  headers?: Record<string, string>
  body?: unknown
}

/** What goes wrong when a destination, or the message, is not right. */
export interface Refusal {
  /** What of the destination is different. */
  with: Readonly<Record<string, string>>
  is: 'retry' | 'refused' | 'gone'
  status: number
  says?: string
}

export interface Vendor {
  kind: string
  /** The path that it shares with another fake of the same host; left out, its kind. */
  below?: string
  /** Which paths are its own there. */
  owns?(path: string): boolean
  /** Its hosts, where it has its own. */
  origins?: readonly string[]
  /** What people paste; `at` is where the fake stands. */
  destination(at: string): Record<string, string>
  /** As the vendor documents it. */
  answer(asked: VendorRequest): Reply
  /** Too many requests, said in its own way. */
  limited: { reply: Reply; wait_sec?: number }
  /** An answer of 2xx that says that nothing was sent. */
  lie?: Reply
  refusals?: Readonly<Record<string, Refusal>>
  /** A request of ours, made longer than the vendor takes. */
  overlong?(body: string): string
  /** The words in a request that people read. */
  words(asked: VendorRequest): string
}

/** What a fake does with the next request instead of answering it. `takes in silence`: it takes it, and hangs up before it says so. */
export type Mood = 'limited' | 'lies' | 'fails' | 'hangs' | 'hangs up' | 'breaks off' | 'takes in silence'

export interface Taken {
  kind: string
  words: string
  asked: VendorRequest
}

export interface Fakes {
  port: number
  at(vendor: Vendor): string
  /** In the order in which they came; those that were not taken are not among them. */
  taken: Taken[]
  /** Every request, by kind, with what became of it. */
  asked: { kind: string; asked: VendorRequest; reply: Mood | Reply }[]
  /** VendorRequest with each request: what is done instead of answering it, or what is answered. */
  mood: (kind: string, asked: VendorRequest) => Mood | Reply | undefined
  close(): Promise<void>
}

export async function openFakes(vendors: readonly Vendor[]): Promise<Fakes> {
  const take = (vendor: Vendor, asked: VendorRequest, { status, isNoMessage }: Reply): void => {
    if (status < 300 && !isNoMessage) fakes.taken.push({ kind: vendor.kind, words: vendor.words(asked), asked })
  }
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://fake')
    const [, name = '', ...rest] = pathname.split('/')
    const path = `/${rest.join('/')}`
    const vendor = vendors.find(({ kind, below = kind, owns }) => below === name && (owns?.(path) ?? true))
    if (!vendor) return void response.writeHead(404).end()
    const { kind } = vendor
    const asked = { method: request.method ?? '', path, query, headers: request.headers, body }
    const mood = fakes.mood(kind, asked)
    if (mood !== undefined) {
      fakes.asked.push({ kind, asked, reply: mood })
      if (mood === 'takes in silence') take(vendor, asked, vendor.answer(asked))
      return typeof mood === 'string' ? misbehave(mood, vendor, response) : send(response, mood)
    }
    const reply = vendor.answer(asked)
    fakes.asked.push({ kind, asked, reply })
    take(vendor, asked, reply)
    send(response, reply)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const fakes: Fakes = {
    port,
    at: ({ kind, below = kind }) => `http://127.0.0.1:${port}/${below}`,
    taken: [],
    asked: [],
    mood: () => undefined,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
  return fakes
}

function misbehave(mood: Mood, { limited, lie }: Vendor, response: ServerResponse): void {
  if (mood === 'limited') return send(response, limited.reply)
  if (mood === 'lies' && lie) return send(response, lie)
  if (mood === 'fails' || mood === 'lies') return send(response, { status: 503, body: '<h1>Service unavailable</h1>' })
  if (mood === 'hangs up' || mood === 'takes in silence') return void response.destroy()
  // Half an answer, and then nothing.
  if (mood === 'breaks off')
    return void response.writeHead(503, { 'content-length': '1000' }).write('x', () => response.destroy())
}

function send(response: ServerResponse, { status, headers = {}, body = '' }: Reply): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body))
}

/** The body as JSON of this shape, or what is wrong with it. */
export function read<T>(shape: z.ZodType<T>, { body, headers }: VendorRequest): { value: T } | { fault: string } {
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) return { fault: 'the body is not declared as JSON' }
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return { fault: 'the body is not JSON' }
  }
  const { data, error } = shape.safeParse(json)
  if (error) return { fault: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') }
  return { value: data }
}

export function jsonOf(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** User and password of Basic authentication. */
export function basicOf({ headers }: VendorRequest): string {
  const [scheme, credentials = ''] = (headers.authorization ?? '').split(' ')
  return scheme === 'Basic' ? Buffer.from(credentials, 'base64').toString('utf8') : ''
}

/** How many characters (code points) a text has. */
export function lengthOf(text: string): number {
  return Array.from(text).length
}
