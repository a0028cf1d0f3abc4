// What becomes of a heartbeat as its job calls, or does not: each story a timeline on a clock that stands still.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { remind } from '@dogwatch/domain/events/remind'
import { removeHeartbeat, switchHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { acknowledge } from '@dogwatch/domain/incidents/acknowledge'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type World, world } from '../support/world.ts'
import { story } from './story.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const HOUR = 3600
const incidents = (org_id: number) =>
  w.rows('select end_reason, wire_time(began_at) as began_at from incidents where org_id = $1', org_id)

test('new, up, down when the calls stop, up again: told when it goes down and when it is back', async () => {
  const { call, sweep, shown, told, types, org, guid } = await story(w)
  expect(await shown()).toMatchObject({ state: 'new' })
  await call()
  const last = w.clock.now().toISOString().replace('Z', '000Z')
  expect(await shown()).toMatchObject({ state: 'up', last_heartbeat_at: last })
  w.clock.forward(HOUR + 299)
  expect(await sweep()).toBe(0)
  expect(await types()).toEqual([])
  w.clock.forward(1)
  const due = w.clock.now().toISOString().replace('Z', '000Z')
  w.clock.forward(7)
  expect(await sweep()).toBe(1)
  expect(await sweep()).toBe(0)
  expect(await shown()).toMatchObject({ state: 'down', down_since: due, last_heartbeat_at: last })
  w.clock.forward(593)
  await call()
  await sweep()
  const now = w.clock.now().toISOString().replace('Z', '000Z')
  expect(await shown()).toMatchObject({ state: 'up', last_heartbeat_at: now })
  expect(await shown()).not.toHaveProperty('down_since')
  const [down, up] = await told()
  expect(down).toEqual({
    type: 'heartbeat.down',
    data: {
      org: { name: expect.any(String) },
      heartbeat: { guid, name: 'backup', interval_sec: 3600, grace_sec: 300 },
      state: 'down',
      previous_state: 'up',
      incident_id: expect.any(String),
      since: due,
      reason: 'overdue',
      last_heartbeat_at: last,
    },
  })
  expect(up).toMatchObject({
    type: 'heartbeat.up',
    data: { state: 'up', previous_state: 'down', since: due, ended_at: now, duration_sec: 600, reason: 'recovered' },
  })
  expect(up?.data.incident_id).toBe(down?.data.incident_id)
  expect(await types()).toEqual(['heartbeat.down', 'heartbeat.up'])
  expect(await incidents(org.org_id)).toEqual([{ end_reason: 'recovered', began_at: due }])
})

test('one that follows cron says so in its alert, its reminder and when it is acknowledged', async () => {
  const cron = { cron: '0 9 * * 1-5', cron_zone: 'Europe/Paris' }
  const { call, sweep, told, org, guid } = await story(w, { ...cron, resend_interval_sec: 600 })
  await call()
  w.clock.forward(4 * 86_400)
  expect(await sweep()).toBe(1)
  w.clock.forward(700)
  await remind(w.deps)
  const by = { person_id: 0, email: 'bob@example.com', impersonator_email: null }
  await acknowledge(w.deps, { org_id: org.org_id, kind: 'heartbeat', guid }, by)
  const heartbeat = { guid, name: 'backup', interval_sec: 3 * 86_400 + 3600, grace_sec: 300, ...cron }
  expect(await told()).toMatchObject([
    { type: 'heartbeat.down', data: { heartbeat } },
    { type: 'heartbeat.acknowledged', data: { heartbeat } },
    { type: 'heartbeat.reminder', data: { heartbeat } },
  ])
})

test('one that was never called is never overdue', async () => {
  const { sweep, shown } = await story(w)
  w.clock.forward(400 * 86_400)
  expect(await sweep()).toBe(0)
  expect(await shown()).toMatchObject({ state: 'new' })
})

test('a call that says fail takes it down at once, told once, and the next beat brings it up', async () => {
  const { call, shown, told, types } = await story(w)
  await call('/fail')
  expect(await shown()).toMatchObject({ state: 'down', down_since: w.clock.now().toISOString().replace('Z', '000Z') })
  w.clock.forward(10)
  await call('/fail')
  expect(await types()).toEqual(['heartbeat.down'])
  expect((await told())[0]?.data).toMatchObject({ previous_state: 'new', reason: 'fail' })
  w.clock.forward(10)
  await call()
  expect(await types()).toEqual(['heartbeat.down', 'heartbeat.up'])
  expect((await told())[1]?.data).toMatchObject({ duration_sec: 20 })
})

