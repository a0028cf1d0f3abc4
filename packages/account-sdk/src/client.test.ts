// What each method promises when the server behaves, and what paging and exports promise when it does not.

import { getEventListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from '@jest/globals'
import { answer, hangUp, json, type Reply, serve, text } from '../../monitor-sdk/test/misbehaving-server.ts'
import { arrivals, EXPORT, exportOf, GUID, page, result, sendExport } from '../test/account-answers.ts'
import {
  AccountClient,
  type AccountClientOptions,
  type CheckArrivalsPage,
  ConnectionError,
  cursorAfter,
  type ExportedResult,
  type LogEvent,
  type Result,
  TimeoutError,
} from './index.ts'
import { VERSION } from './version.ts'

async function world(script: Reply[], options: Partial<AccountClientOptions> = {}) {
  const server = await serve(...script)
  const events: LogEvent[] = []
  const client = new AccountClient({
    baseUrl: server.baseUrl,
    token: 'dogwatch_pat_x',
    clock: { sleep: async () => {}, random: () => 0 },
    log: (event) => void events.push(event),
    ...options,
  })
  return { ...server, client, events, urls: () => server.arrived.map((one) => one.url) }
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error,
  )
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const reads: [string, (client: AccountClient) => Promise<unknown>, path: string, good: unknown][] = [
  ['checks', (client) => client.checks(), '/checks', [{ guid: 'g', later: 1 }]],
  ['check', (client) => client.check('g'), '/checks/g', { guid: 'g', later: 1 }],
  ['monitors', (client) => client.monitors(), '/monitors', []],
  ['heartbeats', (client) => client.heartbeats(), '/heartbeats', []],
  ['channels', (client) => client.channels(), '/notification-channels', [{ id: 1, webhook_secret: 's' }]],
  ['members', (client) => client.members(), '/members', [{ id: 1 }]],
  ['settings', (client) => client.settings(), '/settings', { org_name: 'o', entitlements: {}, plan_usage: {} }],
]
test.each(reads)('%s asks its path and passes unknown fields through', async (_, call, path, good) => {
  const { client, arrived } = await world([json(good)])
  expect(await call(client)).toEqual(good)
  expect(arrived[0]).toMatchObject({ method: 'GET', url: `/account-api/v1${path}` })
  expect(arrived[0]?.headers.authorization).toBe('Bearer dogwatch_pat_x')
})

test.each(reads)('%s is repeated after an answer of another shape', async (_, call, __, good) => {
  const { client, arrived } = await world([json('what?'), json(good)])
  expect(await call(client)).toEqual(good)
  expect(arrived).toHaveLength(2)
})

test.each([
  ['a/b?c#d', 'a%2Fb%3Fc%23d'],
  ['50% é\u{1F600}', '50%25%20%C3%A9%F0%9F%98%80'],
  ['...', '...'],
  ['%2e%2e', '%252e%252e'],
  ["a'b$&\\\n", "a'b%24%26%5C%0A"],
])('the guid %j travels percent-encoded', async (guid, path) => {
  const { client, urls } = await world([text(404, 'no check with that guid')])
  expect(await failure(client.check(guid))).toMatchObject({ status: 404, message: 'no check with that guid' })
  await failure(collect(client.results(guid)))
  expect(urls()).toEqual([`/account-api/v1/checks/${path}`, `/account-api/v1/checks/${path}/results`])
})

test.each(['', '.', '..', '\ud800'])('the guid %j, which no path can carry, is refused', async (guid) => {
  const { client, arrived } = await world([json({})])
  expect(await failure(client.check(guid))).toBeInstanceOf(TypeError)
  expect(await failure(collect(client.pages(guid)))).toBeInstanceOf(TypeError)
  expect(arrived).toHaveLength(0)
})

const paged = [json(page(result(1), result(2))), json(page(result(3))), json(page())]

test('results come one by one over all pages, to the empty one', async () => {
  const { client, urls } = await world(paged)
  expect(await collect(client.results(GUID))).toEqual([result(1), result(2), result(3)])
  const path = `/account-api/v1/checks/${GUID}/results`
  expect(urls()).toEqual([
    path,
    `${path}?after=2026-11-20T10%3A02%3A00.123456Z&after_monitor=7k2m9x0c4v5b`,
    `${path}?after=2026-11-20T10%3A03%3A00.123456Z&after_monitor=7k2m9x0c4v5b`,
  ])
})

test('pages come as they are, and the empty one is not among them', async () => {
  const { client } = await world(paged)
  expect(await collect(client.pages(GUID))).toEqual([page(result(1), result(2)), page(result(3))])
})

test('paging begins at a cursor, at an instant, or after the last result that was taken', async () => {
  const { client, urls } = await world([json(page())])
  await collect(client.results(GUID, { after: '2026-11-20T10:00:00Z' }))
  await collect(client.pages(GUID, { ...page(result(7)).next, retries: 0 }))
  await collect(client.results(GUID, cursorAfter(result(7))))
  const queries = urls().map((url) => url.split('?')[1])
  const cursor = 'after=2026-11-20T10%3A07%3A00.123456Z&after_monitor=7k2m9x0c4v5b'
  expect(queries).toEqual(['after=2026-11-20T10%3A00%3A00Z', cursor, cursor])
})

/** The first pages of following, and then no more. */
async function firstPages(pages: AsyncIterable<CheckArrivalsPage>, count: number): Promise<CheckArrivalsPage[]> {
  const found: CheckArrivalsPage[] = []
  for await (const one of pages) if (found.push(one) === count) break
  return found
}

test('following yields what has arrived, asks again from each cursor, and waits when nothing has', async () => {
  const slept: number[] = []
  const sleep = async (ms: number) => void slept.push(ms)
  const script = [arrivals('a', result(1), result(2)), arrivals('b'), arrivals('c'), arrivals('d', result(0))]
  const { client, urls } = await world(
    script.map((one) => json(one)),
    { clock: { sleep } },
  )
  expect(await firstPages(client.follow(GUID, { pollMs: 7000 }), 2)).toEqual([script[0], script[3]])
  const path = `/account-api/v1/checks/${GUID}/arrivals`
  expect(urls()).toEqual([path, `${path}?cursor=a`, `${path}?cursor=b`, `${path}?cursor=c`])
  expect(slept).toEqual([7000, 7000])
})

test('following begins at a cursor or at an instant', async () => {
  const { client, urls } = await world([json(arrivals('b', result(1)))])
  await firstPages(client.follow(GUID, { cursor: 'a/b' }), 1)
  await firstPages(client.follow(GUID, { after: '2026-11-20T10:00:00Z' }), 1)
  expect(urls().map((url) => url.split('?')[1])).toEqual(['cursor=a%2Fb', 'after=2026-11-20T10%3A00%3A00Z'])
})

test('following outlasts a server that is busy, away, or not itself, with waits that grow', async () => {
  const slept: number[] = []
  const clock = { sleep: async (ms: number) => void slept.push(ms), random: () => 1 }
  const script = [
    text(429, 'rate limit exceeded', { 'retry-after': '90' }),
    text(503, 'overloaded'),
    hangUp,
    text(200, '<html>'),
    json({ results: [result(1)] }),
    json(arrivals('a', result(1))),
    text(500, 'internal error'),
    json(arrivals('b', result(2))),
  ]
  const { client, urls } = await world(script, { clock, retries: 0 })
  expect(await firstPages(client.follow(GUID), 2)).toEqual([arrivals('a', result(1)), arrivals('b', result(2))])
  expect(slept).toEqual([90_000, 2000, 4000, 8000, 16_000, 1000])
  expect(urls().slice(-2)).toEqual(Array(2).fill(`/account-api/v1/checks/${GUID}/arrivals?cursor=a`))
})

test('following ends when the server refuses for good', async () => {
  const { client, arrived } = await world([text(404, 'no check with that guid')])
  expect(await failure(firstPages(client.follow(GUID), 1))).toMatchObject({ status: 404 })
  expect(arrived).toHaveLength(1)
  expect(await failure(firstPages(client.follow(GUID, { pollMs: 0 }), 1))).toBeInstanceOf(RangeError)
})

test.each(['of the call', 'of the client'])(
  'aborting the signal %s ends following in the middle of a wait',
  async (whose) => {
    const controller = new AbortController()
    const { signal } = controller
    const sleep = () => {
      setImmediate(() => controller.abort(new Error('enough')))
      return new Promise<void>(() => {})
    }
    const { client } = await world([json(arrivals('a'))], {
      clock: { sleep },
      ...(whose === 'of the client' && { signal }),
    })
    const pages = client.follow(GUID, whose === 'of the call' ? { signal } : {})
    expect(await failure(firstPages(pages, 1))).toMatchObject({ message: 'enough' })
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  },
)

test('a page that would come again for ever is not handed out twice', async () => {
  const { client } = await world([json(arrivals('a', result(1))), json(arrivals('a', result(1))), text(401, 'no')])
  const found: CheckArrivalsPage[] = []
  const follow = async () => {
    for await (const one of client.follow(GUID)) found.push(one)
  }
  expect(await failure(follow())).toMatchObject({ status: 401 })
  expect(found).toHaveLength(1)
})

test('leaving the loop sends no more requests', async () => {
  const { client, arrived } = await world(paged)
  for await (const one of client.results(GUID)) {
    expect(one).toEqual(result(1))
    break
  }
  expect(arrived).toHaveLength(1)
})

test('a failure between pages says where to go on from', async () => {
  const { client } = await world([json(page(result(1))), text(401, 'revoked')])
  const taken: Result[] = []
  const error = await failure(
    (async () => {
      for await (const one of client.results(GUID)) taken.push(one)
    })(),
  )
  expect(taken).toEqual([result(1)])
  expect(error).toMatchObject({ status: 401, resumeFrom: page(result(1)).next })
  const first = await world([text(401, 'revoked')])
  expect(await failure(collect(first.client.results(GUID)))).not.toHaveProperty('resumeFrom')
})

test.each([
  ['rows without a cursor', { results: [result(1)] }],
  ['the cursor that was sent', page(result(1))],
  ['no list of results', { results: 1 }],
])('a page with %s is no end and no circle', async (_, wrong) => {
  const { client, arrived } = await world([json(wrong)])
  const error = await failure(collect(client.pages(GUID, page(result(1)).next)))
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ request: { path: `/checks/${GUID}/results` } })
  expect(arrived).toHaveLength(1)
})

