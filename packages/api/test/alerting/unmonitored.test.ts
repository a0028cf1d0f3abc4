// What becomes of checks that nobody runs.

import { tellPresence } from '@dogwatch/domain/availability'
import { assignMonitors, unassignMonitors } from '@dogwatch/domain/checks/assign'
import { deleteCheck, switchCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { patienceMs, sweepUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { retireMonitor, switchMonitor } from '@dogwatch/domain/monitors/switches'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'
import { manyChecks, pass, run, sweep, told, types } from './silence.ts'

let w: World
let org: Org
let monitor: Monitor
beforeEach(async () => {
  w = await world()
  org = await w.org()
  monitor = await w.monitor(org)
})
afterEach(() => w.close())

/** An agent that is there and runs nothing. */
const idle = () => monitor.client.ping()

/** Time passes at once; who is there makes itself heard before the sweeps. */
async function leap(seconds: number, ...there: (() => Promise<unknown>)[]): Promise<void> {
  w.clock.forward(seconds)
  for (const speak of there) await speak()
  await sweep(w.deps)
}

async function check(entry: Record<string, unknown> = {}): Promise<string> {
  const [guid = ''] = await w.checks(org, [{ name: 'shop', ...entry }], 'all')
  return guid
}

const cases: { name: string; given: Parameters<typeof patienceMs>[0]; want: number }[] = [
  {
    name: 'two turns, a run and the time until it is here',
    given: { interval_sec: 600, timeout_sec: 30, monitors: 1 },
    want: 1290,
  },
  { name: 'turns of all its monitors', given: { interval_sec: 300, timeout_sec: 0, monitors: 3 }, want: 1870 },
  {
    name: 'no less than it takes until a monitor is offline',
    given: { interval_sec: 30, timeout_sec: 10, monitors: 1 },
    want: 180,
  },
  {
    name: 'a turn of one when no monitor is active',
    given: { interval_sec: 600, timeout_sec: 10, monitors: 0 },
    want: 1270,
  },
]
test.each(cases)('patience lasts $name', ({ given, want }) => {
  expect(patienceMs(given)).toBe(want * 1000)
})

test('a check whose runs stop is unmonitored after two turns, and monitored with its next; each told once', async () => {
  const guid = await check()
  await pass(w, 600, () => run(w, monitor, [guid]))
  const last = w.clock.now().toISOString().replace('Z', '000Z')
  await pass(w, 180, idle)
  expect(await types(w, org)).toEqual([])
  await pass(w, 30, idle)
  const [lost, ...more] = await told(w, org)
  expect(more).toEqual([])
  expect(lost).toMatchObject({ type: 'check.unmonitored', subject: 'coverage' })
  expect(lost?.data).toMatchObject({
    state: 'unmonitored',
    check: { guid, name: 'shop', url: 'https://example.com/' },
    checks: [{ guid, since: last, last_result_at: last }],
    still_unmonitored: [],
  })
  expect(lost?.data.checks[0]).not.toHaveProperty('down_since')
  await pass(w, 600, idle)
  await pass(w, 120, () => run(w, monitor, [guid]))
  expect(await types(w, org)).toEqual(['check.unmonitored', 'check.monitored'])
  expect((await told(w, org))[1]?.data).toMatchObject({ state: 'monitored', checks: [{ guid, since: last }] })
})

test('late results that are old themselves do not make it monitored', async () => {
  const guid = await check()
  await pass(w, 1200, idle)
  await run(w, monitor, [guid], 900)
  await sweep(w.deps)
  expect(await types(w, org)).toEqual(['check.unmonitored'])
  await run(w, monitor, [guid])
  await sweep(w.deps)
  expect(await types(w, org)).toEqual(['check.unmonitored', 'check.monitored'])
})

test('a result that ran ahead of our clock is no sign of life before its time', async () => {
  const guid = await check()
  await run(w, monitor, [guid], -86_400)
  await pass(w, 330, idle)
  expect(await types(w, org)).toEqual(['check.unmonitored'])
})

test('a check that runs every ten minutes on two monitors is waited for two turns of both, also over many days', async () => {
  const second = await w.monitor(org)
  const guid = await check({ interval_sec: 600 })
  await sweep(w.deps)
  await run(w, monitor, [guid])
  await leap(2460, idle, () => second.client.ping())
  expect(await types(w, org)).toEqual([])
  await leap(30, idle, () => second.client.ping())
  expect(await types(w, org)).toEqual(['check.unmonitored'])
})

test('a check that runs once a day is known to have run, although that was long ago', async () => {
  const guid = await check({ interval_sec: 86_400 })
  await sweep(w.deps)
  await run(w, monitor, [guid])
  await leap(1.9 * 86_400, idle)
  expect(await types(w, org)).toEqual([])
  await leap(0.2 * 86_400, idle)
  expect(await types(w, org)).toEqual(['check.unmonitored'])
})

test('a new check that never runs is unknown until its first turns were missed, and unmonitored since it was made', async () => {
  const guid = await check()
  const made = w.clock.now().toISOString().replace('Z', '000Z')
  await sweep(w.deps)
  await leap(180, idle)
  expect(await types(w, org)).toEqual([])
  await leap(30, idle)
  const [lost] = await told(w, org)
  expect(lost?.data.checks).toMatchObject([{ guid, since: made }])
  expect(lost?.data.checks[0]).not.toHaveProperty('last_result_at')
})

test('a check without monitors is told to nobody', async () => {
  await w.checks(org, [{}])
  await sweep(w.deps)
  await leap(3600, idle)
  expect(await types(w, org)).toEqual([])
})

test('a shared monitor that leaves 500 checks of an org alone is one message, and one when it is back', async () => {
  const shared = await w.monitor(null)
  const guids = await manyChecks(w, org, 500, [shared])
  const other = await w.org()
  const theirs = await w.checks(other, [{ name: 'theirs' }], [shared.id])
  await pass(w, 60, () => run(w, shared, [...guids, ...theirs]))
  await pass(w, 240, idle)
  await leap(3600, idle)
  const [lost, ...more] = await told(w, org)
  expect(more).toEqual([])
  expect(lost?.data.checks.map(({ guid }) => guid).sort()).toEqual([...guids].sort())
  expect(lost?.data.check).toBeUndefined()
  expect((await told(w, other)).map(({ data }) => data.check)).toMatchObject([{ name: 'theirs' }])
  await pass(w, 120, () => run(w, shared, guids))
  expect(await types(w, org)).toEqual(['check.unmonitored', 'check.monitored'])
  expect((await told(w, org))[1]?.data.checks).toHaveLength(500)
})

test('who did not get the first message learns the rest from the next, which takes its place', async () => {
  const guids = await w.checks(org, [{ name: 'a' }, { name: 'b' }, { name: 'c', interval_sec: 600 }], 'all')
  const [a, b] = guids as [string, string, string]
  await pass(w, 2400, () => run(w, monitor, [a]))
  const [first, second] = await told(w, org)
  expect(first?.data).toMatchObject({ check: { name: 'b' }, still_unmonitored: [] })
  expect(second?.data).toMatchObject({ check: { name: 'c' }, still_unmonitored: [{ guid: b, name: 'b' }] })
})

test('an outage of the service of an hour is no silence of theirs', async () => {
  // Of the shared fleet, whose monitors are not told of by themselves.
  const shared = await w.monitor(null)
  const [guid = ''] = await w.checks(org, [{}], [shared.id])
  await tellPresence(w.deps)
  await sweep(w.deps)
  await run(w, shared, [guid])
  w.clock.forward(3600)
  // The worker is up before anybody could call us.
  await sweep(w.deps)
  await tellPresence(w.deps)
  await sweep(w.deps)
  expect(await types(w, org)).toEqual([])
  const up = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 5) {
      w.clock.forward(5)
      await tellPresence(w.deps)
      await sweepUnmonitored(w.deps)
    }
  }
  await up(170)
  expect(await types(w, org)).toEqual([])
  await up(15)
  expect(await types(w, org)).toEqual(['check.unmonitored'])
})

