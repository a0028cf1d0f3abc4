// What each operation promises when the server behaves, and what pages and repeats promise when it does not.

import { expect, test } from '@jest/globals'
import { answer, hangUp, json, type Reply, serve, text } from '../../monitor-sdk/test/misbehaving-server.ts'
import * as sdk from './index.ts'
import {
  ApiError,
  ConfigClient,
  type ConfigClientOptions,
  ConnectionError,
  changeCheck,
  createCheck,
  deleteCheck,
  each,
  etagOf,
  getCheck,
  listChecks,
  type LogEvent,
  pages,
  pauseCheck,
  replaceCheck,
} from './index.ts'

const CHECK = {
  guid: 'g',
  name: 'Shop',
  url: 'https://shop.example.com/',
  enabled: true,
  restricted: false,
  interval_sec: 60,
  match_string: '',
  result_detail_max_chars: 256,
}
const INPUT = { name: 'Shop', url: 'https://shop.example.com/', interval_sec: 60 }

async function world(script: Reply[], options: Partial<ConfigClientOptions> = {}) {
  const server = await serve(...script)
  const events: LogEvent[] = []
  const client = new ConfigClient({
    baseUrl: server.baseUrl,
    token: 'dogwatch_cfg_x',
    clock: { sleep: async () => {}, random: () => 0 },
    log: (event) => void events.push(event),
    ...options,
  })
  const keys = () => server.arrived.map(({ headers }) => headers['idempotency-key'])
  return { ...server, client, events, keys }
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error,
  )
}

test('an operation puts its input where the contract has it', async () => {
  const { client, arrived } = await world([json(CHECK, { etag: '"v1"' })])
  const check = await replaceCheck(client, { guid: 'key:shop/1', body: INPUT, ifMatch: '"v0"' })
  expect(check).toEqual(CHECK)
  expect(etagOf(check)).toBe('"v1"')
  const [request] = arrived
  expect([request?.method, request?.url]).toEqual(['PUT', '/config-api/v1/checks/key%3Ashop%2F1'])
  expect(JSON.parse(request?.body ?? '')).toEqual(INPUT)
  expect(request?.headers).toMatchObject({
    authorization: 'Bearer dogwatch_cfg_x',
    'if-match': '"v0"',
    'user-agent': expect.stringMatching(/^dogwatch-config-sdk\//),
  })
  expect(request?.headers).not.toHaveProperty('idempotency-key')
  await listChecks(client, { tag: 'shop', limit: 2 }).catch(() => {})
  expect(arrived[1]?.url).toBe('/config-api/v1/checks?tag=shop&limit=2')
})

test('each attempt of a POST has the same Idempotency-Key, and another POST has another one', async () => {
  const { client, keys } = await world([
    hangUp,
    text(500, 'internal server error'),
    text(429, 'rate limit exceeded', { 'retry-after': '1' }),
    json(CHECK),
  ])
  await createCheck(client, { body: INPUT }, { retries: 3 })
  const first = keys()
  expect(first).toHaveLength(4)
  expect(new Set(first).size).toBe(1)
  expect(first[0]).toMatch(/^[0-9a-f-]{36}$/)
  await pauseCheck(client, { guid: 'g' })
  expect(keys()[4]).not.toBe(first[0])
  await createCheck(client, { body: INPUT, idempotencyKey: 'mine' })
  expect(keys()[5]).toBe('mine')
})

test('a change that is based on a version is not repeated when its answer was lost: it would be refused', async () => {
  const { client, arrived } = await world([hangUp])
  expect(await failure(changeCheck(client, { guid: 'g', body: {}, ifMatch: '"v"' }))).toBeInstanceOf(ConnectionError)
  expect(arrived).toHaveLength(1)
  expect(await failure(deleteCheck(client, { guid: 'g' }, { retries: 1 }))).toBeInstanceOf(ConnectionError)
  expect(arrived).toHaveLength(3)
})

test('an error has the status and the line of the server, and no token', async () => {
  const { client } = await world([
    text(400, 'url must be an http, https, tcp or tls url; dogwatch_cfg_x', { 'x-request-id': 'r' }),
  ])
  const error = await failure(createCheck(client, { body: INPUT }))
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    status: 400,
    message: 'url must be an http, https, tcp or tls url; [token]',
    requestId: 'r',
    request: { method: 'POST', path: '/checks' },
  })
})

