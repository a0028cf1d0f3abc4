// What a ping is refused for concerns its own heartbeat, and nobody else's.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { tellPresence } from '@dogwatch/domain/availability'
import { LostCalls, type RefusedCall } from '@dogwatch/domain/lost-calls'
import { silentLog } from '@dogwatch/runtime/log'
import { newToken } from '@dogwatch/runtime/tokens'
import { openDatabase } from '@dogwatch/store/database'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import express from 'express'
import pg from 'pg'
import { wayTo } from '../../../store/test/support/database.ts'
import { errorHandler, HttpError } from '../../src/errors.ts'
import { noticeLost } from '../../src/lost.ts'
import { createHttpServer } from '../../src/server.ts'
import { eventually, type World, world } from '../support/world.ts'
import { story } from './story.ts'

const JOB = { interval_sec: 60, grace_sec: 5 }

let w: World
let holder: pg.Client
let lost: LostCalls
beforeAll(async () => {
  const clock = { monotonicMs: () => w.clock.monotonicMs() }
  w = await world({ early: [(req, res) => noticeLost(lost, clock)(req, res)] })
  await w.deps.database.close()
  Object.assign(w.deps.database, openDatabase({ ...wayTo(w.databaseUrl), poolSize: 4, lock_ms: 150 }))
  holder = new pg.Client({ connectionString: w.databaseUrl })
  await holder.connect()
})
afterAll(async () => {
  await holder.end()
  await w.close()
})
beforeEach(async () => {
  await holder.query('rollback')
  for (const table of ['service_presence', 'service_outages', 'refused_pings']) await w.rows(`delete from ${table}`)
  lost = new LostCalls(w.clock)
  await tellPresence(w.deps, { lost })
})

/** Time goes by, and the process tells its presence as often as it does in truth. */
async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 2) {
    w.clock.forward(Math.min(2, seconds - passed))
    await tellPresence(w.deps, { lost })
  }
}

const hold = ({ guid }: { guid: string }) =>
  holder.query(`begin; select from heartbeats where guid = '${guid}' for update`)
const ping = async (token: string) => (await w.http.get(`/ping/${token}`)).status
const outages = () => w.rows('select from service_outages')

test('one heartbeat that somebody holds delays no alert of another, and is excused itself', async () => {
  const held = await story(w, JOB)
  const silent = await story(w, JOB, { besides: true })
  await held.call()
  await silent.call()
  const called = w.clock.now().getTime()
  const due = new Date(called + 65_000).toISOString().replace('Z', '000Z')
  await hold(held)
  for (let n = 0; n < 3; n++) {
    await pass(20)
    expect(await ping(held.token)).toBe(503)
  }
  await pass(6)
  expect(await held.sweep()).toBe(1)
  expect((await silent.told())[0]).toMatchObject({ type: 'heartbeat.down', data: { since: due } })
  expect((await silent.told())[0]?.data).not.toHaveProperty('outages')
  await holder.query('rollback')
  expect(await held.sweep()).toBe(0)
  // A whole interval and grace from the last ping that was refused.
  await pass(58)
  expect(await held.sweep()).toBe(0)
  await pass(2)
  expect(await held.sweep()).toBe(1)
  const [down] = await held.told()
  expect(down?.data.outages).toEqual([{ began_at: expect.any(String), ended_at: expect.any(String) }])
  expect(Date.parse(String(down?.data.since))).toBe(called + 125_000)
  expect(await outages()).toEqual([])
})

test('a ping that waits is noted before anybody knows whether it is taken, and moves nothing if it is', async () => {
  const { token, guid, sweep, call } = await story(w, JOB)
  await call()
  await pass(62)
  await hold({ guid })
  const answer = ping(token)
  const noted = async () => {
    await tellPresence(w.deps, { lost })
    return (await w.rows('select from refused_pings')).length === 1
  }
  await eventually(noted, 'it is noted')
  await holder.query('rollback')
  const status = await answer
  expect(await sweep()).toBe(0)
  // On a slow machine it was refused after all, and its heartbeat is excused as long as if it had been taken.
  expect([200, 503]).toContain(status)
  await pass(64)
  expect(await sweep()).toBe(0)
  await pass(2)
  expect(await sweep()).toBe(1)
})

