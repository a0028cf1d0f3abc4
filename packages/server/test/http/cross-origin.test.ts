// CORS_ORIGINS: which pages may read the account API in a browser, and what their browser is told.
import { randomBytes } from 'node:crypto'
import { crossOrigin } from '@dogwatch/api/cross-origin'
import type { Early } from '@dogwatch/api/server'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Org } from '../support/world.ts'
import { ACCOUNT, type World, world } from '../support/world.ts'

const OURS = 'https://app.example.com'
let origins: readonly string[] = [OURS, 'http://localhost:5173']
let isFull = false
/** Read anew each time, so that one world does for all settings. */
const early: Early[] = [
  (req, res) => crossOrigin(origins, randomBytes)(req, res),
  (_, res) => {
    if (isFull) res.writeHead(503, { 'Retry-After': '1' }).end('overloaded')
    return isFull
  },
]

let w: World
let org: Org
let authorization = ''
beforeAll(async () => {
  w = await world({ early })
  org = await w.org()
  authorization = `Bearer ${await w.pat(org)}`
})
afterAll(() => w.close())

const CORS = /^access-control-/
async function ask(path: string, headers: Record<string, string>, method = 'GET') {
  const answer = await fetch(`${w.direct}${path}`, { method, headers })
  const told = Object.fromEntries([...answer.headers].filter(([name]) => CORS.test(name)))
  return { status: answer.status, told, vary: answer.headers.get('vary'), id: answer.headers.get('x-request-id') }
}
const preflight = (origin: string, path = `${ACCOUNT}/checks`) =>
  ask(
    path,
    { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
    'OPTIONS',
  )

const EXPOSED = 'Content-Disposition, Date, Retry-After, X-Request-Id'

test('an origin of the list may read answers and refusals, whoever gives them', async () => {
  for (const [path, headers, status] of [
    [`${ACCOUNT}/checks`, { authorization }, 200],
    [`${ACCOUNT}/export`, { authorization }, 200],
    [`${ACCOUNT}/checks/nobody`, { authorization }, 404],
    [`${ACCOUNT}/checks`, {}, 401],
    [`${ACCOUNT}/nothing`, {}, 404],
  ] as const) {
    const answer = await ask(path, { ...headers, origin: OURS })
    expect(answer).toMatchObject({
      status,
      told: { 'access-control-allow-origin': OURS, 'access-control-expose-headers': EXPOSED },
      vary: expect.stringMatching(/^Origin\b/),
    })
  }
  isFull = true
  const shed = await ask(`${ACCOUNT}/checks`, { origin: OURS })
  isFull = false
  expect(shed).toMatchObject({ status: 503, told: { 'access-control-allow-origin': OURS } })
})

test('its preflight is answered without a credential, and names what may be sent', async () => {
  expect(await preflight(OURS)).toEqual({
    status: 204,
    told: {
      'access-control-allow-origin': OURS,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'Authorization, Content-Type, User-Agent',
      'access-control-max-age': '86400',
    },
    vary: 'Origin',
    id: expect.stringMatching(/^r-[0-9a-f]{16}$/),
  })
})

test.each([
  'https://evil.example',
  'https://app.example.com.evil.example',
  'http://app.example.com',
  'null',
  'https://APP.example.com',
  '*',
  '',
])('the origin %j is told nothing', async (origin) => {
  expect(await ask(`${ACCOUNT}/checks`, { authorization, origin })).toMatchObject({
    status: 200,
    told: {},
    vary: expect.stringMatching(/^Origin\b/),
  })
  expect(await preflight(origin)).toMatchObject({ status: 405, told: {} })
})

test('cookies are allowed nowhere, and nothing but the account API is', async () => {
  for (const path of ['/monitor-api/v1/ping', '/', '/sign-in', '/healthz', '/ping/x']) {
    expect((await ask(path, { origin: OURS })).told).toEqual({})
    expect((await preflight(OURS, path)).told).toEqual({})
  }
  expect((await preflight(OURS)).told).not.toHaveProperty('access-control-allow-credentials')
})

describe('other settings', () => {
  test('with *, every page may, and a cache may keep one answer for all', async () => {
    origins = ['*']
    for (const origin of [OURS, 'https://evil.example', 'null']) {
      const answer = await ask(`${ACCOUNT}/checks`, { authorization, origin })
      expect(answer).toMatchObject({ status: 200, told: { 'access-control-allow-origin': '*' } })
      expect(answer.vary).not.toContain('Origin')
      expect(await preflight(origin)).toMatchObject({ status: 204, told: { 'access-control-allow-origin': '*' } })
    }
  })

  test('with none, nobody is told anything', async () => {
    origins = []
    const answer = await ask(`${ACCOUNT}/checks`, { authorization, origin: OURS })
    expect([answer.status, answer.told, answer.vary]).toEqual([200, {}, 'Accept-Encoding'])
    expect(await preflight(OURS)).toMatchObject({ status: 405, told: {} })
  })
})