test.each([
  ['paused', (guid: string) => switchCheck(w.deps, guid, false)],
  ['deleted', (guid: string) => deleteCheck(w.deps, guid)],
  ['taken from its monitors', (guid: string) => unassignMonitors(w.deps, guid, 'all')],
])('a check that is %s while unmonitored is forgotten and told to nobody', async (_, change) => {
  const guid = await check()
  await pass(w, 330, idle)
  await change(guid)
  await pass(w, 600, idle)
  expect(await types(w, org)).toEqual(['check.unmonitored'])
  expect(await w.rows('select from check_states where unmonitored_since is not null')).toEqual([])
})

test.each<[string, (guid: string) => Promise<unknown>]>([
  ['disabled', () => switchMonitor(w.deps, monitor.id, 'enabled', false)],
  ['switched off by the platform', () => switchMonitor(w.deps, monitor.id, 'platform_enabled', false)],
  ['retired', () => retireMonitor(w.deps, monitor.id)],
  ['unassigned', (guid) => unassignMonitors(w.deps, guid, 'all')],
])('a check that is down closes its incident when its only monitor is %s, and alerts nobody', async (_, leave) => {
  const guid = await check()
  await sweep(w.deps)
  const ran_at = w.clock.now().toISOString()
  await monitor.client.upload([result(guid, { ran_at, success: false, error: 'refused: no' })])
  await leave(guid)
  await leap(30)
  expect(await w.rows('select end_reason from incidents')).toEqual([{ end_reason: 'disabled' }])
  await leap(60)
  await rejudgeChecks(w.deps)
  expect(await types(w, org)).toEqual(['check.down'])
})

