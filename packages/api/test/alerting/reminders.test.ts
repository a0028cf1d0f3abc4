// Who is told again, how often, and what.

import { tellPresence } from '@dogwatch/domain/availability'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { importChecks } from '@dogwatch/domain/checks/import'
import { deleteCheck, switchCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { remind } from '@dogwatch/domain/events/remind'
import { createHeartbeat, switchHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import type { Ping } from '@dogwatch/domain/heartbeats/heartbeat'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { resumeOrganisation, suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import type { CheckKey } from '@dogwatch/store/check-keys'
import { lockChecksToJudge } from '@dogwatch/store/checks/check-health'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'
import { sweep } from './silence.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const now = (ago = 0) => new Date(w.clock.now().getTime() - ago * 1000).toISOString()

interface Told {
  type: string
  created_at: string
  data: Record<string, unknown> & { monitors: { name: string; failing: boolean }[] }
}

async function told({ org_id }: Org): Promise<Told[]> {
  const sql =
    'select type, wire_time(created_at) as created_at, data from events where org_id = $1 order by created_at, type'
  return (await w.rows(sql, org_id)) as unknown as Told[]
}

const types = async (org: Org) => (await told(org)).map(({ type }) => type)

/** Lets time pass while the chore looks every few seconds. */
async function pass(seconds: number, every = 5): Promise<void> {
  for (let passed = 0; passed < seconds; passed += every) {
    w.clock.forward(every)
    await remind(w.deps)
  }
}

const ENTRY = { name: 'shop', url: 'https://user:word@example.com/', interval_sec: 60, resend_interval_sec: 600 }

async function story(entry: Record<string, unknown> = {}) {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ ...ENTRY, ...entry }], 'all')
  const run = (outcome: 'F' | 'S', { by = monitor, ago = 0 }: { by?: Monitor; ago?: number } = {}) =>
    by.client.upload([
      result(guid, { ran_at: now(ago), success: outcome === 'S', ...(outcome === 'F' && { error: 'refused: no' }) }),
    ])
  const change = (entry: Record<string, unknown>) => importChecks(w.deps, org.org_id, [{ ...ENTRY, guid, ...entry }])
  return { org, monitor, guid, run, change }
}

async function keyOf(guid: string): Promise<CheckKey> {
  const [key] = await w.rows('select org_id, check_id from checks where guid = $1', guid)
  return key as unknown as CheckKey
}

test('a check that stays down is repeated every resend_interval_sec, until it recovers', async () => {
  const { org, run } = await story()
  await run('F')
  const began = now()
  await pass(595)
  expect(await types(org)).toEqual(['check.down'])
  await run('F')
  await pass(5)
  expect(await types(org)).toEqual(['check.down', 'check.reminder'])
  await pass(1200, 30)
  const all = await told(org)
  expect(all.map(({ type }) => type)).toEqual(['check.down', ...Array(3).fill('check.reminder')])
  expect(all.map(({ created_at }) => (Date.parse(created_at) - Date.parse(began)) / 1000)).toEqual([0, 600, 1200, 1800])
  expect(all[3]?.data).toMatchObject({
    state: 'down',
    previous_state: 'down',
    incident_id: all[0]?.data.incident_id,
    since: began.replace('Z', '000Z'),
    duration_sec: 1800,
    reminder: 3,
    failures: 2,
    error: 'refused: no',
    check: { name: 'shop', url: 'https://example.com/' },
  })
  await run('S')
  await pass(1200, 30)
  expect(await types(org)).toEqual(['check.down', ...Array(3).fill('check.reminder'), 'check.up'])
})

test('a check whose resend_interval_sec is 0 is told once', async () => {
  const { org, run } = await story({ resend_interval_sec: 0 })
  await run('F')
  await pass(3600, 60)
  expect(await types(org)).toEqual(['check.down'])
})

test('an interval that changes while it is down holds from then on', async () => {
  const { org, run, change } = await story()
  await run('F')
  await pass(600, 30)
  await change({ resend_interval_sec: 0 })
  await pass(3600, 60)
  expect(await types(org)).toEqual(['check.down', 'check.reminder'])
  await change({ resend_interval_sec: 60 })
  await pass(120)
  // The first is long due; the next comes a minute after it.
  expect(await types(org)).toEqual(['check.down', ...Array(3).fill('check.reminder')])
  await change({ resend_interval_sec: 3600 })
  await pass(3500, 50)
  expect(await types(org)).toHaveLength(4)
})