test('a failure that waits here while the job runs well again takes nothing down, and is kept', async () => {
  const { call, shown, types, pings, token, org } = await story(w)
  const place = await findHeartbeatOfToken(w.deps, token)
  await call()
  w.clock.forward(10)
  const received = w.clock.now()
  w.clock.forward(15)
  await call()
  const last = w.clock.now().toISOString().replace('Z', '000Z')
  w.clock.forward(5)
  await takePing(w.deps, place, { kind: 'fail', exit_code: null, rid: null, body: 'no room left' }, received)
  expect(await shown()).toMatchObject({ state: 'up', last_heartbeat_at: last })
  expect(await types()).toEqual([])
  expect(await incidents(org.org_id)).toEqual([])
  expect((await pings())[0]).toMatchObject({ kind: 'fail', body: 'no room left' })
})

test('a beat that waits here while the job fails does not hide the failure', async () => {
  const { call, shown, types, token } = await story(w)
  const place = await findHeartbeatOfToken(w.deps, token)
  await call()
  w.clock.forward(10)
  const received = w.clock.now()
  w.clock.forward(2)
  await call('/fail')
  w.clock.forward(2)
  await takePing(w.deps, place, { kind: 'beat', exit_code: null, rid: null, body: null }, received)
  expect(await shown()).toMatchObject({ state: 'down' })
  expect(await types()).toEqual(['heartbeat.down'])
})

test.each([1, 7, 137, 255])('exit code %i is a failure, and the alert names it', async (code) => {
  const { call, told, shown, pings } = await story(w)
  await call()
  w.clock.forward(5)
  await call(`/${code}`)
  expect((await told()).map(({ data }) => data)).toMatchObject([{ reason: 'exit_code', exit_code: code }])
  expect(await shown()).toMatchObject({ state: 'down' })
  expect((await pings())[0]).toMatchObject({ kind: 'exit_code', exit_code: code })
})

test('exit code 0 is a beat', async () => {
  const { call, shown, types, pings } = await story(w)
  await call('/fail')
  w.clock.forward(5)
  await call('/0')
  expect(await shown()).toMatchObject({ state: 'up' })
  expect(await types()).toEqual(['heartbeat.down', 'heartbeat.up'])
  expect((await pings())[0]).toMatchObject({ kind: 'beat', exit_code: null })
})

test('start and log neither bring it up nor put off when it is due', async () => {
  const { call, sweep, shown, types } = await story(w)
  await call('/start')
  await call('/log')
  expect(await shown()).toMatchObject({ state: 'new' })
  expect(await shown()).not.toHaveProperty('last_heartbeat_at')
  await call()
  const { last_heartbeat_at } = await shown()
  w.clock.forward(HOUR + 299)
  await call('/start')
  await call('/log', 'still at it')
  expect(await shown()).toMatchObject({ state: 'up', last_heartbeat_at })
  w.clock.forward(1)
  expect(await sweep()).toBe(1)
  await call('/start')
  await call('/log')
  expect(await types()).toEqual(['heartbeat.down'])
})

test('a failure counts as a call: a job that fails and then falls silent is told once', async () => {
  const { call, sweep, types } = await story(w)
  await call('/fail')
  w.clock.forward(2 * HOUR)
  expect(await sweep()).toBe(0)
  expect(await types()).toEqual(['heartbeat.down'])
})

test('a beat that comes late, but before anybody looked, is told to nobody', async () => {
  const { call, sweep, types } = await story(w)
  await call()
  w.clock.forward(2 * HOUR)
  await call()
  expect(await sweep()).toBe(0)
  expect(await types()).toEqual([])
})

test.each(['enabled', 'platform_enabled'] as const)(
  'paused (%s off), it keeps its state whatever is called, answers OK, and begins anew afterwards',
  async (which) => {
    const { call, sweep, shown, types, guid, pings } = await story(w)
    await call()
    await switchHeartbeat(w.deps, guid, which, false)
    w.clock.forward(10 * HOUR)
    expect(await sweep()).toBe(0)
    expect(await shown()).toMatchObject({ state: 'up', enabled: false })
    await call('/fail')
    expect(await shown()).toMatchObject({ state: 'up', enabled: false })
    expect((await pings()).map(({ kind }) => kind)).toEqual(['fail', 'beat'])
    await switchHeartbeat(w.deps, guid, which, true)
    expect(await shown()).toMatchObject({ state: 'new', enabled: true })
    // Within a second of what was called last: nothing that changes it is taken for a repeat.
    await call('/fail')
    expect(await shown()).toMatchObject({ state: 'down' })
    expect(await types()).toEqual(['heartbeat.down'])
  },
)