test('tokens that were made up write nothing, and are no outage of the service', async () => {
  await holder.query('begin; lock table heartbeat_keys in access exclusive mode')
  expect(await ping(newToken('beat', randomBytes))).toBe(503)
  await holder.query('rollback')
  await pass(2)
  expect(await w.rows('select from refused_pings')).toEqual([])
  expect(await outages()).toEqual([])
})

test('a ping that cannot be written now is excused once the database takes it', async () => {
  const { token, guid, sweep, call } = await story(w, JOB)
  await call()
  await pass(62)
  await hold({ guid })
  expect(await ping(token)).toBe(503)
  await holder.query('rollback; begin; lock table refused_pings in access exclusive mode')
  await expect(tellPresence(w.deps, { lost })).rejects.toThrow()
  await holder.query('rollback')
  await pass(4)
  expect(await sweep()).toBe(0)
})

/** What is noted of a call that an application answers or fails with this. */
async function noteOf(path: string, outcome: number | Error) {
  const app = express()
  app.use((_req, res) => {
    if (typeof outcome !== 'number') throw outcome
    res.status(outcome).end()
  })
  app.use(errorHandler({ log: silentLog, clock: w.clock }))
  const server = createHttpServer(app, randomBytes, [noticeLost(lost, w.clock)])
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const closed = new Promise((resolve) => server.once('request', (_req, res) => res.once('close', resolve)))
    await fetch(`http://127.0.0.1:${port}${path}`)
    await closed
    const refused: RefusedCall[] = []
    await lost.handPings(5000, async (calls) => void refused.push(...calls))
    return lost.takeOutage(5000) ? 'outage' : refused.map(({ caller }) => caller)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const TOKEN = newToken('beat', randomBytes)
const fault = (code: string, message = '') => Object.assign(new Error(message), { code })

test.each([
  ['a ping that is shed', `/ping/${TOKEN}?rid=1`, 503, [TOKEN]],
  ['a lock that was not to be had', `/ping/${TOKEN}`, fault('55P03'), [TOKEN]],
  ['a statement that took too long', `/ping/${TOKEN}/0`, fault('57014'), [TOKEN]],
  ['a bug', `/ping/${TOKEN}`, new TypeError('x'), [TOKEN]],
  ['no connection in time', `/ping/${TOKEN}`, fault('', 'timeout exceeded when trying to connect'), 'outage'],
  ['a connection that broke', `/ping/${TOKEN}`, fault('ECONNRESET'), 'outage'],
  ['a database that shuts down', `/ping/${TOKEN}`, fault('57P01'), 'outage'],
  ['a full disk', `/ping/${TOKEN}`, fault('53100'), 'outage'],
  ['a ping that was taken', `/ping/${TOKEN}`, 200, []],
  ['a ping that is unknown', `/ping/${TOKEN}`, 404, []],
  ['a ping beyond its share', `/ping/${TOKEN}`, new HttpError(429, 'too many'), []],
  ['a ping that says that the job failed', `/ping/${TOKEN}/fail`, 503, []],
  ['a ping that says that the job begins', `/ping/${TOKEN}/start`, fault('ECONNRESET'), []],
  ['a token that cannot be one', '/ping/x', 503, []],
  ['another request', '/checks', 503, []],
])('what is noted of it: %s', async (_, path, outcome, noted) => {
  expect(await noteOf(path, outcome)).toEqual(noted)
})

test('a ping whose client went away before it was refused is noted', async () => {
  const { token, guid } = await story(w, JOB)
  await hold({ guid })
  const { port } = w.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  const seen = once(w.server, 'request')
  socket.write(`GET /ping/${token} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await seen
  socket.destroy()
  await once(socket, 'close')
  await eventually(async () => {
    await tellPresence(w.deps, { lost })
    return (await w.rows('select from refused_pings')).length === 1
  }, 'it is noted')
  await holder.query('rollback')
})

test('more heartbeats than can be remembered are an outage of the service', () => {
  const few = new LostCalls(w.clock, 2)
  for (const token of ['a', 'b', 'a']) few.notePing(token, 0)
  expect(few.takeOutage(0)).toBeUndefined()
  few.notePing('c', 0)
  expect(few.takeOutage(0)).toBeDefined()
})
