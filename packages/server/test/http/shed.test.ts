// More than can be done: what is refused, what is not, and that nothing of it lasts.
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Admission } from '@dogwatch/api/admission'
import { trustOf } from '@dogwatch/api/client'
import { healthAnswers } from '@dogwatch/api/health'
import { type Lanes, lanesFor } from '@dogwatch/api/lanes'
import { Holds } from '@dogwatch/api/monitor-api/holds'
import { createHttpServer } from '@dogwatch/api/server'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { Readiness } from '@dogwatch/domain/readiness'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { Metrics } from '@dogwatch/runtime/metrics'
import { openSparePool, type SparePool } from '@dogwatch/store/postgres/spare-pool'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { requestFrom } from '../../../api/test/support/from-address.ts'
import { exchange } from '../../../api/test/support/raw-http.ts'
import { askEach } from '../../../store/test/support/cluster.ts'
import { createApp } from '../../src/app.ts'
import { eventually, type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'

/** One less than there are connections in this world. */
const UPLOADS = { at_once: 3, most: 6, patience_ms: 5000, givesWay: true, small_bytes: 32_768 }

let w: World
let sparePool: SparePool
let holder: pg.Client
let org: Org
let monitor: Monitor
let guid: string
beforeAll(async () => {
  w = await world()
  sparePool = openSparePool(w.databaseUrl, 5000)
  holder = new pg.Client({ connectionString: w.databaseUrl })
  await holder.connect()
  org = await w.org()
  monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{}], 'all')
})
afterAll(async () => {
  await holder.end()
  await sparePool.end()
  await w.close()
})

let server: Server
let admission: Admission
let metrics: Metrics
let delay_ms: number
let url: string
let port: number
const sockets = new Set<Socket>()
beforeEach(async () => {
  delay_ms = 0
  metrics = new Metrics()
  // These tests are about the slots, which come before the shares and turns of organisations.
  const share = { most: 1000, free_share: 1, limit: 'uploads' }
  const uploads = { slots: UPLOADS, share, turns: { at_once: 4, of_client: 4 } }
  const lanes: Lanes = { ...lanesFor(4), uploads }
  // Zeros: who is refused is asked to come again in a second.
  const random = (size: number) => Buffer.alloc(size)
  admission = new Admission({ ...w.deps, random }, { metrics, lanes, delay_ms: () => delay_ms, refusal_ms: 0 })
  const options = {
    trust_proxy: [],
    address_limit: undefined,
    metrics,
    admission,
    console: { public_url: 'http://dogwatch.example', sign_up: 'open', default_plan: 'free' } as const,
  }
  const health = healthAnswers(new Readiness(w.deps, sparePool))
  const app = createApp(w.deps, options)
  server = createHttpServer(app, randomBytes, [health, admission.before(trustOf(app))])
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  url = `http://127.0.0.1:${port}`
})
afterEach(async () => {
  await holder.query('rollback')
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const instant = (n: number) => `2026-11-20T11:${String(n % 60).padStart(2, '0')}:00.${String(n).padStart(6, '0')}Z`

/** More bytes than a small upload has. */
const LARGE = 32_769

function upload(n: number, bytes = LARGE): Promise<Response> {
  return sendBody(JSON.stringify({ results: [result(guid, { ran_at: instant(n) })] }).padEnd(bytes))
}

function sendBody(body: string | Uint8Array<ArrayBuffer>, headers = {}): Promise<Response> {
  const Authorization = `Bearer ${monitor.key}`
  return fetch(`${url}${PREFIX}/results`, { method: 'POST', headers: { Authorization, ...headers }, body })
}

/** The head of an upload, and as much of its body. */
const written = (body: string, length = body.length) =>
  `POST ${PREFIX}/results HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${monitor.key}\r\nContent-Length: ${length}\r\n\r\n${body}`

const beginning = (bytes = LARGE) => written('{"results":[', bytes)

async function send(text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  sockets.add(socket)
  const before = admission.underWay().uploads ?? 0
  socket.write(text)
  await eventually(() => admission.underWay().uploads === before + 1, 'it is under way')
  return socket
}

/** Sends the head of an upload and the beginning of its body, and then nothing. */
const beginUpload = (bytes = LARGE) => send(beginning(bytes))

const uploadByHand = (n: number, bytes = LARGE) =>
  send(written(JSON.stringify({ results: [result(guid, { ran_at: instant(n) })] }).padEnd(bytes)))

/** How many statements wait for what the holder holds. */
const lockWaits = async () =>
  (
    await askEach(
      w.databaseUrl,
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  ).length

const connections = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

const shedOf = async (part: string) =>
  (await metrics.shed.get()).values.find(({ labels }) => labels.part === part)?.value ?? 0

test('with the database held, a flood is refused but for a few, the rest of the server goes on, and all of it passes', async () => {
  await holder.query('begin; lock table results in access exclusive mode')
  const answers: Promise<Response>[] = []
  for (let n = 0; n < UPLOADS.at_once; n++) {
    answers.push(upload(n))
    await eventually(() => admission.underWay().uploads === n + 1, 'it is under way')
  }
  const refused = await Promise.all(Array.from({ length: 50 }, (_, n) => upload(100 + n)))
  for (const answer of refused) {
    expect({ status: answer.status, line: await answer.text() }).toEqual({
      status: 503,
      line: 'overloaded; try again later',
    })
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('x-request-id')).toMatch(/^r-[0-9a-f]{16}$/)
  }
  expect(admission.underWay().uploads).toBe(UPLOADS.at_once)
  expect(await shedOf('uploads')).toBe(50)
  // A budget of its own each.
  expect((await fetch(`${url}/sign-in`)).status).toBe(200)
  const sync = await fetch(`${url}${PREFIX}/checks`, { headers: { Authorization: `Bearer ${monitor.key}` } })
  expect(sync.status).toBe(200)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const client = new MonitorClient({ baseUrl: url, token: monitor.key })
  const recovering = client.upload([result(guid, { ran_at: instant(999) })])
  await eventually(async () => (await shedOf('uploads')) > 50, 'the SDK is refused as well')
  await holder.query('rollback')
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await recovering).accepted).toBe(1)
  expect((await upload(1000)).status).toBe(200)
  await eventually(() => admission.underWay().uploads === 0, 'nothing is under way')
  expect(await w.rows('select count(*)::integer as stored from results')).toEqual([{ stored: 5 }])
})