test('paused while down: it stays down as stored, its incident ends, nobody is told and what waits is given up', async () => {
  const { call, shown, types, guid, org } = await story(w)
  await createChannel(w.deps, org.org_id, { kind: 'ntfy', name: 'phone', ntfy_topic: 'ops' })
  await call('/fail')
  const deliveries = () => w.rows('select state from deliveries where org_id = $1', org.org_id)
  expect(await deliveries()).toEqual([{ state: 'pending' }])
  await switchHeartbeat(w.deps, guid, 'enabled', false)
  expect(await shown()).toMatchObject({ state: 'down', enabled: false })
  expect(await incidents(org.org_id)).toMatchObject([{ end_reason: 'disabled' }])
  expect(await deliveries()).toEqual([{ state: 'superseded' }])
  w.clock.forward(5)
  await call()
  expect(await shown()).toMatchObject({ state: 'down' })
  await switchHeartbeat(w.deps, guid, 'enabled', true)
  w.clock.forward(5)
  await call()
  expect(await shown()).toMatchObject({ state: 'up' })
  expect(await types()).toEqual(['heartbeat.down'])
})

test('deleted while down: nobody is told, what waits is given up, and its URL is gone', async () => {
  const { call, types, guid, token, org } = await story(w)
  await createChannel(w.deps, org.org_id, { kind: 'ntfy', name: 'phone', ntfy_topic: 'ops' })
  await call('/fail')
  await removeHeartbeat(w.deps, guid)
  expect(await types()).toEqual(['heartbeat.down'])
  expect(await w.rows('select state from deliveries where org_id = $1', org.org_id)).toEqual([{ state: 'superseded' }])
  expect(await w.rows('select 1 from pings where org_id = $1', org.org_id)).toEqual([])
  expect((await fetch(`${w.direct}/ping/${token}`)).status).toBe(404)
})

test('the run time is from the start of a run to its end, matched by rid where runs overlap', async () => {
  const { call, pings } = await story(w)
  await call('/start')
  w.clock.forward(90)
  await call('/log', 'half way')
  w.clock.forward(30)
  await call('')
  w.clock.forward(10)
  // No start between this one and the end before it.
  await call('')
  w.clock.forward(10)
  await call('/start?rid=a')
  w.clock.forward(10)
  await call('/start?rid=b')
  w.clock.forward(10)
  await call('/3?rid=a')
  w.clock.forward(10)
  await call('/fail?rid=b')
  w.clock.forward(10)
  await call('?rid=c')
  const ends = (await pings()).filter(({ kind }) => kind !== 'start' && kind !== 'log').reverse()
  expect(ends.map(({ rid, duration_ms }) => [rid, duration_ms])).toEqual([
    [null, 120_000],
    [null, null],
    ['a', 20_000],
    ['b', 20_000],
    ['c', null],
  ])
})

test('only the same signal again within a second is left out; whatever differs from it counts', async () => {
  const { call, pings } = await story(w)
  for (let i = 0; i < 5; i++) await call('', 'done')
  expect(await pings()).toHaveLength(1)
  await call('', 'done again')
  await call('?rid=a', 'done again')
  await call('/log', 'done again')
  await call('/4', 'done again')
  await call('/5', 'done again')
  await call('/5', 'done again')
  expect((await pings()).map(({ n }) => n)).toEqual([6, 5, 4, 3, 2, 1])
  w.clock.forward(0.999)
  await call('/5', 'done again')
  expect(await pings()).toHaveLength(6)
  w.clock.forward(0.001)
  await call('/5', 'done again')
  expect(await pings()).toHaveLength(7)
})

test('a job that calls without end is kept in mind: one call a second', async () => {
  const { call, shown, pings } = await story(w)
  for (let i = 0; i < 30; i++) {
    await call()
    w.clock.forward(0.1)
  }
  expect(await pings()).toHaveLength(3)
  expect(Date.parse(String((await shown()).last_heartbeat_at))).toBe(w.clock.now().getTime() - 1000)
})

test('the newest hundred calls or so are kept', async () => {
  const { call, pings } = await story(w)
  for (let i = 1; i <= 135; i++) await call('/log', `line ${i}`)
  const kept = await pings()
  expect(kept.length).toBeGreaterThanOrEqual(100)
  expect(kept.length).toBeLessThan(110)
  expect(kept[0]).toMatchObject({ n: 135, body: 'line 135' })
})