test('a check that is paused and goes on is waited for anew', async () => {
  const guid = await check()
  await sweep(w.deps)
  await leap(330, idle)
  await switchCheck(w.deps, guid, false)
  await leap(330, idle)
  await switchCheck(w.deps, guid, true)
  await sweep(w.deps)
  await leap(180, idle)
  expect(await types(w, org)).toEqual(['check.unmonitored'])
  await leap(30, idle)
  expect(await types(w, org)).toEqual(['check.unmonitored', 'check.unmonitored'])
})

test('a private definition is told without a target, and one that is wiped later takes it out of what was told', async () => {
  const [secret = '', open = ''] = await w.checks(org, [{ url: '' }, { url: 'https://hidden.example/' }], 'all')
  await pass(w, 330, idle)
  const checks = async () => (await told(w, org))[0]?.data.checks ?? []
  expect((await checks()).find(({ guid }) => guid === secret)).not.toHaveProperty('url')
  expect(await checks()).toHaveLength(2)
  await wipeDefinition(w.deps, open)
  expect((await checks()).map(({ guid }) => guid).sort()).toEqual([secret, open].sort())
  expect(JSON.stringify(await told(w, org))).not.toContain('hidden')
})

test('several workers at once tell once', async () => {
  const shared = await w.monitor(null)
  const guids = await w.checks(org, Array(20).fill({}), [shared.id])
  for (let round = 1; round <= 5; round++) {
    await run(w, shared, guids)
    await Promise.all([1, 2, 3, 4].map(() => sweepUnmonitored(w.deps)))
    w.clock.forward(330)
    await Promise.all([1, 2, 3, 4].map(() => sweepUnmonitored(w.deps)))
    const all = await told(w, org)
    expect(all.flatMap(({ type, data }) => data.checks.map(() => type))).toHaveLength(20 * (2 * round - 1))
    expect(all.filter(({ type }) => type === 'check.unmonitored')).toHaveLength(round)
  }
})

test('a check that a monitor takes over is waited for anew', async () => {
  const [guid = ''] = await w.checks(org, [{}])
  await leap(3600, idle)
  await assignMonitors(w.deps, guid, 'all')
  await sweep(w.deps)
  await leap(180, idle)
  expect(await types(w, org)).toEqual([])
  await leap(30, idle)
  expect(await types(w, org)).toEqual(['check.unmonitored'])
})

test('a database clock that was an hour ahead keeps nobody from noticing: the sync stamp is no time', async () => {
  const guid = await check()
  await sweep(w.deps)
  await run(w, monitor, [guid])
  await w.rows(`
    begin;
    set local session_replication_role = replica;
    update checks set updated_at = '2026-11-20T13:00:00Z';
    update check_schedules set watched_since = '2026-11-20T13:00:00Z';
    commit`)
  await sweep(w.deps)
  await leap(210, idle)
  expect(await types(w, org)).toEqual(['check.unmonitored'])
})

