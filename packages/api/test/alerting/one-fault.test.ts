// What cannot be told to one org keeps nobody else from being told.

import { sweepUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { remind } from '@dogwatch/domain/events/remind'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { sweepPresence } from '@dogwatch/domain/monitors/presence'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type Org, result, type World, world } from '../support/world.ts'
import { types } from './silence.ts'

let w: World
let complaints: Record<string, unknown>[]
beforeEach(async () => {
  complaints = []
  w = await world()
  w.deps.log = Object.assign(Object.create(w.deps.log) as typeof w.deps.log, {
    error: (facts: Record<string, unknown>) => void complaints.push(facts),
  })
})
afterEach(() => w.close())

/** From now on the database refuses every event of an org. */
async function poison({ org_id }: Org): Promise<void> {
  await w.rows(`create function no_event() returns trigger language plpgsql as $$ begin raise 'no'; end $$`)
  await w.rows(
    `create trigger no_event before insert on events for each row when (new.org_id = ${org_id}) execute function no_event()`,
  )
}

/** Three, the first of which comes before the others wherever there is an order. */
async function orgs(): Promise<[Org, Org, Org]> {
  return [await w.org(), await w.org(), await w.org()]
}

const complainedOf = () => complaints.map(({ org_id }) => org_id)

test('reminders of a check that cannot be written stop no others', async () => {
  const all = await orgs()
  for (const org of all) {
    const monitor = await w.monitor(org)
    const [guid = ''] = await w.checks(org, [{ resend_interval_sec: 600 }], 'all')
    const ran_at = w.clock.now().toISOString()
    await monitor.client.upload([result(guid, { ran_at, success: false, error: 'refused' })])
  }
  await poison(all[0])
  w.clock.forward(601)
  expect(await remind(w.deps)).toBe(2)
  const told = await Promise.all(all.map((org) => types(w, org)))
  expect(told).toEqual([['check.down'], ['check.down', 'check.reminder'], ['check.down', 'check.reminder']])
  expect(complainedOf()).toContain(all[0].org_id)
  w.clock.forward(601)
  expect(await remind(w.deps)).toBe(2)
})

test('reminders of a heartbeat that cannot be written stop no others', async () => {
  const all = await orgs()
  for (const { org_id } of all) {
    const { token } = await createHeartbeat(w.deps, org_id, {
      name: 'job',
      interval_sec: 60,
      grace_sec: 0,
      resend_interval_sec: 600,
      show_on_status_page: false,
    })
    const failed = { kind: 'fail', exit_code: null, rid: null, body: null } as const
    await takePing(w.deps, await findHeartbeatOfToken(w.deps, token), failed, w.clock.now())
  }
  await poison(all[0])
  w.clock.forward(601)
  expect(await remind(w.deps)).toBe(2)
  const told = await Promise.all(all.map((org) => types(w, org)))
  expect(told.map((one) => one.includes('heartbeat.reminder'))).toEqual([false, true, true])
  expect(complainedOf()).toContain(all[0].org_id)
})

test('monitors that fell silent are told of, but for those of an org that cannot be told', async () => {
  const all = await orgs()
  for (const org of all) await (await w.monitor(org)).client.ping()
  await poison(all[0])
  w.clock.forward(181)
  expect(await sweepPresence(w.deps)).toBe(2)
  const told = await Promise.all(all.map((org) => types(w, org)))
  expect(told).toEqual([[], ['monitor.offline'], ['monitor.offline']])
  expect(complainedOf()).toEqual([all[0].org_id])
})

test('checks that nobody runs are told of, but for those of an org that cannot be told', async () => {
  const all = await orgs()
  const monitors = await Promise.all(all.map((org) => w.monitor(org)))
  for (const org of all) await w.checks(org, [{}], 'all')
  await sweepUnmonitored(w.deps)
  await poison(all[0])
  w.clock.forward(301)
  for (const { client } of monitors) await client.ping()
  expect(await sweepUnmonitored(w.deps)).toBe(2)
  const told = await Promise.all(all.map((org) => types(w, org)))
  expect(told).toEqual([[], ['check.unmonitored'], ['check.unmonitored']])
  expect(complainedOf()).toEqual([all[0].org_id])
})