test('retries hold for each page, and an abort ends the paging', async () => {
  const caller = new AbortController()
  const { client, arrived } = await world([hangUp, json(page(result(1))), hangUp, json(page(result(2)))])
  const pages = client.pages(GUID, { signal: caller.signal, retries: 1 })
  await pages.next()
  await pages.next()
  caller.abort('enough')
  expect(await failure(pages.next())).toBe('enough')
  expect(arrived).toHaveLength(4)
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
})

test('export gives the parsed document', async () => {
  const { client, urls } = await world([sendExport(JSON.stringify(EXPORT), { pieces: 40 })])
  expect(await client.export()).toEqual(EXPORT)
  expect(urls()).toEqual(['/account-api/v1/export'])
})

test('exportStream gives the bytes and the name of the file', async () => {
  const { client } = await world([sendExport(JSON.stringify(EXPORT), { pieces: 3 })])
  const { stream, filename } = await client.exportStream()
  expect(filename).toBe('dogwatch.json')
  expect(JSON.parse(await new Response(stream).text())).toEqual(EXPORT)
})

test.each([
  ['attachment', undefined],
  ['attachment; filename=a.json', 'a.json'],
  ['attachment; filename="../../etc/passwd"', 'passwd'],
])('the file name in %j is %j', async (disposition, name) => {
  const { client } = await world([json(EXPORT, { 'content-disposition': disposition })])
  const { stream, filename } = await client.exportStream()
  await stream.cancel()
  expect(filename).toBe(name)
})