test('after a pause of the worker there is one reminder, and the next a whole interval later', async () => {
  const { org, run } = await story()
  await run('F')
  w.clock.forward(86_400)
  await pass(570, 30)
  expect(await types(org)).toEqual(['check.down', 'check.reminder'])
  await pass(60, 30)
  expect(await types(org)).toEqual(['check.down', 'check.reminder', 'check.reminder'])
})

test('what is stored by now is judged first: one that has recovered is not repeated', async () => {
  const { org, run } = await story()
  await run('F')
  // As it is when the success is committed between the judging of the failure and its commit.
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
     select org_id, check_id, ran_at + interval '1 second', 1, 200, true, monitor_id from results where org_id = $1`,
    org.org_id,
  )
  w.clock.forward(600)
  await remind(w.deps)
  expect(await types(org)).toEqual(['check.down', 'check.up'])
})

test.each([
  ['paused', (guid: string) => switchCheck(w.deps, guid, false)],
  ['deleted', (guid: string) => deleteCheck(w.deps, guid)],
])('a check that is %s while down is not repeated', async (_, change) => {
  const { org, guid, run } = await story()
  await run('F')
  await change(guid)
  await pass(1200, 30)
  expect(await types(org)).toEqual(['check.down'])
})

test('where monitors disagree, a reminder says how many of them see it failing', async () => {
  const { org, run, monitor } = await story({ down_interval_sec: 2 })
  const [second, third] = [await w.monitor(org, 'rack 5'), await w.monitor(org, 'rack 6')]
  await run('S', { by: third })
  for (const by of [monitor, second, monitor]) {
    w.clock.forward(60)
    await run('F', { by })
  }
  await pass(600, 30)
  const [down, reminder] = await told(org)
  expect([down?.type, reminder?.type]).toEqual(['check.down', 'check.reminder'])
  const views = reminder?.data.monitors.map(({ name, failing }) => `${name}: ${failing ? 'failing' : 'fine'}`)
  expect(views?.sort()).toEqual(['rack 4: failing', 'rack 5: failing', 'rack 6: fine'])
  expect(reminder?.data.failures).toBe(3)
})

test('failures in a row are counted also when they are very many', async () => {
  const { org, guid, monitor, run } = await story()
  await run('F')
  const many = (from: number) =>
    Array.from({ length: 400 }, (_, i) => result(guid, { ran_at: now(-1 - from - i), success: false, error: 'no' }))
  await monitor.client.upload(many(0))
  w.clock.forward(600)
  await remind(w.deps)
  expect((await told(org))[1]?.data).toMatchObject({ failures: 401, reminder: 1 })
})

test('a reminder goes only to channels on which nothing of the check still waits', async () => {
  const { org, run } = await story()
  const channel = { name: 'hook', kind: 'webhook', webhook_url: 'https://hooks.example/' }
  await createChannel(w.deps, org.org_id, channel)
  await run('F')
  await pass(600, 30)
  const sent = () =>
    w.rows(
      'select type from deliveries join events using (org_id, event_id) where org_id = $1 order by delivery_id',
      org.org_id,
    )
  expect(await sent()).toEqual([{ type: 'check.down' }])
  await w.rows("update deliveries set state = 'delivered', next_attempt_at = null where org_id = $1", org.org_id)
  await pass(600, 30)
  expect(await sent()).toEqual([{ type: 'check.down' }, { type: 'check.reminder' }])
})

test('several workers at once repeat each check once, and share the work', async () => {
  const stories = []
  for (let i = 0; i < 6; i++) stories.push(await story())
  for (const { run } of stories) await run('F')
  for (let round = 1; round <= 3; round++) {
    w.clock.forward(600)
    await Promise.all([1, 2, 3, 4].map(() => remind(w.deps)))
    // What one worker held, another may have left to it.
    for (const { org } of stories) expect(await types(org)).toHaveLength(1 + round)
  }
})

test('a check that somebody holds is left to them, and holds nobody up', async () => {
  const [held, free] = [await story(), await story()]
  for (const { run } of [held, free]) await run('F')
  w.clock.forward(600)
  await w.deps.database.machines.transaction().execute(async (trx) => {
    await lockChecksToJudge(trx, [await keyOf(held.guid)])
    await remind(w.deps)
    expect([await types(held.org), await types(free.org)]).toEqual([['check.down'], ['check.down', 'check.reminder']])
  })
  await remind(w.deps)
  expect(await types(held.org)).toEqual(['check.down', 'check.reminder'])
})

test('reminders while results come in and a check is paused lead to no deadlock', async () => {
  const { org, guid, run } = await story({ resend_interval_sec: 1 })
  for (let round = 0; round < 20; round++) {
    await run('F')
    w.clock.forward(2)
    await Promise.all([remind(w.deps), run(round % 2 ? 'S' : 'F'), remind(w.deps), switchCheck(w.deps, guid, false)])
    await switchCheck(w.deps, guid, true)
    w.clock.forward(1)
  }
  const [open] = await w.rows(
    'select count(*) as open from incidents where org_id = $1 and ended_at is null',
    org.org_id,
  )
  expect(open?.open).toBeLessThanOrEqual(1)
})

const signal = (kind: Ping['kind'], exit_code: number | null = null) => ({ kind, exit_code, rid: null, body: null })

async function heartbeatStory(resend_interval_sec: number) {
  const org = await w.org()
  const wanted = { name: 'backup', interval_sec: 3600, grace_sec: 60, resend_interval_sec, show_on_status_page: false }
  const { guid, token } = await createHeartbeat(w.deps, org.org_id, wanted)
  const call = async (signal: Ping) =>
    takePing(w.deps, await findHeartbeatOfToken(w.deps, token), signal, w.clock.now())
  return { org, guid, call }
}

test('a heartbeat that stays down is repeated with the reason why it went down, until its job calls', async () => {
  const { org, guid, call } = await heartbeatStory(600)
  await call(signal('beat'))
  w.clock.forward(60)
  await call(signal('exit_code', 3))
  await pass(1290, 30)
  const [down, first, second, ...more] = await told(org)
  expect(more).toEqual([])
  expect([down, first, second].map((one) => one?.type)).toEqual([
    'heartbeat.down',
    ...Array(2).fill('heartbeat.reminder'),
  ])
  expect(second?.data).toMatchObject({
    heartbeat: { guid, name: 'backup' },
    state: 'down',
    previous_state: 'down',
    incident_id: down?.data.incident_id,
    since: down?.data.since,
    duration_sec: 1200,
    reminder: 2,
    reason: 'exit_code',
    exit_code: 3,
  })
  await call(signal('beat'))
  await pass(1200, 30)
  expect((await types(org)).slice(3)).toEqual(['heartbeat.up'])
})

test('a heartbeat that is paused while down is not repeated', async () => {
  const { org, guid, call } = await heartbeatStory(600)
  await call(signal('fail'))
  await switchHeartbeat(w.deps, guid, 'enabled', false)
  await pass(1200, 30)
  expect(await types(org)).toEqual(['heartbeat.down'])
})

/** Half a minute after the other, with all that the worker does. */
async function work(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 30) {
    w.clock.forward(30)
    await sweep(w.deps)
    await remind(w.deps)
  }
}

test('reminders end when the only monitor has left, which is told once; they go on when it is back and sees it down', async () => {
  const { org, guid, run } = await story({ resend_interval_sec: 60 })
  await sweep(w.deps)
  await run('F')
  const began = now().replace('Z', '000Z')
  await work(600)
  const told_then = await told(org)
  // Until the monitor was offline for three minutes nobody could know.
  expect(told_then.map(({ type }) => type)).toEqual([
    'check.down',
    'check.reminder',
    'check.reminder',
    ...(told_then.length === 5 ? ['check.reminder'] : []),
    'monitor.offline',
  ])
  expect(told_then.at(-1)?.data).toMatchObject({
    unmonitored: { count: 1, down: [{ guid, name: 'shop', down_since: began }] },
  })
  await run('F')
  await work(60)
  const back = (await told(org)).slice(told_then.length)
  expect(back.map(({ type }) => type).sort()).toEqual(['check.reminder', 'monitor.online'])
  expect(back.find(({ type }) => type === 'check.reminder')?.data).toMatchObject({
    incident_id: told_then[0]?.data.incident_id,
    since: began,
  })
  await run('S')
  await work(60)
  expect((await types(org)).slice(told_then.length + back.length)).toEqual(['check.up'])
})

test('a check that was down when the shared monitors went says so in the one message, and its end when they are back', async () => {
  const org = await w.org()
  const shared = await w.monitor(null)
  const [guid = ''] = await w.checks(org, [{ ...ENTRY, resend_interval_sec: 60 }], [shared.id])
  const run = (success: boolean) => shared.client.upload([result(guid, { ran_at: now(), success })])
  await sweep(w.deps)
  await run(false)
  const began = now().replace('Z', '000Z')
  w.clock.forward(1320)
  await sweep(w.deps)
  await remind(w.deps)
  expect(await types(org)).toEqual(['check.down', 'check.unmonitored'])
  expect((await told(org))[1]?.data).toMatchObject({ check: { guid }, checks: [{ guid, down_since: began }] })
  w.clock.forward(30)
  await run(true)
  await sweep(w.deps)
  expect((await types(org)).slice(2).sort()).toEqual(['check.monitored', 'check.up'])
})

describe('after an outage of the service itself', () => {
  beforeEach(() => tellPresence(w.deps))
  afterEach(() => w.rows('with told as (delete from service_presence) delete from service_outages'))

  /** Time goes by while the service can be called. */
  async function up(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 5) {
      w.clock.forward(5)
      await w.rows('update service_presence set alive_at = $1', w.clock.now())
      await remind(w.deps)
    }
  }

  test('a check is repeated when a monitor has seen it again, and not by what it was before', async () => {
    const { org, run } = await story()
    await run('F')
    w.clock.forward(900)
    expect(await remind(w.deps)).toBe(0)
    await tellPresence(w.deps)
    await up(60)
    expect(await types(org)).toEqual(['check.down'])
    await run('S', { ago: 1 })
    await up(10)
    expect(await types(org)).toEqual(['check.down', 'check.up'])
  })

  test('one that is still down is repeated with its next result, or after three minutes without any', async () => {
    const [seen, unseen] = [await story(), await story()]
    await seen.run('F')
    await unseen.run('F')
    w.clock.forward(900)
    await tellPresence(w.deps)
    await up(30)
    await seen.run('F')
    await up(5)
    expect(await types(seen.org)).toEqual(['check.down', 'check.reminder'])
    await up(140)
    expect(await types(unseen.org)).toEqual(['check.down'])
    await up(10)
    expect(await types(unseen.org)).toEqual(['check.down', 'check.reminder'])
  })

  test('a heartbeat is repeated when its job had the time to call', async () => {
    const org = await w.org()
    const { token } = await createHeartbeat(w.deps, org.org_id, {
      ...{ name: 'backup', interval_sec: 60, grace_sec: 30, resend_interval_sec: 600, show_on_status_page: false },
    })
    const place = await findHeartbeatOfToken(w.deps, token)
    await takePing(w.deps, place, { kind: 'fail', exit_code: null, rid: null, body: null }, w.clock.now())
    w.clock.forward(900)
    expect(await remind(w.deps)).toBe(0)
    await tellPresence(w.deps)
    await up(85)
    expect(await types(org)).toEqual(['heartbeat.down'])
    await up(10)
    expect(await types(org)).toEqual(['heartbeat.down', 'heartbeat.reminder'])
  })
})

test('an organisation that is resumed hears of a check again with its next result, and not of one from before', async () => {
  const { org, run } = await story({ resend_interval_sec: 60 })
  await run('F')
  await suspendOrganisation(w.deps, org.org_id)
  await pass(86_400, 3600)
  await resumeOrganisation(w.deps, org.org_id)
  await pass(90)
  expect(await types(org)).toEqual(['check.down'])
  await run('F')
  await pass(5)
  expect(await types(org)).toEqual(['check.down', 'check.reminder'])
})
