// One client that pings without end, beside one that pings once.
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LostCalls } from '@dogwatch/domain/lost-calls'
import { Metrics } from '@dogwatch/runtime/metrics'
import { newToken } from '@dogwatch/runtime/tokens'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { Admission } from '../../src/admission.ts'
import { createApiApp } from '../../src/app.ts'
import { trustOf } from '../../src/client.ts'
import { lanesFor } from '../../src/lanes.ts'
import { noticeLost } from '../../src/lost.ts'
import { createHttpServer } from '../../src/server.ts'
import { type Story, story } from '../heartbeats/story.ts'
import { type Reply, requestFrom, type Sent } from '../support/from-address.ts'
import { eventually, type World, world } from '../support/world.ts'

const PING = { at_once: 40, most: 300, of_address: 20, patience_ms: 5000, givesWay: false }
const [GREEDY, HONEST, PROXY] = ['127.0.0.2', '127.0.0.3', '127.0.0.4']

let w: World
let honest: Story
let greedy: Story
let holder: pg.Client
beforeAll(async () => {
  w = await world()
  honest = await story(w)
  greedy = await story(w, {}, { besides: true })
  holder = new pg.Client({ connectionString: w.databaseUrl })
  await holder.connect()
})
afterAll(async () => {
  await holder.end()
  await w.close()
})

let server: Server
let admission: Admission
let lost: LostCalls
let metrics: Metrics
let url: string
beforeEach(async () => {
  metrics = new Metrics()
  lost = new LostCalls(w.clock)
  admission = new Admission(w.deps, { lanes: { ...lanesFor(4), ping: { slots: PING } }, metrics, refusal_ms: 10 })
  const app = createApiApp(w.deps, { trust_proxy: [PROXY], address_limit: undefined, admission })
  server = createHttpServer(app, randomBytes, [noticeLost(lost, w.clock), admission.before(trustOf(app))])
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  await holder.query('rollback')
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const hold = (table: string) => holder.query(`begin; lock table ${table} in access exclusive mode`)

const ping = (address: string, token: string, suffix = '', sent: Sent = {}) =>
  requestFrom(address, `${url}/ping/${token}${suffix}`, sent)

const statuses = (replies: readonly Reply[]) =>
  replies.reduce<Record<number, number>>(
    (counts, { status }) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }),
    {},
  )

const lockWaits = async () =>
  (await w.rows("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")).length

const limited = async () => (await metrics.limited.get()).values.find(({ labels }) => labels.limit === 'ping')?.value

test('one address gets its share and 429 for the rest; the ping of another is taken, and nothing counts as our outage', async () => {
  await hold('pings')
  const flood = Array.from({ length: 50 }, (_, n) => ping(GREEDY, greedy.token, `/log?rid=${n}`))
  await eventually(async () => (await limited()) === 30, 'what is too much is refused')
  const one = ping(HONEST, honest.token)
  await eventually(() => admission.underWay().ping === 21, 'all others are under way')
  await holder.query('rollback')
  expect((await one).status).toBe(200)
  const replies = await Promise.all(flood)
  expect(statuses(replies)).toEqual({ 200: 20, 429: 30 })
  expect(replies.find(({ status }) => status === 429)).toMatchObject({
    headers: { 'retry-after': expect.stringMatching(/^[1-5]$/), 'x-request-id': expect.stringMatching(/^r-/) },
    body: 'too many pings at once; try again later',
  })
  expect(lost.takeOutage(0)).toBeUndefined()
  await eventually(() => admission.underWay().ping === 0, 'nothing is under way')
  expect((await ping(GREEDY, greedy.token)).status).toBe(200)
})

test('one token gets its share, from however many addresses it is called', async () => {
  await hold('pings')
  const flood = Array.from({ length: 30 }, (_, n) => ping(`127.0.1.${n + 1}`, greedy.token, `/log?rid=${n}`))
  await eventually(async () => (await limited()) === 10, 'what is too much is refused')
  const one = ping('127.0.1.1', honest.token)
  await eventually(() => admission.underWay().ping === 21, 'another token finds a place')
  await holder.query('rollback')
  expect((await one).status).toBe(200)
  expect(statuses(await Promise.all(flood))).toEqual({ 200: 20, 429: 10 })
  expect(lost.takeOutage(0)).toBeUndefined()
})

test('behind a trusted proxy the share is that of whom it names, by the /64 and the /48 of IPv6', async () => {
  await hold('pings')
  const from = (client: string) => ping(PROXY, greedy.token, '', { headers: { 'X-Forwarded-For': client } })
  const other = (client: string) => ping(PROXY, honest.token, '', { headers: { 'X-Forwarded-For': client } })
  const first = Array.from({ length: 20 }, (_, n) => from(`2001:db8:0:1::${n}`))
  await eventually(() => admission.underWay().ping === 20, 'the share of a /64 is taken')
  expect((await other('2001:db8:0:1::ffff')).status).toBe(429)
  const more = Array.from({ length: 20 }, (_, n) => other(`2001:db8:0:${n + 2}::1`))
  await eventually(() => admission.underWay().ping === 40, 'the share of the /48 is taken')
  expect((await other('2001:db8:0:ffff::1')).status).toBe(429)
  const apart = requestFrom(PROXY, `${url}/ping/${newToken('beat', randomBytes)}`, {
    headers: { 'X-Forwarded-For': '2001:db8:1::1' },
  })
  expect((await apart).status).toBe(404)
  await holder.query('rollback')
  expect(statuses(await Promise.all([...first, ...more]))).toEqual({ 200: 40 })
})

test('tokens that were made up wait for each other, two at a time, and not in the way of others', async () => {
  await hold('heartbeat_keys')
  const flood = Array.from({ length: 20 }, () => ping(GREEDY, newToken('beat', randomBytes)))
  await eventually(() => admission.underWay().ping === 20, 'all are under way')
  const one = ping(HONEST, honest.token)
  await eventually(async () => (await lockWaits()) === 3, 'two of them, and the honest one, are at the database')
  await holder.query('rollback')
  expect((await one).status).toBe(200)
  expect(statuses(await Promise.all(flood))).toEqual({ 404: 20 })
})

test('a token that is unknown is not looked up again, and one that is malformed never', async () => {
  const [unknown, malformed] = [newToken('beat', randomBytes), `dogwatch_beat_${'x'.repeat(49)}`]
  expect((await ping(GREEDY, unknown)).status).toBe(404)
  await hold('heartbeat_keys')
  const replies = await Promise.all([unknown, unknown, malformed].map((token) => ping(GREEDY, token)))
  expect(statuses(replies)).toEqual({ 404: 3 })
  await holder.query('rollback')
  // The world's clock: the ten seconds are over.
  w.clock.forward(11)
  await hold('heartbeat_keys')
  const again = ping(GREEDY, unknown)
  await eventually(async () => (await lockWaits()) === 1, 'it is looked up')
  await holder.query('rollback')
  expect((await again).status).toBe(404)
})

test('where others hold nearly all places, who holds none is taken; made-up tokens that are refused are no outage of the service', async () => {
  await hold('heartbeat_keys')
  const flood = Array.from({ length: 300 }, (_, n) => ping(`127.0.2.${1 + (n % 15)}`, newToken('beat', randomBytes)))
  const one = ping(HONEST, honest.token)
  await eventually(async () => (await metrics.shed.get()).values.some(({ value }) => value > 0), 'some are refused')
  await holder.query('rollback')
  expect((await one).status).toBe(200)
  expect(statuses(await Promise.all(flood))[503]).toBeGreaterThan(0)
  expect(lost.takeOutage(0)).toBeUndefined()
})