test.each([1, 7, 1000])('exportResults gives the header and each result, in %i pieces', async (pieces) => {
  const document = { ...EXPORT, later: { 'x.y': [1] } }
  const { client } = await world([sendExport(JSON.stringify(document), { pieces })])
  const { header, results } = await client.exportResults()
  const { results: _, ...wanted } = EXPORT
  expect(header).toMatchObject(wanted)
  expect(await collect(results)).toEqual([
    { guid: GUID, result: EXPORT.results[GUID]?.[0] },
    { guid: GUID, result: result(2) },
    { guid: 'a.b', result: result(3) },
  ])
})

test('an export without any result has its header', async () => {
  const { client } = await world([json({ ...EXPORT, results: {} })])
  const { header, results } = await client.exportResults()
  expect(header.org_name).toBe('Shop \u00e9')
  expect(await collect(results)).toEqual([])
})

const whole = JSON.stringify(EXPORT)
const cuts: [string, Reply][] = [
  ['whose connection breaks', sendExport(whole.slice(0, -30), { then: 'break' })],
  ['that ends in the middle of a result', sendExport(whole.slice(0, -30))],
  ['that lacks its last bracket', sendExport(whole.slice(0, -1))],
  ['that ends in its header', sendExport(whole.slice(0, 40))],
  ['without a byte', sendExport('')],
]
const forms: [string, (client: AccountClient) => Promise<unknown>][] = [
  ['export', (client) => client.export()],
  ['exportResults', async (client) => collect((await client.exportResults()).results)],
]
for (const [how, reply] of cuts) {
  test.each(forms)(`an export ${how} fails %s in one line, once`, async (_, call) => {
    const { client, arrived } = await world([reply])
    const error = await failure(call(client))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({
      message: expect.stringMatching(/^the export was cut short; request it again(: .*)?$/),
      request: { method: 'GET', path: '/export' },
    })
    expect(arrived).toHaveLength(1)
  })
}