test('those who guess at passwords fill their own places, and the pages go on', async () => {
  await holder.query('begin; lock table people in access exclusive mode')
  const [cookie = ''] = (await fetch(`${url}/sign-in`)).headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  const csrf = /name="csrf" value="([^"]+)"/.exec(await (await fetch(`${url}/sign-in`, { headers: { cookie } })).text())
  const body = new URLSearchParams({ csrf: csrf?.[1] ?? '', email: 'a@example.com', password: 'a guess' })
  const guess = () => fetch(`${url}/sign-in`, { method: 'POST', headers: { cookie }, body })
  const waiting = [guess(), guess(), guess(), guess()]
  await eventually(() => admission.underWay()['sign-in'] === 4, 'each connection of the pool has its guess')
  expect((await guess()).status).toBe(503)
  expect((await fetch(`${url}/sign-in`)).status).toBe(200)
  await holder.query('rollback')
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([400, 400, 400, 400])
})

test('a body that comes slowly takes no place from those that come whole', async () => {
  for (let n = 0; n < UPLOADS.most - 1; n++) await beginUpload()
  expect((await upload(2000)).status).toBe(200)
})

test.each([
  ['large', LARGE],
  ['small', 1000],
])(
  'of %s bodies that come slowly only so many are waited for; after a while the oldest makes room',
  async (_, bytes) => {
    const slow: Socket[] = []
    for (let n = 0; n < UPLOADS.most; n++) slow.push(await beginUpload(bytes))
    expect((await upload(3000)).status).toBe(503)
    w.clock.forward(6)
    let cut = false
    slow[0]?.once('close', () => (cut = true))
    expect((await upload(3001)).status).toBe(200)
    await eventually(() => cut, 'the oldest is cut off')
    expect(slow.filter(({ destroyed }) => destroyed)).toHaveLength(1)
  },
)

