// Refusals of the configuration API for a client that asks for problem+json.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { configToken, configurator, type Method } from '../support/config-api.ts'
import { CONFIG, type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let token: string
let ask: ReturnType<typeof configurator>
beforeAll(async () => {
  w = await world()
  org = await w.org()
  token = await configToken(w, org)
  ask = configurator(w, token)
})
afterAll(() => w.close())

const PROBLEM = { Accept: 'application/problem+json' }
const SHOP = { name: 'Shop', url: 'https://shop.example.com/', interval_sec: 60 }

test.each<[number, string, Method, string, object | undefined, Record<string, string>]>([
  [400, 'Bad Request', 'post', '/checks', { ...SHOP, url: 'gopher://x' }, {}],
  [404, 'Not Found', 'get', '/checks/none', undefined, {}],
  [404, 'Not Found', 'get', '/none', undefined, {}],
  [405, 'Method Not Allowed', 'delete', '/checks', undefined, {}],
  [412, 'Precondition Failed', 'delete', '/checks/none', undefined, { 'If-Match': 'x' }],
  [413, 'Payload Too Large', 'post', '/checks', { ...SHOP, post_data: 'x'.repeat(140_000) }, {}],
])(
  '%i %s has the line of the text, and the same status and headers',
  async (status, title, method, path, body, more) => {
    const text = await ask(method, path, body, more)
    const problem = await ask(method, path, body, { ...more, ...PROBLEM })
    expect(text.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(problem.headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(problem.headers.allow).toBe(text.headers.allow)
    expect(text.status).toBe(status)
    expect(problem.status).toBe(status)
    expect(JSON.parse(problem.text)).toMatchObject({ type: 'about:blank', title, status, detail: text.text })
  },
)

test('without a credential or a scope it is a problem too', async () => {
  const nobody = await w.http.get(`${CONFIG}/checks`).set(PROBLEM)
  expect([nobody.status, nobody.headers['www-authenticate']]).toEqual([401, 'Bearer'])
  expect(JSON.parse(nobody.text)).toMatchObject({ status: 401, title: 'Unauthorized' })
  const reader = configurator(w, await configToken(w, org, { scopes: ['checks:read'] }))
  const { text } = await reader('post', '/checks', SHOP, PROBLEM)
  expect(JSON.parse(text)).toMatchObject({ status: 403, detail: 'this operation needs the scope checks:write' })
})

test('each field at fault has its pointer, and a parameter its name', async () => {
  const errors = async (method: Method, path: string, body?: object) => {
    const { text } = await ask(method, path, body, PROBLEM)
    return (JSON.parse(text) as { errors: { pointer?: string; parameter?: string }[] }).errors.map(
      ({ pointer, parameter }) => pointer ?? parameter,
    )
  }
  expect(await errors('post', '/checks', { ...SHOP, name: ' ', url: 'gopher://x' })).toEqual(['#/name', '#/url'])
  expect(await errors('post', '/checks', { ...SHOP, interval_sec: 'x' })).toEqual(['#/interval_sec'])
  const route = { name: 'r', scope: { all: true }, steps: [{ channels: ['key:none'] }] }
  expect(await errors('post', '/routes', route)).toEqual(['#/steps/0/channels/0'])
  expect(await errors('get', '/checks?limit=0')).toEqual(['limit'])
  const changes = [{ action: 'put', kind: 'check', key: 'shop', body: { ...SHOP, url: 'gopher://x' } }]
  expect(await errors('post', '/bulk', { changes })).toEqual(['#/changes/0/body/url'])
})
