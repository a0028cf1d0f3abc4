// The database stops for a minute. No job can be heard meanwhile, and none is to blame.
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type OwnPresence, tellPresence } from '@dogwatch/domain/availability'
import { LostCalls } from '@dogwatch/domain/lost-calls'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../../../store/test/support/database.ts'
import { createApiApp } from '../../src/app.ts'
import { noticeLost } from '../../src/lost.ts'
import { createHttpServer } from '../../src/server.ts'
import { type DatabaseProxy, databaseProxy } from '../support/database-proxy.ts'
import { type World, world } from '../support/world.ts'
import { story } from './story.ts'

const JOB = { interval_sec: 60, grace_sec: 5 }
/** Nobody listens there. */
const NOWHERE = 'postgres://127.0.0.1:1/nothing'

let database: TestDatabase
let way: DatabaseProxy
let w: World
let server: Server
let url: string
let lost: LostCalls
let own: OwnPresence
beforeAll(async () => {
  database = await createTestDatabase()
  way = await databaseProxy(database.url)
  w = await world({ testDatabase: { url: way.url, drop: async () => {} } })
  lost = new LostCalls(w.clock)
  const app = createApiApp(w.deps, { trust_proxy: [], address_limit: undefined })
  server = createHttpServer(app, randomBytes, [noticeLost(lost, w.clock)])
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await w.close()
  await way.close()
  await database.drop()
})
beforeEach(async () => {
  for (const table of ['service_presence', 'service_outages', 'processes']) await w.rows(`delete from ${table}`)
  own = { self: { process_id: 'p1', role: 'all', host: 'one', pid: 1 }, port: 80, told_at: undefined }
  await tellPresence(w.deps, { own, isStart: true })
})

/** Time goes by, and the process tells its presence as often as it does in truth. */
async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 2) {
    w.clock.forward(Math.min(2, seconds - passed))
    await tellPresence(w.deps, { own, lost })
  }
}

/** The database is away for so long; `meanwhile` is done in the middle of it. */
async function away(seconds: number, sweep: () => Promise<number>, meanwhile = async () => {}): Promise<void> {
  way.moveTo(NOWHERE)
  way.cut()
  for (let passed = 0; passed < seconds; passed += 10) {
    w.clock.forward(10)
    await expect(tellPresence(w.deps, { own, lost })).rejects.toThrow()
    // It is logged, and nobody is taken down.
    await sweep().catch(() => 0)
    if (passed === Math.floor(seconds / 20) * 10) await meanwhile()
  }
  way.moveTo(database.url)
}

const ping = async (token: string) => (await fetch(`${url}/ping/${token}`)).status

test('a job that calls every minute, and once in vain, is told of to nobody', async () => {
  const { token, sweep, types } = await story(w, JOB)
  expect(await ping(token)).toBe(200)
  await pass(30)
  await away(60, sweep, async () => expect(await ping(token)).toBeGreaterThanOrEqual(500))
  // Whoever judges first after that finds nobody who has told its presence.
  expect(await sweep()).toBe(0)
  for (let second = 0; second < 30; second += 2) {
    await pass(2)
    expect(await sweep()).toBe(0)
  }
  expect(await ping(token)).toBe(200)
  await pass(64)
  expect(await sweep()).toBe(0)
  expect(await types()).toEqual([])
})

test('a job that stopped is told DOWN an interval and grace after the database is back, and why so late', async () => {
  const { token, sweep, told } = await story(w, JOB)
  expect(await ping(token)).toBe(200)
  await pass(30)
  await away(60, sweep)
  await pass(2)
  const back = w.clock.now().getTime()
  await pass(64)
  expect(await sweep()).toBe(0)
  await pass(2)
  expect(await sweep()).toBe(1)
  const [event] = await told()
  expect(event?.type).toBe('heartbeat.down')
  expect(Date.parse(String(event?.data.since))).toBe(back + 65_000)
  const [outage] = event?.data.outages as { began_at: string; ended_at: string }[]
  expect(Date.parse(String(outage?.ended_at)) - Date.parse(String(outage?.began_at))).toBe(62_000)
})
