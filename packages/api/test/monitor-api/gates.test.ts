// What stands before every handler: the order of the gates, credentials, errors, the shape of every refusal.

import { document } from '@dogwatch/contract/monitor'
import { switchMonitor } from '@dogwatch/domain/monitors/switches'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import supertest from 'supertest'
import { type Monitor, type Org, PLACE, PREFIX, type World, world } from '../support/world.ts'

type Method = 'get' | 'post'
const OPERATIONS = Object.entries(
  document.paths as Record<string, Record<string, { security: Record<string, unknown>[] }>>,
).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { security }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    method: method as Method,
    scheme: Object.keys(security[0] ?? {})[0],
  })),
)
const WITH_KEY = OPERATIONS.filter(({ scheme }) => scheme === 'monitorKey')

let w: World
let org: Org
let monitor: Monitor
beforeAll(async () => {
  w = await world()
  org = await w.org()
  monitor = await w.monitor(org)
})
afterAll(() => w.close())

const send = (method: Method, path: string, authorization?: string, body?: string) => {
  const request = w.http[method](`${PREFIX}${path}`)
  if (authorization !== undefined) request.set('Authorization', authorization)
  return body === undefined ? request : request.set('Content-Type', 'application/json').send(body)
}

test('the document has the five operations', () => {
  expect(OPERATIONS.map(({ name }) => name).sort()).toEqual([
    'GET /checks',
    'GET /ping',
    'POST /enroll',
    'POST /results',
    'POST /status',
  ])
})

describe.each(OPERATIONS)('$name', ({ method, path, scheme }) => {
  test.each([
    ['no header', undefined],
    ['an empty one', ''],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['no token', 'Bearer'],
    ['two tokens', 'Bearer a b'],
    ['no space', 'Bearerx'],
    ['an unknown token', `Bearer dogwatch_key_${'0'.repeat(49)}`],
    ['a token of a million years of guessing', `Bearer ${'x'.repeat(8000)}`],
  ])('%s: 401 with WWW-Authenticate, before any look at the body', async (_, authorization) => {
    const answer = await send(method, path, authorization, method === 'post' ? '{' : undefined)
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.headers['x-request-id']).toMatch(/^r-[0-9a-f]{16}$/)
    expect(answer.text).toMatch(/^missing[a-z, ]+$/)
  })

  test.each(['delete', 'put', 'patch', method === 'get' ? 'options' : 'head'] as const)(
    '%s: 405 with Allow, before any credential',
    async (other) => {
      const answer = await w.http[other](`${PREFIX}${path}`)
      expect(answer.status).toBe(405)
      expect(answer.headers.allow).toBe(method === 'get' ? 'GET, HEAD' : 'POST')
    },
  )

  test('the scheme name is taken in any case, with more than one space', async () => {
    const token = scheme === 'monitorKey' ? monitor.key : await w.token(org)
    const body = {
      '/enroll': PLACE,
      '/results': { results: [] },
      '/status': { version: '1', uptime_sec: 0, unsent_results: 0 },
    }[path]
    const answer = await send(method, path, `bEARER   ${token}`, body && JSON.stringify(body))
    expect(answer.status).toBe(200)
    expect(answer.headers['x-request-id']).toMatch(/^r-/)
  })
})

describe.each(WITH_KEY)('a disabled monitor at $name', ({ method, path }) => {
  test.each(['enabled', 'platform_enabled'] as const)(
    'switched off by %s: 403, its last_seen_at moves, its body is not read',
    async (which) => {
      const disabled = await w.monitor(org)
      await switchMonitor(w.deps, disabled.id, which, false)
      const answer = await send(method, path, `Bearer ${disabled.key}`, method === 'post' ? '{' : undefined)
      expect({ status: answer.status, line: answer.text }).toEqual({ status: 403, line: 'this monitor is disabled' })
      const [row] = await w.rows('select last_seen_at is not null as seen from monitors where id = $1', disabled.id)
      expect(row).toEqual({ seen: true })
      await switchMonitor(w.deps, disabled.id, which, true)
      expect((await send(method, path, `Bearer ${disabled.key}`, method === 'post' ? '{' : undefined)).status).not.toBe(
        403,
      )
    },
  )
})

