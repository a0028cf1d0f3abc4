// Time in which the service itself could not be called is nobody's silence.

import { tellPresence } from '@dogwatch/domain/availability'
import { remind } from '@dogwatch/domain/events/remind'
import { editHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { LostCalls } from '@dogwatch/domain/lost-calls'
import { DatabaseClock } from '@dogwatch/runtime/database-clock'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { messageFor } from '../../../alerting/src/message.ts'
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

test('an outage in which the job was due raises no alert until an interval and grace after it', async () => {
  const { call, sweep, shown, types } = await story(w)
  await up(1)
  await call()
  await up(1800)
  // The call that was due meanwhile found nobody.
  await down(HOUR)
  expect(await sweep()).toBe(0)
  await up(HOUR + 300 - 0.001)
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
  await down(2 * HOUR)
  const back = w.clock.now().getTime()
  await sweep()
  const [row] = await w.rows('select wire_time(due_at) as due_at from heartbeats where org_id = $1', org.org_id)
  expect(Date.parse(String(row?.due_at))).toBe(back + (HOUR + 300) * 1000)
})

test('a restart of a few seconds counts, too, when nobody else told meanwhile', async () => {
  const { call, sweep, types } = await story(w, { interval_sec: 60, grace_sec: 0 })
  await up(1)
  await call()
  await up(57)
  w.clock.forward(4)
  await tellPresence(w.deps, { isStart: true })
  expect(await sweep()).toBe(0)
  await up(59.999)
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

test('a deploy of 14 s just when the job calls raises no alert, if its next ping comes in time', async () => {
  const { call, sweep, types } = await story(w, { interval_sec: 60, grace_sec: 5 })
  await up(1)
  await call()
  await up(58)
  // It calls after 60 s, and nobody answers.
  w.clock.forward(14)
  await tellPresence(w.deps, { isStart: true })
  for (let second = 0; second < 48; second++) {
    expect(await sweep()).toBe(0)
    await up(1)
  }
  await call()
  expect(await types()).toEqual([])
  await up(65 - 0.001)
  expect(await sweep()).toBe(0)
})

test('a job that is silent after our outage is told DOWN, and people read that we were away', async () => {
  const { call, sweep, told, types } = await story(w, { interval_sec: 60, grace_sec: 5, resend_interval_sec: 60 })
  await up(1)
  await call()
  await up(58)
  const began_at = fromDate(w.clock.now())
  await down(14)
  const ended_at = fromDate(w.clock.now())
  await up(65)
  expect(await sweep()).toBe(1)
  const [down_event] = await told()
  expect(down_event).toMatchObject({ type: 'heartbeat.down', data: { reason: 'overdue' } })
  expect(down_event?.data.outages).toEqual([{ began_at, ended_at }])
  const { lines } = messageFor({ type: 'heartbeat.down', timestamp: ended_at, data: down_event?.data }, 'http://x')
  const shown = (at: string) => `${at.slice(0, 19).replace('T', ' ')} UTC`
  expect(lines.at(-1)).toBe(
    `Dogwatch could not receive pings from ${shown(began_at)} to ${shown(ended_at)}, ` +
      'so the deadline was extended.',
  )
  await up(60)
  await remind(w.deps)
  expect(await types()).toEqual(['heartbeat.down', 'heartbeat.reminder'])
  expect((await told())[1]?.data.outages).toEqual([{ began_at, ended_at }])
})

test('an outage after which the job called again is not held against its next silence', async () => {
  const { call, sweep, told } = await story(w, { interval_sec: 60, grace_sec: 5 })
  await up(1)
  await call()
  await up(58)
  await down(14)
  await call()
  await up(65)
  expect(await sweep()).toBe(1)
  expect((await told())[0]?.data).not.toHaveProperty('outages')
})

test('short outages over and over put a silent job off, and not for ever', async () => {
  const { call, sweep } = await story(w, { interval_sec: 60, grace_sec: 5 })
  await up(1)
  await call()
  let callable = 0
  for (; callable < 1000 && (await sweep()) === 0; callable += 20) {
    await up(20)
    if (callable < 1000) await down(4)
  }
  expect(callable).toBeGreaterThan(3 * 65 - 20)
  expect(callable).toBeLessThanOrEqual(3 * 65 + 20)
})

test('a stall of 4 s is an outage, too', async () => {
  const { call, sweep } = await story(w, { interval_sec: 60, grace_sec: 1 })
  await up(1)
  await call()
  await up(58)
  await down(4)
  expect(await sweep()).toBe(0)
  await up(61 - 0.001)
  expect(await sweep()).toBe(0)
  await up(0.001)
  expect(await sweep()).toBe(1)
})

test('nobody is judged for the time since the service was last known to take pings', async () => {
  const { call, sweep } = await story(w, { interval_sec: 60, grace_sec: 1 })
  await up(1)
  await call()
  await up(60)
  // A process that may be stalled: it says nothing for 2 s, which is not late yet.
  w.clock.forward(2)
  expect(await sweep()).toBe(0)
  await tellPresence(w.deps)
  expect(await sweep()).toBe(1)
})

test('where one process could not reach the database while another took pings, that is an outage', async () => {
  const { call, sweep, told } = await story(w, { interval_sec: 60, grace_sec: 5 })
  await up(1)
  await call()
  await up(60)
  const lost = new LostCalls(w.clock)
  lost.noteOutage()
  await up(2)
  await tellPresence(w.deps, { lost })
  await up(4)
  expect(await sweep()).toBe(0)
  await up(59.5)
  expect(await sweep()).toBe(1)
  expect((await told())[0]?.data.outages).toHaveLength(1)
  await tellPresence(w.deps, { lost })
  expect(await w.rows('select from service_outages')).toHaveLength(1)
})

test('lost pings are remembered by the clock that a server has', () => {
  const lost = new LostCalls(new DatabaseClock())
  lost.noteOutage()
  expect(lost.takeOutage(10_000)?.ended).toBeLessThanOrEqual(10_001)
})

test('outages that overlap count once', async () => {
  const { call, sweep } = await story(w)
  await up(1)
  await call()
  const called = w.clock.now().getTime()
  const at = (seconds: number) => new Date(called + seconds * 1000)
  await up(60)
  for (const [began, ended] of [
    [10, 20],
    [15, 30],
  ] as const)
    await w.rows('insert into service_outages (began_at, ended_at) values ($1, $2)', at(began), at(ended))
  await up(HOUR + 300 + 20 - 60 - 0.001)
  expect(await sweep()).toBe(0)
  await up(0.001)
  expect(await sweep()).toBe(1)
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
  expect(refused.text).toBe('the clock of this server may be wrong; try again later')
  expect((await w.http.get('/ping/dogwatch_beat_unknown')).status).toBe(404)
  w.clock.skew(0)
  await up(3)
  expect(await sweep()).toBe(0)
  await call()
  expect(await shown()).toMatchObject({ state: 'up' })
  expect(await types()).toEqual([])
})

test.each([7200, -7200])(
  'a ping that is refused is noted by the time that the database tells, %i s ahead of ours',
  async (seconds) => {
    const { call, token } = await story(w, { interval_sec: 60, grace_sec: 2 })
    await up(1)
    await call()
    w.clock.jump(seconds)
    const told = w.clock.asTold()
    expect((await w.http.get(`/ping/${token}`)).status).toBe(503)
    w.clock.jump(0)
    const rows = await w.rows(
      `select extract(epoch from refused_at - $2)::float8 as off_sec
     from refused_pings join heartbeat_keys using (org_id, heartbeat_id) where token = $1`,
      ...[token, told],
    )
    expect(rows).toEqual([{ off_sec: 0 }])
  },
)

test('a heartbeat that is edited keeps a deadline that was put off while the time was in doubt', async () => {
  for (const change of [{ name: 'renamed' }, { grace_sec: 3 }]) {
    const { call, sweep, token, org, guid } = await story(w, { interval_sec: 60, grace_sec: 2 })
    await up(1)
    await call()
    await up(60)
    w.clock.skew(10)
    expect((await w.http.get(`/ping/${token}`)).status).toBe(503)
    w.clock.skew(0)
    const wanted = {
      name: 'backup',
      interval_sec: 60,
      grace_sec: 2,
      resend_interval_sec: 0,
      show_on_status_page: false,
    }
    await editHeartbeat(w.deps, { org_id: org.org_id, guid }, { ...wanted, ...change })
    await up(50)
    expect(await sweep()).toBe(0)
    await up(13)
    expect(await sweep()).toBe(1)
  }
})

test('a heartbeat that is renamed is due when it was', async () => {
  const { call, sweep, org, guid } = await story(w)
  await up(1)
  await call()
  await down(2 * HOUR)
  await sweep()
  const due = async () => w.rows('select wire_time(due_at) as due_at from heartbeats where org_id = $1', org.org_id)
  const before = await due()
  const wanted = {
    name: 'renamed',
    interval_sec: HOUR,
    grace_sec: 300,
    resend_interval_sec: 0,
    show_on_status_page: true,
  }
  await editHeartbeat(w.deps, { org_id: org.org_id, guid }, wanted)
  expect(await due()).toEqual(before)
  await editHeartbeat(w.deps, { org_id: org.org_id, guid }, { ...wanted, grace_sec: 600 })
  expect(await due()).not.toEqual(before)
})

test('a server in doubt that refuses pings of one heartbeat keeps no other from being missed', async () => {
  const calling = await story(w, { interval_sec: 60, grace_sec: 2 })
  const silent = await story(w, { interval_sec: 60, grace_sec: 2 }, { besides: true })
  await up(1)
  await calling.call()
  await silent.call()
  for (let call = 1; call <= 5; call++) {
    await up(50)
    w.clock.skew(10)
    expect((await w.http.get(`/ping/${calling.token}`)).status).toBe(503)
    w.clock.skew(0)
    await calling.sweep()
  }
  expect(await silent.types()).toEqual(['heartbeat.down'])
  expect(await calling.types()).toEqual([])
  await up(63)
  await calling.sweep()
  expect(await calling.types()).toEqual(['heartbeat.down'])
})
