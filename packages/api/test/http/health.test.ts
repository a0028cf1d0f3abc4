// /healthz and /readyz: what a supervisor and a balancer are told.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readiness } from '@dogwatch/domain/readiness'
import { silentLog } from '@dogwatch/runtime/log'
import { findMissingMigrations } from '@dogwatch/store/migrate'
import { openSparePool, type SparePool } from '@dogwatch/store/postgres/spare-pool'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type FakeClock, fakeClock } from '../../../runtime/test/support/fake-clock.ts'
import { createTestDatabase, type TestDatabase } from '../../../store/test/support/database.ts'
import { healthAnswers } from '../../src/health.ts'
import { type DatabaseProxy, databaseProxy } from '../support/database-proxy.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let sparePool: SparePool
let clock: FakeClock
let readiness: Readiness
let server: Server
let url: string
beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await databaseProxy(database.url)
  sparePool = openSparePool(proxy.url, 4000)
  const answers = (): ReturnType<typeof healthAnswers> => healthAnswers(readiness)
  server = createServer((req, res) => void (answers()(req, res) || res.writeHead(418).end()))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  clock = fakeClock()
  readiness = new Readiness({ clock, log: silentLog }, sparePool)
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await sparePool.end()
  await proxy.close()
  await database.drop()
})

async function get(path: string, init?: RequestInit) {
  const answer = await fetch(`${url}${path}`, init)
  return { status: answer.status, line: await answer.text() }
}

const READY = { status: 200, line: 'ready' }
const AWAY = { status: 503, line: 'the database does not respond' }
const ALIVE = { status: 200, line: 'ok' }

test('with the database there and its schema current it is ready, whatever stands behind the path', async () => {
  expect(await get('/readyz')).toEqual(READY)
  expect(await get('/readyz?from=balancer')).toEqual(READY)
  expect(await get('/healthz')).toEqual(ALIVE)
  expect(await get('/readyz', { method: 'HEAD' })).toEqual({ status: 200, line: '' })
  expect(await get('/readyz', { method: 'POST', body: 'x' })).toEqual({ status: 405, line: 'method not allowed' })
  for (const path of ['/readyz/', '/healthz/x', '/', '/ready']) expect((await get(path)).status).toBe(418)
})

test('a database that swallows what it is asked makes it unready in time, not dead, and for no longer than that lasts', async () => {
  expect(await get('/readyz')).toEqual(READY)
  proxy.forget()
  clock.forward(1)
  expect(await get('/readyz')).toEqual(AWAY)
  expect(await get('/healthz')).toEqual(ALIVE)
  clock.forward(1)
  expect(await get('/readyz')).toEqual(READY)
})

test('a migration that is missing is named; one of a newer server does no harm', async () => {
  const [name] = (
    await sparePool.query<{ name: string }>('select name from kysely_migration order by name desc')
  ).rows.map((row) => row.name)
  await sparePool.query("insert into kysely_migration (name, timestamp) values ('9999_of_a_newer_server', 'now')")
  expect(await get('/readyz')).toEqual(READY)
  await sparePool.query('update kysely_migration set name = $1 where name = $2', ['9998_another', name])
  clock.forward(1)
  expect(await get('/readyz')).toEqual({ status: 503, line: `the schema lacks ${name}` })
  expect(await findMissingMigrations(sparePool)).toEqual([name])
  await sparePool.query("update kysely_migration set name = $1 where name = '9998_another'", [name])
  clock.forward(1)
  expect(await get('/readyz')).toEqual(READY)
})

test('however many ask, the database is asked once a second', async () => {
  let lent = 0
  const count = (): void => void lent++
  sparePool.on('acquire', count)
  await get('/readyz')
  const once = lent
  expect(once).toBeGreaterThan(0)
  clock.forward(0.9)
  await Promise.all(Array.from({ length: 50 }, () => get('/readyz')))
  expect(lent).toBe(once)
  clock.forward(0.2)
  await Promise.all(Array.from({ length: 50 }, () => get('/readyz')))
  expect(lent).toBe(2 * once)
  sparePool.off('acquire', count)
})

test('who is draining is not ready from that moment on, also for those that wait for an answer', async () => {
  await sparePool.query('select 1')
  proxy.forget()
  const waiting = get('/readyz')
  const seen = readiness.obstacle()
  readiness.drain()
  expect(await get('/readyz')).toEqual({ status: 503, line: 'draining' })
  expect(await seen).toBe('draining')
  expect((await waiting).line).toBe('draining')
  expect(await get('/healthz')).toEqual(ALIVE)
})

test('of a sharded database it says where results are, and stays ready while a node is away', async () => {
  const layout = 'results on 2 nodes, 32 shards'
  const away = '1 of 2 nodes does not answer'
  let report: { layout: string; away?: string } = { layout }
  readiness = new Readiness({ clock, log: silentLog }, sparePool, undefined, { look: async () => report })
  expect(await get('/readyz')).toEqual({ status: 200, line: `ready (${layout})` })
  report = { layout, away }
  expect(await get('/readyz')).toEqual({ status: 200, line: `ready, but ${away} (${layout})` })
})
