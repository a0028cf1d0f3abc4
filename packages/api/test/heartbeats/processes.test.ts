// Several processes take pings. What was sent to one that stands still waits there, whatever the others do.

import { endPresence, GONE_MS, type OwnPresence, tellPresence } from '@dogwatch/domain/availability'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { setDatabaseTime } from '../retention/rows.ts'
import { type World, world } from '../support/world.ts'
import { story } from './story.ts'

let w: World
let webs: [OwnPresence, OwnPresence]
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())
beforeEach(async () => {
  for (const table of ['service_presence', 'service_outages', 'processes']) await w.rows(`delete from ${table}`)
  w.clock.skew(0)
  webs = [web(1), web(2)]
  for (const own of webs) await tellPresence(w.deps, { own, isStart: true })
})

const web = (n: number): OwnPresence => ({
  self: { process_id: `p${n}`, role: 'web', host: `host ${n}`, pid: 1 },
  port: 8080,
  told_at: undefined,
})

/** Time goes by while these processes take pings. */
async function pass(seconds: number, up: readonly OwnPresence[] = webs): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    w.clock.forward(1)
    for (const own of up) await tellPresence(w.deps, { own })
  }
}

const outages = async () =>
  (await w.rows('select extract(epoch from ended_at - began_at)::float8 as sec from service_outages')).map(
    ({ sec }) => sec,
  )

test('a standstill of 27 s of one of two raises no heartbeat whose ping waits there', async () => {
  const { call, sweep, types } = await story(w, { interval_sec: 60, grace_sec: 5 })
  await call()
  await pass(58)
  for (let second = 0; second < 27; second++) {
    await pass(1, [webs[0]])
    expect(await sweep()).toBe(0)
  }
  // It goes on, and takes the ping that waited.
  await pass(1)
  expect(await sweep()).toBe(0)
  await call()
  await pass(64)
  expect(await sweep()).toBe(0)
  expect(await types()).toEqual([])
  expect(await outages()).toEqual([28])
})

test('a job whose ping was lost there has a whole interval more, and people read that we were away', async () => {
  const { call, sweep, told } = await story(w, { interval_sec: 60, grace_sec: 5 })
  await call()
  await pass(58)
  const began_at = fromDate(w.clock.now())
  await pass(26, [webs[0]])
  await pass(1)
  const ended_at = fromDate(w.clock.now())
  await pass(64)
  expect(await sweep()).toBe(0)
  await pass(2)
  expect(await sweep()).toBe(1)
  expect((await told())[0]?.data).toMatchObject({ reason: 'overdue', outages: [{ began_at, ended_at }] })
})

test('a job that was overdue before one of them stood still is found silent all the same', async () => {
  const { call, sweep } = await story(w, { interval_sec: 60, grace_sec: 5 })
  await call()
  await pass(66)
  await pass(10, [webs[0]])
  expect(await sweep()).toBe(1)
})

test('one that was killed is waited for a minute, and counts as away for that minute', async () => {
  const { call, sweep } = await story(w, { interval_sec: 600, grace_sec: 5 })
  await call()
  await pass(590)
  await pass(GONE_MS / 1000 + 1, [webs[0]])
  expect(await outages()).toEqual([GONE_MS / 1000])
  expect(await w.rows('select process_id from processes')).toEqual([{ process_id: 'p1' }])
  expect(await sweep()).toBe(0)
  await pass(604, [webs[0]])
  expect(await sweep()).toBe(1)
})

test('one that comes back after it was taken to be gone counts as away for all of that time', async () => {
  await pass(100, [webs[0]])
  await pass(1)
  expect(await outages()).toEqual([101])
  expect(await w.rows('select process_id from processes order by 1')).toEqual([
    { process_id: 'p1' },
    { process_id: 'p2' },
  ])
})

test('one that ends says so, and nobody waits for it', async () => {
  const { call, sweep } = await story(w, { interval_sec: 60, grace_sec: 5 })
  await call()
  await pass(30)
  await endPresence(w.deps, webs[1])
  await pass(36, [webs[0]])
  expect(await sweep()).toBe(1)
  expect(await outages()).toEqual([])
})

test('one that begins at the address of one that was killed takes its place', async () => {
  const { call, sweep } = await story(w, { interval_sec: 60, grace_sec: 5 })
  await call()
  await pass(10)
  await pass(9, [webs[0]])
  const next = { ...webs[1], self: { ...webs[1].self, process_id: 'p3' }, told_at: undefined }
  await tellPresence(w.deps, { own: next, isStart: true })
  expect(await outages()).toEqual([9])
  await pass(47 + 9, [webs[0], next])
  expect(await sweep()).toBe(1)
})

test('one that doubts the time holds up nobody: each ping that it refuses counts by itself', async () => {
  const { call, sweep } = await story(w, { interval_sec: 60, grace_sec: 5 })
  await call()
  await pass(10)
  await setDatabaseTime(w)
  w.clock.skew(10)
  await tellPresence(w.deps, { own: webs[1] })
  w.clock.skew(0)
  await pass(56, [webs[0]])
  expect(await sweep()).toBe(1)
  await pass(1)
  expect(await outages()).toEqual([])
})

test('one that stood still and doubts the time for it was away nevertheless', async () => {
  await pass(10)
  await pass(30, [webs[0]])
  await setDatabaseTime(w)
  w.clock.skew(-30)
  await tellPresence(w.deps, { own: webs[1] })
  w.clock.skew(0)
  await pass(1)
  expect(await outages()).toEqual([31])
})

test('what was noted ahead of time holds nothing up and is gone with the next word of another', async () => {
  await w.rows("update processes set alive_at = alive_at + interval '1 day' where process_id = 'p2'")
  await pass(1, [webs[0]])
  expect(await w.rows('select process_id from processes')).toEqual([{ process_id: 'p1' }])
  expect(await outages()).toEqual([])
})

test('a report that comes 40 s late takes back nothing that others reported since', async () => {
  await pass(1)
  const now = w.clock.now()
  await pass(40, [webs[1]])
  const times = [now]
  const late = { ...w.clock, now: () => times.shift() ?? w.clock.now() }
  // What it noted of outages is no news of the future either.
  await w.rows("insert into service_outages values ($1::timestamptz - interval '1 minute', $1)", w.clock.now())
  await tellPresence({ ...w.deps, clock: late }, { own: webs[0] })
  expect(await outages()).toEqual([60])
  const reported = await w.rows('select process_id, wire_time(alive_at) as at from processes order by 1')
  expect(reported).toEqual([
    { process_id: 'p1', at: fromDate(now) },
    { process_id: 'p2', at: fromDate(w.clock.now()) },
  ])
  expect(await w.rows('select wire_time(alive_at) as at, set_back_to from service_presence')).toEqual([
    { at: fromDate(w.clock.now()), set_back_to: null },
  ])
})

test('however many are due while nobody can judge them, a sweep ends', async () => {
  const { call, sweep, org } = await story(w, { interval_sec: 60, grace_sec: 5 })
  await call()
  await w.rows(
    `insert into heartbeats (org_id, guid, name, interval_sec, grace_sec, resend_interval_sec, show_on_status_page, state,
       last_heartbeat_at, due_at)
     select org_id, gen_random_uuid()::text, 'job', interval_sec, grace_sec, 0, false, state, last_heartbeat_at, due_at
     from heartbeats, generate_series(1, 120) where org_id = $1`,
    org.org_id,
  )
  await pass(58)
  await pass(10, [webs[0]])
  expect(await sweep()).toBe(0)
})