describe('a check of which no monitor is online', () => {
  const since = async (guid: string) =>
    (
      await w.rows(
        `select wire_time(unmonitored_since) as since, coalesce(unmonitored_quietly, false) as is_quiet
         from checks left join check_states using (org_id, check_id) where guid = $1`,
        guid,
      )
    )[0]
  const watched = { since: null, is_quiet: false }

  test('is unmonitored three minutes after the last of them was seen, which the message about that monitor tells', async () => {
    const guid = await check({ interval_sec: 3600 })
    await sweep(w.deps)
    await run(w, monitor, [guid])
    await leap(60, idle)
    const seen = w.clock.now().toISOString().replace('Z', '000Z')
    await leap(170)
    expect(await since(guid)).toEqual(watched)
    await leap(15)
    expect(await since(guid)).toEqual({ since: seen, is_quiet: true })
    const [offline, ...more] = await told(w, org)
    expect(more).toEqual([])
    expect(offline).toMatchObject({ type: 'monitor.offline', data: { unmonitored: { count: 1, down: [] } } })
    // It is back, and its turn is not over: the result of a minute before it went is still one to go by.
    await leap(600, idle)
    expect(await since(guid)).toEqual(watched)
    expect(await types(w, org)).toEqual(['monitor.offline', 'monitor.online'])
  })

  test('stays unmonitored when its monitor is back until a result of it is', async () => {
    const guid = await check()
    await sweep(w.deps)
    await run(w, monitor, [guid])
    await leap(1320)
    expect(await since(guid)).toMatchObject({ is_quiet: true })
    await leap(30, idle)
    expect(await since(guid)).toMatchObject({ is_quiet: true })
    await leap(60, () => run(w, monitor, [guid]))
    expect(await since(guid)).toEqual(watched)
    expect(await types(w, org)).toEqual(['monitor.offline', 'monitor.online'])
  })

  test('is told of by itself when its monitor is back and does not run it', async () => {
    const guid = await check()
    await sweep(w.deps)
    await run(w, monitor, [guid])
    await leap(1320)
    await leap(30, idle)
    await leap(180, idle)
    expect(await types(w, org)).toEqual(['monitor.offline', 'monitor.online'])
    await leap(30, idle)
    expect(await types(w, org)).toEqual(['monitor.offline', 'monitor.online', 'check.unmonitored'])
    await leap(30, () => run(w, monitor, [guid]))
    expect((await types(w, org)).at(-1)).toBe('check.monitored')
    expect(await since(guid)).toEqual(watched)
  })

  test('of the shared fleet is told: one message for all checks of the org, and one when it is back', async () => {
    const [one, two] = [await w.monitor(null), await w.monitor(null)]
    const guids = await w.checks(
      org,
      [{ name: 'a', interval_sec: 30 }, { name: 'b', interval_sec: 3600 }, { name: 'c' }],
      [one.id, two.id],
    )
    await sweep(w.deps)
    await run(w, one, guids)
    await leap(30, idle, () => run(w, two, guids))
    await leap(170, idle)
    expect(await types(w, org)).toEqual([])
    await leap(30, idle)
    const [lost, ...more] = await told(w, org)
    expect(more).toEqual([])
    expect(lost?.type).toBe('check.unmonitored')
    expect(lost?.data.checks.map(({ guid }) => guid).sort()).toEqual([...guids].sort())
    await leap(3600, idle)
    await leap(30, idle, () => run(w, two, guids))
    expect(await types(w, org)).toEqual(['check.unmonitored', 'check.monitored'])
  })

  test('is told when those of the fleet go after the monitor of its own, which was another message', async () => {
    const shared = await w.monitor(null)
    const [guid = ''] = await w.checks(org, [{}], [shared.id, monitor.id])
    await sweep(w.deps)
    await run(w, monitor, [guid])
    await leap(120, () => run(w, shared, [guid]))
    await leap(90, () => run(w, shared, [guid]))
    expect(await types(w, org)).toEqual(['monitor.offline'])
    expect((await told(w, org))[0]?.data).toMatchObject({ unmonitored: { count: 0 } })
    await leap(210)
    expect(await types(w, org)).toEqual(['monitor.offline', 'check.unmonitored'])
  })
})

test('of three monitors one that is online and runs nothing does not keep it watched by those that left', async () => {
  const others = [await w.monitor(org, 'b'), await w.monitor(org, 'c')]
  const guid = await check({ interval_sec: 300 })
  await sweep(w.deps)
  await leap(60, ...[monitor, ...others].map((one) => () => run(w, one, [guid])))
  await leap(1500, idle, () => run(w, others[0] as Monitor, [guid]))
  // The others left 25 minutes after it ran last: it misses its second turn six minutes later.
  await leap(210, idle)
  expect(await types(w, org)).toEqual(['monitor.offline', 'monitor.offline'])
  await leap(180, idle)
  expect(await types(w, org)).toEqual(['monitor.offline', 'monitor.offline', 'check.unmonitored'])
})

test('a monitor whose clock is ten minutes behind keeps its check watched, since its clock is corrected', async () => {
  const guid = await check()
  await sweep(w.deps)
  const behind = async () => {
    const at = new Date(w.clock.now().getTime() - 600_000).toISOString()
    const sent = { results: [result(guid, { ran_at: at })], sent_at: at }
    const { status } = await w.http.post(`${PREFIX}/results`).set('Authorization', `Bearer ${monitor.key}`).send(sent)
    expect(status).toBe(200)
  }
  for (let minute = 0; minute < 6; minute++) await leap(60, behind)
  expect(await types(w, org)).toEqual([])
  const last = w.clock.now().toISOString().replace('Z', '000Z')
  await leap(300, idle)
  const [lost, ...more] = await told(w, org)
  expect(more).toEqual([])
  expect(lost).toMatchObject({ type: 'check.unmonitored', data: { checks: [{ since: last, last_result_at: last }] } })
  await leap(60, behind)
  expect(await types(w, org)).toEqual(['check.unmonitored', 'check.monitored'])
})