test('a success that lacks what the contract promises is no success', async () => {
  const { client, events } = await world([json({ guid: 'g' })], { retries: 0 })
  expect(await failure(getCheck(client, { guid: 'g' }))).toMatchObject({
    name: 'ConnectionError',
    message: 'the response does not match the contract',
  })
  expect(events).toMatchObject([
    { type: 'attempt', operation: 'getCheck' },
    { type: 'failure', operation: 'getCheck' },
  ])
})

test('operations that run at the same time are told apart', async () => {
  const { client, events } = await world([answer(({ url }) => json(url.endsWith('/checks') ? { checks: [] } : CHECK))])
  await Promise.all([listChecks(client), getCheck(client, { guid: 'g' }), pauseCheck(client, { guid: 'g' })])
  const named = events.flatMap((event) => (event.type === 'answer' ? [event.operation] : []))
  expect(named.sort()).toEqual(['getCheck', 'listChecks', 'pauseCheck'])
})

test.each(['', '.', '..', '\ud800'])('no request is sent for the guid %j, which no path can carry', async (guid) => {
  const { client, arrived } = await world([json(CHECK)])
  expect(await failure(getCheck(client, { guid }))).toBeInstanceOf(TypeError)
  expect(arrived).toEqual([])
})

test('pages follow each other until there is no next', async () => {
  const list = answer(({ url }) =>
    json(
      {
        '/config-api/v1/checks?tag=shop': { checks: [{ ...CHECK, guid: 'a' }], next: 'a' },
        '/config-api/v1/checks?tag=shop&after=a': { checks: [], next: 'b' },
        '/config-api/v1/checks?tag=shop&after=b': { checks: [{ ...CHECK, guid: 'c' }] },
      }[url],
    ),
  )
  const { client, arrived } = await world([list])
  const guids: string[] = []
  for await (const { guid } of each(listChecks, client, { tag: 'shop' })) guids.push(guid)
  expect(guids).toEqual(['a', 'c'])
  expect(arrived).toHaveLength(3)
  for await (const { checks } of pages(listChecks, client, { tag: 'shop' })) {
    expect(checks).toHaveLength(1)
    break
  }
  expect(arrived).toHaveLength(4)
})

test('a page that fails says where to go on, and one that leads to itself is an error', async () => {
  const { client } = await world([json({ checks: [], next: 'n' }), text(400, 'no'), json({ checks: [], next: 'n' })])
  const read = async () => {
    for await (const _ of each(listChecks, client)) break
  }
  expect(await failure(read())).toMatchObject({ status: 400, resumeFrom: 'n' })
  expect(await failure(read())).toMatchObject({ name: 'ConnectionError', request: { method: 'GET', path: '/checks' } })
})

test('every operation of the document is a function of its name', async () => {
  const { client, events } = await world([text(401, 'unauthorized')])
  const { document } = await import('../../contract/src/config.gen.ts')
  const items = Object.values(
    document.paths as Record<string, Record<string, { operationId?: string; requestBody?: object }>>,
  )
  const operations = items.flatMap((item) => Object.values(item)).filter(({ operationId }) => operationId)
  const names = operations.map(({ operationId = '' }) => operationId)
  expect(names.length).toBeGreaterThan(8)
  for (const { operationId: name = '', requestBody } of operations) {
    const call = (sdk as unknown as Record<string, (client: ConfigClient, input: object) => Promise<unknown>>)[name]
    const input = { guid: 'g', id: '1', key: 'k', tag: 't', ...(requestBody && { body: {} }) }
    expect(await failure(call?.(client, input) ?? Promise.resolve())).toMatchObject({ status: 401 })
  }
  expect(events.flatMap((event) => (event.type === 'answer' ? [event.operation] : []))).toEqual(names)
})
