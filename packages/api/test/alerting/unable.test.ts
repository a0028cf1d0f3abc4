// A check that none of its monitors can run is unmonitored, and says why; what its monitors still report counts for nothing.

import { unassignMonitors } from '@dogwatch/domain/checks/assign'
import { judgeUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { messageFor } from '../../../alerting/src/message.ts'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'
import { pass, run, told, types } from './silence.ts'

const STATUS = { version: '1.2.3', uptime_sec: 60, unsent_results: 0 }

let w: World
let org: Org
let monitor: Monitor
let guid: string
beforeEach(async () => {
  w = await world()
  org = await w.org()
  monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{ name: 'db', url: 'tcp://db.example.com:5432' }], 'all')
})
afterEach(() => w.close())

const say = (one: Monitor, ...abilities: string[]) => one.client.reportStatus({ ...STATUS, abilities })
const fail = (one: Monitor) =>
  one.client.upload([result(guid, { ran_at: w.clock.now().toISOString(), success: false, error: 'config: tcp' })])
const openIncidents = () =>
  w.rows('select incident_id from incidents where org_id = $1 and ended_at is null', org.org_id)

test('an alert names the missing ability, and another follows when a monitor can run the check', async () => {
  await pass(w, 120, () => run(w, monitor, [guid]))
  await say(monitor, 'http')
  await pass(w, 150, () => monitor.client.ping())
  expect(await types(w, org)).toEqual([])
  await pass(w, 120, () => monitor.client.ping())
  const [lost, ...more] = await told(w, org)
  expect(more).toEqual([])
  expect(lost).toMatchObject({
    type: 'check.unmonitored',
    data: { checks: [{ guid, name: 'db', missing_abilities: ['tcp'] }] },
  })
  const message = messageFor(
    { type: 'check.unmonitored', timestamp: w.clock.now().toISOString(), data: lost?.data },
    '',
  )
  expect(JSON.stringify(message)).toContain('missing ability: tcp')
  await say(monitor, 'http', 'tcp')
  await pass(w, 120, () => run(w, monitor, [guid]))
  expect(await types(w, org)).toEqual(['check.unmonitored', 'check.monitored'])
})

test('is not told while one of its monitors can run it', async () => {
  const second = await w.monitor(org)
  await say(second, 'http')
  const both = () => Promise.all([run(w, monitor, [guid]), second.client.ping()])
  await pass(w, 600, both)
  expect(await types(w, org)).toEqual([])
})

test('keeps its open incident, until people take its monitors away', async () => {
  await fail(monitor)
  expect(await types(w, org)).toEqual(['check.down'])
  w.clock.forward(61)
  await say(monitor, 'http')
  await pass(w, 600, () => monitor.client.ping())
  await judgeUnmonitored(w.deps)
  expect(await openIncidents()).toHaveLength(1)
  const lost = (await told(w, org)).at(-1)
  expect(lost?.data.checks).toMatchObject([{ guid, missing_abilities: ['tcp'], down_since: expect.any(String) }])
  await unassignMonitors(w.deps, guid, 'all')
  await judgeUnmonitored(w.deps)
  expect(await openIncidents()).toEqual([])
})

test('does not go down by what a monitor reports that cannot run it, but by what it reported before', async () => {
  await run(w, monitor, [guid])
  w.clock.forward(61)
  await say(monitor, 'http')
  w.clock.forward(1)
  await fail(monitor)
  expect(await types(w, org)).toEqual([])
  w.clock.forward(61)
  await say(monitor, 'tcp')
  await fail(monitor)
  expect(await types(w, org)).toEqual(['check.down'])
})