test('every authenticated request moves last_seen_at', async () => {
  for (const { method, path } of WITH_KEY) {
    await w.rows('update monitors set last_seen_at = null where id = $1', monitor.id)
    await send(method, path, `Bearer ${monitor.key}`, method === 'post' ? '{}' : undefined)
    const [row] = await w.rows(
      'select last_seen_at = $2::timestamptz as moved from monitors where id = $1',
      monitor.id,
      w.clock.now(),
    )
    expect({ path, ...row }).toEqual({ path, moved: true })
  }
})

describe('paths that are none', () => {
  test.each([
    `${PREFIX}/nothing`,
    PREFIX,
    `${PREFIX}/`,
    `${PREFIX}/ping/`,
    `${PREFIX}/PING`,
    `${PREFIX}/%E0%A4`,
    `${PREFIX}/checks/%00`,
    '/Monitor-API/v1/ping',
    '/api/v1/checks',
    '/api/checks',
    '/monitor-api/v2/ping',
    '/monitor-api/ping',
    '/nothing',
  ])('%s: 404 in one line, with or without a credential', async (path) => {
    for (const authorization of [undefined, `Bearer ${monitor.key}`]) {
      const request = w.http.get(path)
      if (authorization !== undefined) request.set('Authorization', authorization)
      const answer = await request
      expect({ status: answer.status, line: answer.text }).toEqual({ status: 404, line: 'no such path' })
      expect(answer.headers['x-request-id']).toMatch(/^r-/)
    }
  })
})

test('a failure nobody expected is 500 and a bare line; the log has the cause under the same request id', async () => {
  const logged: Record<string, unknown>[] = []
  const note = (fields: Record<string, unknown>) => void logged.push(fields)
  const broken = await world({ log: { debug: () => {}, info: note, warn: note, error: note } as never })
  const { key } = await broken.monitor(await broken.org())
  await broken.rows('drop table results cascade')
  const answer = await broken.http
    .post(`${PREFIX}/results`)
    .set('Authorization', `Bearer ${key}`)
    .send({
      results: [
        {
          check_guid: 'x',
          monitor_id: 'x',
          ran_at: '2026-11-20T10:00:00Z',
          success: true,
          http_status: 0,
          latency_ms: 0,
        },
      ],
    })
  await broken.close()
  expect({ status: answer.status, line: answer.text }).toEqual({ status: 500, line: 'internal server error' })
  expect(logged).toEqual([
    expect.objectContaining({ request_id: answer.headers['x-request-id'], path: `${PREFIX}/results` }),
  ])
  expect((logged[0] as { err: Error }).err.message).toContain('results')
  expect(JSON.stringify(logged)).not.toContain(key)
})

test('answers are compressed when the client asks, and only then', async () => {
  await w.checks(
    org,
    Array.from({ length: 20 }, () => ({})),
    [monitor.id],
  )
  // What is asked of the server itself: a proxy may decide on its own.
  const ask = (encoding: string) =>
    supertest(w.direct)
      .get(`${PREFIX}/checks`)
      .set({ Authorization: `Bearer ${monitor.key}`, 'Accept-Encoding': encoding })
  expect((await ask('gzip')).headers['content-encoding']).toBe('gzip')
  expect((await ask('identity')).headers['content-encoding']).toBeUndefined()
})

test('nothing tells what the server is made of', async () => {
  const { headers } = await send('get', '/ping', `Bearer ${monitor.key}`)
  expect(headers).not.toHaveProperty('x-powered-by')
  expect(headers).not.toHaveProperty('etag')
  expect(headers).not.toHaveProperty('server')
})