test.each(forms)('a document that is whole and no export fails %s', async (_, call) => {
  for (const wrong of [[], { ...EXPORT, results: [] }, { results: {} }, { ...EXPORT, checks: {} }]) {
    const { client } = await world([json(wrong)])
    expect(await failure(call(client))).toMatchObject({ message: 'the response does not match the contract' })
  }
})

test('a broken document does not quote what it holds', async () => {
  const broken = `${whole.slice(0, -200)} dogwatch_secret`
  for (const [, call] of forms) {
    const { client, events } = await world([json(0), sendExport(broken)], { retries: 0 })
    await failure(client.checks())
    expect(inspect([await failure(call(client)), events], { depth: 9 })).not.toContain('dogwatch_secret')
  }
})

test.each([
  ['a refusal that asks for patience', text(429, 'rate limit exceeded', { 'retry-after': '30' })],
  ['a 500', text(500, 'internal server error')],
  ['a lost connection', hangUp],
  ['a success that is not JSON', text(200, '<html>captive portal</html>')],
])('an export is repeated before its body began: %s', async (_, reply) => {
  const { client, arrived } = await world([reply, sendExport(whole)])
  expect(await client.export()).toEqual(EXPORT)
  expect(arrived).toHaveLength(2)
})

test('a refused export is an ApiError', async () => {
  const { client } = await world([text(401, 'missing, malformed or unknown credential')])
  for (const [, call] of forms) {
    expect(await failure(call(client))).toMatchObject({ name: 'ApiError', status: 401 })
  }
})

test('a server that falls silent in the middle of an export is timed out, and the log hears of it', async () => {
  const { client, events } = await world([sendExport(whole.slice(0, 400), { then: 'silence' })], { timeout: 300 })
  const error = await failure(client.export())
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toMatchObject({ message: 'no progress for 0.3 s' })
  // A busy machine may not answer the first attempt in time either. Once there is an answer, there is no other attempt.
  const types = events.map((event) => event.type)
  expect(types.slice(types.indexOf('answer') - 1)).toEqual(['attempt', 'answer', 'failure'])
})

test('a reader that takes its time is no stall', async () => {
  const document = exportOf(20_000)
  const { client } = await world([sendExport(document, { pieces: 20 })], { timeout: 2000 })
  const { stream } = await client.exportStream()
  const reader = stream.getReader()
  let bytes = 0
  for (let read = 0; ; read += 1) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    if (read === 0) await new Promise((resolve) => setTimeout(resolve, 3000))
  }
  expect(bytes).toBe(document.length + 1)
})

test('a server does not send on to a reader that has stopped reading', async () => {
  let sent = 0
  const endless: Reply = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      while (sent < 400_000_000 && res.write(' '.repeat(100_000))) sent += 100_000
    }
    res.on('drain', more)
    more()
  }
  const { client } = await world([endless])
  const { stream } = await client.exportStream()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(sent).toBeLessThan(50_000_000)
  await stream.cancel()
})