test('a client whose slow bodies take every place loses the oldest to a client that has none', async () => {
  const slow: Socket[] = []
  for (let n = 0; n < UPLOADS.most; n++) slow.push(await beginUpload())
  const from = (address: string, n: number) =>
    requestFrom(address, `${url}${PREFIX}/results`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${monitor.key}` },
      body: JSON.stringify({ results: [result(guid, { ran_at: instant(n) })] }),
    })
  // Every request has a moment to arrive, whoever sends it.
  expect((await from('127.0.0.2', 3010)).status).toBe(503)
  w.clock.forward(1)
  expect((await from('127.0.0.1', 3011)).status).toBe(503)
  expect((await from('127.0.0.2', 3012)).status).toBe(200)
  await eventually(() => slow[0]?.destroyed === true, 'the oldest is cut off')
  expect(slow.filter(({ destroyed }) => destroyed)).toHaveLength(1)
})

test('one that waits behind another on its connection is cut off as well', async () => {
  await holder.query('begin; lock table results in access exclusive mode')
  const first = await uploadByHand(3500)
  first.write(beginning())
  await eventually(() => admission.underWay().uploads === 2, 'both are under way')
  for (let n = 2; n < UPLOADS.most; n++) await beginUpload()
  w.clock.forward(6)
  let cut = false
  first.once('close', () => (cut = true))
  const second = upload(3501)
  await eventually(() => cut, 'it is cut off')
  await holder.query('rollback')
  expect((await second).status).toBe(200)
})

/** Uploads that come to the database, each of a client that goes away then. */
async function uploadAndGo(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const socket = await uploadByHand(3600 + n)
    await eventually(async () => (await lockWaits()) === n + 1, 'it is at the database')
    socket.destroy()
  }
  await eventually(async () => (await connections()) === 0, 'they are gone')
}

test('who goes away while the database is at work for them keeps the place until that is done', async () => {
  await holder.query('begin; lock table results in access exclusive mode')
  await uploadAndGo(UPLOADS.at_once)
  expect((await upload(3610)).status).toBe(503)
  expect(admission.underWay().uploads).toBe(UPLOADS.at_once)
  await holder.query('rollback')
  await eventually(() => admission.underWay().uploads === 0, 'what was done for them is done')
})

test('who went away keeps no place for good, whatever the database does', async () => {
  await holder.query('begin; lock table results in access exclusive mode')
  await uploadAndGo(UPLOADS.at_once)
  w.clock.forward(6)
  const next = upload(3620)
  await eventually(() => admission.underWay().uploads === 1, 'there is a place')
  await holder.query('rollback')
  expect((await next).status).toBe(200)
})

test('a process that comes late to everything takes less, but calls of jobs as before', async () => {
  const wanted = { name: 'hb', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
  const { token } = await createHeartbeat(w.deps, org.org_id, wanted)
  await holder.query('begin; lock table results, pings in access exclusive mode')
  delay_ms = 1000
  const first = upload(4000)
  await eventually(() => admission.underWay().uploads === 1, 'it is under way')
  expect((await upload(4001)).status).toBe(503)
  const calls = Array.from({ length: 40 }, () => fetch(`${url}/ping/${token}`, { method: 'POST', body: 'done' }))
  await eventually(() => admission.underWay().ping === 40, 'all calls are under way')
  await holder.query('rollback')
  expect((await first).status).toBe(200)
  expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]))
})

test('who is refused with a short body keeps the connection; with an endless one, they see the answer and lose it', async () => {
  await holder.query('begin; lock table results in access exclusive mode')
  const held = Array.from({ length: UPLOADS.at_once }, (_, n) => upload(5000 + n))
  await eventually(() => admission.underWay().uploads === UPLOADS.at_once, 'all are under way')
  const head = `POST ${PREFIX}/results HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${monitor.key}\r\n`
  const last = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const short = await exchange(port, [`${head}Content-Length: 100000\r\n\r\n`, Buffer.alloc(100_000, 'x'), last])
  expect(short.answers.map(({ status }) => status)).toEqual([503, 200])
  const endless = await exchange(port, [`${head}Transfer-Encoding: chunked\r\n\r\n`, '5\r\nhello\r\n'])
  expect(endless).toMatchObject({ isStuck: false, answers: [{ status: 503, headers: { connection: 'close' } }] })
  const asking = await exchange(port, [`${head}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n`])
  expect(asking).toMatchObject({ isStuck: false, answers: [{ status: 503, headers: { connection: 'close' } }] })
  await holder.query('rollback')
  await Promise.all(held)
})

test.each(['wait_sec=9', '%77ait_sec=9', 'wait%5Fsec=9', 'x=1&wait_sec=9', '&wait_sec=9'])(
  'a ping that is held takes no place from other requests of monitors: %s',
  async (query) => {
    const narrow = await serveNarrowly(new Holds())
    const over = new AbortController()
    const ping = narrow.ask(`ping?${query}`, over.signal)
    await eventually(() => narrow.admission.underWay().held === 1, 'it is held')
    expect(narrow.admission.underWay()['monitor-api']).toBe(0)
    expect(await narrow.ask('checks')).toBe(200)
    over.abort()
    expect(await ping).toBeUndefined()
    await eventually(() => narrow.admission.underWay().held === 0, 'it is gone')
    await narrow.close()
  },
)

test('a ping for which there is no place is answered at once and not refused', async () => {
  const narrow = await serveNarrowly(new Holds(0))
  expect(await narrow.ask('ping?wait_sec=20')).toBe(200)
  await narrow.close()
})

/** One request of a monitor at a time. */
async function serveNarrowly(holds: Holds) {
  const slots = { at_once: 1, most: 1, patience_ms: 5000, givesWay: true }
  const narrow = new Admission(w.deps, { metrics, lanes: { ...lanesFor(4), 'monitor-api': { slots } }, refusal_ms: 0 })
  const app = createApp(w.deps, { trust_proxy: [], address_limit: undefined, admission: narrow, holds })
  const held = createHttpServer(app, randomBytes, [narrow.before(trustOf(app))])
  await new Promise<void>((resolve) => void held.listen(0, '127.0.0.1', resolve))
  const api = `http://127.0.0.1:${(held.address() as AddressInfo).port}${PREFIX}`
  const headers = { authorization: `Bearer ${monitor.key}` }
  return {
    admission: narrow,
    /** The status; undefined when it was given up. */
    ask: (what: string, signal?: AbortSignal) =>
      fetch(`${api}/${what}`, { headers, ...(signal && { signal }) }).then(
        ({ status }) => status,
        () => undefined,
      ),
    close: async () => {
      held.closeAllConnections()
      await new Promise((resolve) => held.close(resolve))
    },
  }
}

const MOST_SMALL = 4 * UPLOADS.at_once

test.each(['results', 'monitors'])(
  'while nobody gets at %s, four small uploads wait where a large one does, and no more',
  async (table) => {
    await holder.query(`begin; lock table ${table} in access exclusive mode`)
    const answers: Promise<Response>[] = []
    for (let n = 0; n < MOST_SMALL; n++) {
      answers.push(upload(300 + n, 0))
      await eventually(() => admission.underWay().uploads === n + 1, 'it is under way')
      expect(admission.places('uploads')).toBe((n + 1) / 4)
    }
    expect((await upload(400, 0)).status).toBe(503)
    await holder.query('rollback')
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]))
    expect(admission.places('uploads')).toBe(0)
  },
)

test('an upload that says that it is small and is not takes a whole place once it was unpacked', async () => {
  await holder.query('begin; lock table results in access exclusive mode')
  const body = gzipSync(JSON.stringify({ results: [result(guid, { ran_at: instant(700) })] }).padEnd(LARGE))
  expect(body.length).toBeLessThan(LARGE / 8)
  const answer = sendBody(new Uint8Array(body), { 'Content-Encoding': 'gzip' })
  await eventually(() => admission.places('uploads') === 1, 'it is large')
  await holder.query('rollback')
  expect((await answer).status).toBe(200)
  expect(admission.places('uploads')).toBe(0)
})
