// Clients that go on asking after they were refused: they are refused early, and nobody else is.
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Metrics } from '@dogwatch/runtime/metrics'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Admission } from '../../src/admission.ts'
import { createApiApp } from '../../src/app.ts'
import { trustOf } from '../../src/client.ts'
import { createHttpServer } from '../../src/server.ts'
import { type World, world } from '../support/world.ts'

const BURST = 5
const PATIENCE = 20
const URL_OF = { monitor: '/monitor-api/v1/sync', account: '/account-api/v1/checks' }

let w: World
let server: Server
let url: string
let atTheApp = 0
beforeAll(async () => {
  w = await world()
  const metrics = new Metrics()
  // A token in a quarter of an hour: no bucket fills up again while the test runs.
  const address_limit = { per_sec: 0.001, burst: BURST }
  const admission = new Admission(w.deps, { address_limit, metrics, refusal_ms: 0 })
  const app = createApiApp(w.deps, { trust_proxy: ['loopback'], address_limit, admission, metrics })
  server = createHttpServer(app, randomBytes, [admission.before(trustOf(app)), () => (atTheApp++, false)])
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await w.close()
})

const ask = (path: string, from: string) => fetch(url + path, { headers: { 'X-Forwarded-For': from } })

test('whoever goes on after many refusals no longer reaches the app, and hears the same as before', async () => {
  const heard = []
  for (let n = 0; n < BURST + PATIENCE + 10; n++) heard.push(await ask(URL_OF.account, '192.0.2.1'))
  const statuses = heard.map(({ status }) => status)
  expect(statuses).toEqual([...Array<number>(BURST).fill(401), ...Array<number>(PATIENCE + 10).fill(429)])
  expect(atTheApp).toBe(BURST + PATIENCE)
  const [late, early] = [heard[BURST + 1], heard.at(-1)]
  for (const answer of [late, early]) {
    expect(await answer?.text()).toBe('rate limit exceeded')
    expect(answer?.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer?.headers.get('x-request-id')).toMatch(/^r-/)
    expect(Number(answer?.headers.get('retry-after'))).toBeGreaterThan(600)
  }
  expect((await ask(URL_OF.account, '192.0.2.2')).status).toBe(401)
  expect((await ask(URL_OF.monitor, '192.0.2.1')).status).not.toBe(429)
})

test('a client of the configuration API that asks for problems hears of its refusal so', async () => {
  const headers = { 'X-Forwarded-For': '192.0.2.7', Accept: 'application/problem+json' }
  let last: Response | undefined
  for (let n = 0; n < BURST + PATIENCE + 2; n++) last = await fetch(`${url}/config-api/v1/token`, { headers })
  expect(last?.headers.get('content-type')).toBe('application/problem+json')
  expect(await last?.json()).toMatchObject({ status: 429, title: 'Too Many Requests', detail: 'rate limit exceeded' })
})
