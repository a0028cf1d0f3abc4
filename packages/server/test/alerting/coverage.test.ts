// What becomes of checks that nobody runs.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { assignMonitors, unassignMonitors } from '../../src/domain/checks/assign.ts'
import { patienceMs, sweepCoverage } from '../../src/domain/checks/coverage.ts'
import { deleteCheck, switchCheck, wipeDefinition } from '../../src/domain/checks/edit.ts'
import { tellPresence } from '../../src/domain/availability.ts'
import { type Monitor, type Org, type World, world } from '../support/world.ts'
import { manyChecks, pass, run, stamp, sweep, told, types } from './silence.ts'

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

async function check(entry: Record<string, unknown> = {}): Promise<string> {
  const [guid = ''] = await w.checks(org, [{ name: 'shop', ...entry }], 'all')
  await stamp(w, org)
  return guid
}

const cases: { name: string; given: [interval_sec: number, monitors: number]; want: number }[] = [
  { name: 'three rounds', given: [600, 1], want: 1800 },
  { name: 'of all its monitors', given: [600, 4], want: 7200 },
  { name: 'and never less than five minutes', given: [30, 3], want: 300 },
  { name: 'a round takes one turn when no monitor is active', given: [600, 0], want: 1800 },
]
test.each(cases)('patience lasts $name', ({ given: [interval_sec, monitors], want }) => {
  expect(patienceMs({ interval_sec, monitors })).toBe(want * 1000)
})

test('a check whose runs stop is unmonitored after five minutes, and monitored with its next; each told once', async () => {
  const guid = await check()
  await pass(w, 600, () => run(w, monitor, [guid]))
  const last = w.clock.now().toISOString().replace('Z', '000Z')
  await pass(w, 270, idle)
  expect(await types(w, org)).toEqual([])
  await pass(w, 600, idle)
  const [lost, ...more] = await told(w, org)
  expect(more).toEqual([])
  expect(lost).toMatchObject({ type: 'check.unmonitored', subject: 'coverage' })
  expect(lost?.data).toMatchObject({
    state: 'unmonitored',
    check: { guid, name: 'shop', url: 'https://example.com/' },
    checks: [{ guid, since: last, last_result_at: last }],
    still_unmonitored: [],
  })
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

test('a check that runs every ten minutes on two monitors is waited for an hour, also over many days', async () => {
  const second = await w.monitor(org)
  const guid = await check({ interval_sec: 600 })
  const both = async () => [await idle(), await second.client.ping()]
  await run(w, monitor, [guid])
  await pass(w, 3570, both)
  expect(await types(w, org)).toEqual([])
  await pass(w, 60, both)
  expect(await types(w, org)).toEqual(['check.unmonitored'])
})

test('a check that runs once a day is known to have run, although that was long ago', async () => {
  const guid = await check({ interval_sec: 86_400 })
  await run(w, monitor, [guid])
  w.clock.forward(2.9 * 86_400)
  await idle()
  await sweep(w.deps)
  expect(await types(w, org)).toEqual([])
  w.clock.forward(0.2 * 86_400)
  await idle()
  await sweep(w.deps)
  expect(await types(w, org)).toEqual(['check.unmonitored'])
})

test('a new check that never runs is unmonitored, since it was made', async () => {
  const made = w.clock.now().toISOString().replace('Z', '000Z')
  const guid = await check()
  await pass(w, 330, idle)
  const [lost] = await told(w, org)
  expect(lost?.data.checks).toMatchObject([{ guid, since: made }])
  expect(lost?.data.checks[0]).not.toHaveProperty('last_result_at')
})

test('a check without monitors is told to nobody', async () => {
  await w.checks(org, [{}])
  await stamp(w, org)
  await pass(w, 3600, idle)
  expect(await types(w, org)).toEqual([])
})

test('a shared monitor that leaves 500 checks of an org alone is one message, and one when it is back', async () => {
  const shared = await w.monitor(null)
  const guids = await manyChecks(w, org, 500, [shared])
  const other = await w.org()
  const theirs = await w.checks(other, [{ name: 'theirs' }], [shared.id])
  for (const one of [org, other]) await stamp(w, one)
  await pass(w, 60, () => run(w, shared, [...guids, ...theirs]))
  await pass(w, 3600, idle)
  const [lost, ...more] = await told(w, org)
  expect(more).toEqual([])
  expect(lost?.data.checks.map(({ guid }) => guid).sort()).toEqual([...guids].sort())
  expect(lost?.data.check).toBeUndefined()
  expect((await told(w, other)).map(({ data }) => data.check)).toMatchObject([{ name: 'theirs' }])
  await pass(w, 120, () => run(w, shared, guids))
  expect(await types(w, org)).toEqual(['check.unmonitored', 'check.monitored'])
  expect((await told(w, org))[1]?.data.checks).toHaveLength(500)
}, 60_000)

test('who did not get the first message learns the rest from the next, which takes its place', async () => {
  const guids = await w.checks(org, [{ name: 'a' }, { name: 'b' }, { name: 'c', interval_sec: 600 }], 'all')
  await stamp(w, org)
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
  await stamp(w, org)
  await tellPresence(w.deps)
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
      await sweepCoverage(w.deps)
    }
  }
  await up(290)
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

test('a check that is paused and goes on is waited for anew', async () => {
  const guid = await check()
  await pass(w, 330, idle)
  await switchCheck(w.deps, guid, false)
  await pass(w, 330, idle)
  await switchCheck(w.deps, guid, true)
  await stamp(w, org)
  await pass(w, 270, idle)
  expect(await types(w, org)).toEqual(['check.unmonitored'])
  await pass(w, 60, idle)
  expect(await types(w, org)).toEqual(['check.unmonitored', 'check.unmonitored'])
})

test('a private definition is told without a target, and one that is wiped later takes it out of what was told', async () => {
  const [secret = '', open = ''] = await w.checks(org, [{ url: '' }, { url: 'https://hidden.example/' }], 'all')
  await stamp(w, org)
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
  await stamp(w, org)
  for (let round = 1; round <= 5; round++) {
    await run(w, shared, guids)
    await Promise.all([1, 2, 3, 4].map(() => sweepCoverage(w.deps)))
    w.clock.forward(330)
    await Promise.all([1, 2, 3, 4].map(() => sweepCoverage(w.deps)))
    const all = await told(w, org)
    expect(all.flatMap(({ type, data }) => data.checks.map(() => type))).toHaveLength(20 * (2 * round - 1))
    expect(all.filter(({ type }) => type === 'check.unmonitored')).toHaveLength(round)
  }
})

test('a check that a monitor takes over is waited for anew', async () => {
  const [guid = ''] = await w.checks(org, [{}])
  await stamp(w, org)
  await pass(w, 3600, idle)
  await assignMonitors(w.deps, guid, 'all')
  await stamp(w, org)
  await pass(w, 270, idle)
  expect(await types(w, org)).toEqual([])
  await pass(w, 60, idle)
  expect(await types(w, org)).toEqual(['check.unmonitored'])
})
