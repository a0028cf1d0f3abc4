// Time in which the service itself could not be called is nobody's silence.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { tellPresence } from '../../src/domain/availability.ts'
import { type World, world } from '../support/world.ts'
import { story } from './story.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())
beforeEach(() => w.rows('with told as (delete from service_presence) delete from service_outages'))

const HOUR = 3600

/** Time goes by while the service can be called. */
async function up(seconds: number): Promise<void> {
  // Told every two seconds in truth; the last of them is what counts.
  await tellPresence(w.deps)
  w.clock.forward(seconds)
  await w.rows('update service_presence set alive_at = $1', w.clock.now())
}

/** Nobody can call the service for so long; then it comes back. */
async function down(seconds: number): Promise<void> {
  w.clock.forward(seconds)
  await tellPresence(w.deps)
}

test('an outage of an hour raises no alert, and the grace is longer by exactly that', async () => {
  const { call, sweep, shown, types } = await story(w)
  await up(1)
  await call()
  await up(1800)
  // The call that was due meanwhile found nobody.
  await down(HOUR)
  expect(await sweep()).toBe(0)
  await up(1800 + 300 - 0.001)
  expect(await sweep()).toBe(0)
  expect(await types()).toEqual([])
  await up(0.001)
  expect(await sweep()).toBe(1)
  expect(await shown()).toMatchObject({ down_since: w.clock.now().toISOString().replace('Z', '000Z') })
})

test('while the service cannot be called nobody is judged, however overdue', async () => {
  const { call, sweep, types } = await story(w)
  await up(1)
  await call()
  await up(HOUR)
  w.clock.forward(10 * HOUR)
  expect(await sweep()).toBe(0)
  await down(0)
  expect(await sweep()).toBe(0)
  expect(await types()).toEqual([])
  await call()
  expect(await types()).toEqual([])
})

test('what was overdue before the outage stays so, from when it was due', async () => {
  const { call, sweep, shown } = await story(w)
  await up(1)
  await call()
  await up(HOUR + 300)
  const due = w.clock.now().toISOString().replace('Z', '000Z')
  await up(1)
  await down(HOUR)
  expect(await sweep()).toBe(1)
  expect(await shown()).toMatchObject({ down_since: due })
})

test('two outages are both added; one from before the last call is not', async () => {
  const { call, sweep } = await story(w)
  await up(1)
  await down(900)
  await call()
  await up(10)
  await down(60)
  await up(10)
  await down(120)
  await up(HOUR + 300 - 20 - 1)
  expect(await sweep()).toBe(0)
  await up(1)
  expect(await sweep()).toBe(1)
})

test('one that an outage put off is not read again before its time', async () => {
  const { call, sweep, org } = await story(w)
  await up(1)
  await call()
  const called = w.clock.now().getTime()
  await down(2 * HOUR)
  await sweep()
  const [row] = await w.rows('select wire_time(due_at) as due_at from heartbeats where org_id = $1', org.org_id)
  expect(Date.parse(String(row?.due_at))).toBe(called + (HOUR + 300 + 2 * HOUR) * 1000)
})

test('a restart of a few seconds counts, too, when nobody else told meanwhile', async () => {
  const { call, sweep, types } = await story(w, { interval_sec: 60, grace_sec: 0 })
  await up(1)
  await call()
  await up(57)
  w.clock.forward(4)
  await tellPresence(w.deps, { isStart: true })
  expect(await sweep()).toBe(0)
  await up(2.999)
  expect(await sweep()).toBe(0)
  await up(0.001)
  expect(await sweep()).toBe(1)
  expect(await types()).toEqual(['heartbeat.down'])
})

test('a second process that begins beside one that runs notes no outage', async () => {
  await up(100)
  w.clock.forward(1.9)
  await tellPresence(w.deps, { isStart: true })
  expect(await w.rows('select 1 from service_outages')).toEqual([])
})

const DAY = 24 * HOUR

test('a clock that was once far ahead silences nobody: the next that is right takes it back', async () => {
  const { call, sweep } = await story(w)
  await up(1)
  const ahead = { ...w.deps, clock: { ...w.clock, now: () => new Date(w.clock.now().getTime() + 30 * DAY * 1000) } }
  await tellPresence(ahead)
  expect(await w.rows('select from service_outages')).toHaveLength(1)
  await up(1)
  expect(await w.rows('select from service_outages')).toEqual([])
  await call()
  await up(DAY)
  expect(await sweep()).toBe(1)
})

test('an outage that ends far ahead is none, even before somebody takes it back', async () => {
  const { call, sweep } = await story(w)
  await up(1)
  await call()
  await up(DAY)
  const [now, later] = [w.clock.now(), new Date(w.clock.now().getTime() + 30 * DAY * 1000)]
  await w.rows(
    "insert into service_outages (began_at, ended_at) values ($1::timestamptz - interval '1 day', $2)",
    now,
    later,
  )
  expect(await sweep()).toBe(1)
})

test('a process that doubts the time tells nobody that it is there', async () => {
  const told = () => w.rows('select from service_presence')
  for (const seconds of [6, -6]) {
    w.clock.skew(seconds)
    await tellPresence(w.deps)
  }
  expect(await told()).toEqual([])
  w.clock.skew(4)
  await tellPresence(w.deps)
  expect(await told()).toHaveLength(1)
  w.clock.skew(0)
})

test('a ping that comes while the time is in doubt is refused, and its heartbeat is not found silent for it', async () => {
  const { call, sweep, shown, types, token } = await story(w, { interval_sec: 60, grace_sec: 2 })
  await up(1)
  await call()
  await up(60)
  w.clock.skew(10)
  const refused = await w.http.get(`/ping/${token}`)
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
  expect(refused.text).toBe('the clock of this server is in doubt, try again later')
  expect((await w.http.get('/ping/dogwatch_beat_unknown')).status).toBe(404)
  w.clock.skew(0)
  await up(3)
  expect(await sweep()).toBe(0)
  await call()
  expect(await shown()).toMatchObject({ state: 'up' })
  expect(await types()).toEqual([])
})
