// Results that come while a process doubts the time are stored, and judged by whichever process trusts it.

import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { Metrics } from '@dogwatch/runtime/metrics'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fakeClock } from '../../../runtime/test/support/fake-clock.ts'
import { runChores } from '../../src/chores.ts'
import { eventually, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

test('failures and recoveries are stored in doubt, told by nobody who doubts, and told at once by another', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ interval_sec: 60 }], 'all')
  const told = async () =>
    (await w.rows('select type from events where org_id = $1 order by created_at', org.org_id)).map(({ type }) => type)
  const upload = async (success: boolean) => {
    w.clock.forward(1)
    const uploaded = await monitor.client.upload([result(guid, { ran_at: w.clock.now().toISOString(), success })])
    expect(uploaded.accepted).toBe(1)
  }
  w.clock.skew(-20)
  await upload(false)
  await rejudgeChecks(w.deps)
  expect(await told()).toEqual([])
  const right = fakeClock(w.clock.now().toISOString())
  expect(await rejudgeChecks({ ...w.deps, clock: right })).toBe(1)
  expect(await told()).toEqual(['check.down'])
  // A success alone is worth a look only where it ends something.
  await upload(true)
  expect(await told()).toEqual(['check.down'])
  w.clock.skew(0)
  await rejudgeChecks(w.deps)
  expect(await told()).toEqual(['check.down', 'check.up'])
})

test('no chore runs while the time is in doubt, and all do when it is not', async () => {
  const metrics = new Metrics()
  const runs = async () =>
    (await metrics.chore_duration.get()).values.filter(({ metricName = '' }) => /_count$/.test(metricName))
  w.clock.skew(6)
  const stop = runChores(w.deps, metrics)
  await new Promise((resolve) => setImmediate(resolve))
  expect(await runs()).toEqual([])
  w.clock.skew(0)
  await eventually(async () => (await runs()).length >= 10, 'the chores run')
  await stop()
})