test('an abort ends an export at once, whether somebody reads or not', async () => {
  for (const reads of [true, false]) {
    const caller = new AbortController()
    const { client, events } = await world([sendExport(whole.slice(0, 400), { then: 'silence' })])
    const { stream } = await client.exportStream({ signal: caller.signal })
    const reader = stream.getReader()
    await reader.read()
    const pending = reads ? failure(reader.read()) : undefined
    caller.abort('enough')
    expect(await (pending ?? failure(reader.read()))).toBe('enough')
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    expect(events.map((event) => event.type)).toEqual(['attempt', 'answer'])
  }
})

test('an export that ended, failed or was left holds no listener and closes its connection', async () => {
  const { signal } = new AbortController()
  const closed: boolean[] = []
  const noticing = answer(() => (res) => {
    res.on('close', () => closed.push(true))
    void sendExport(exportOf(50), { then: 'silence' })(res, undefined as never)
  })
  const { client } = await world([sendExport(whole), sendExport(whole.slice(0, 99), { then: 'break' }), noticing])
  await client.export({ signal })
  await failure(client.export({ signal }))
  const left = await client.exportResults({ signal })
  await left.results.return?.()
  const early = await client.exportResults({ signal })
  for await (const one of early.results) {
    expect(one.guid).toBe(GUID)
    break
  }
  await (await client.exportStream({ signal })).stream.cancel('enough')
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  while (closed.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(closed).toHaveLength(3)
})

/** What is in memory and is no garbage. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}

test('a huge export is read without being held', async () => {
  const row = JSON.stringify(result(1, { response_sample: 'x'.repeat(400) }))
  const block = Buffer.from(`,${row}`.repeat(1000))
  const huge: Reply = async (res) => {
    res.writeHead(200, { 'content-type': 'application/json' })
    const [head, tail] = JSON.stringify({ ...EXPORT, results: { g: [0] } }).split('0]')
    res.write(`${head}${row}`)
    for (let sent = 0; sent < 100; sent += 1) await new Promise((resolve) => res.write(block, resolve))
    res.end(`]${tail}`)
  }
  const { client } = await world([huge])
  const { results } = await client.exportResults()
  const before = heldBytes()
  let count = 0
  let most = 0
  let last: ExportedResult | undefined
  for await (const one of results) {
    last = one
    if (++count % 10_000 === 0) most = Math.max(most, heldBytes() - before)
  }
  expect([count, last?.guid]).toEqual([100_001, 'g'])
  // The document has 54 MB, and its results as objects more than that.
  expect(most).toBeLessThan(20_000_000)
})

test('each call goes through the transport, whose tests are in the monitor SDK: it is repeated, logged, and fails in words', async () => {
  const busy = text(503, 'busy', { 'retry-after': '2' })
  const refusal = text(403, 'unknown token dogwatch_pat_x', { 'x-request-id': 'r-1' })
  const { client, arrived, events } = await world([hangUp, busy, json([]), refusal])
  expect(await client.members()).toEqual([])
  const sent = arrived.map(({ url, headers }) => [url, headers.authorization, headers['user-agent']])
  const request = ['/account-api/v1/members', 'Bearer dogwatch_pat_x', `dogwatch-account-sdk/${VERSION}`]
  expect(sent).toEqual([request, request, request])
  expect(events.map(({ type }) => type)).toEqual([
    'attempt',
    'failure',
    'wait',
    'attempt',
    'answer',
    'wait',
    'attempt',
    'answer',
  ])
  expect(new Set(events.map(({ operation }) => operation))).toEqual(new Set(['listMembers']))
  expect(await failure(client.members())).toMatchObject({
    ...{ name: 'ApiError', status: 403, message: 'unknown token [token]', requestId: 'r-1' },
    request: { method: 'GET', path: '/members' },
  })
  const { response } = await client.http.GET('/checks/{guid}', { params: { path: { guid: 'g' } } })
  expect([response.status, arrived.at(-1)?.url]).toEqual([403, '/account-api/v1/checks/g'])
})

test('the version is that of the package', () => {
  const file = new URL('../package.json', import.meta.url)
  expect(JSON.parse(readFileSync(file, 'utf8')).version).toBe(VERSION)
})
