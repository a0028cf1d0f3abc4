// Who hears that something is well again: those who heard that it was not.

import { createChannel, switchOneChannel } from '@dogwatch/domain/channels/edit'
import { sweepPresence } from '@dogwatch/domain/monitors/presence'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Org, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const channel = async (org: Org, name: string) =>
  (await createChannel(w.deps, org.org_id, { kind: 'email', name, email: `${name}@example.com` })).id

/** What each channel is told, in order: `early check.down`. */
async function told(org: Org): Promise<string[]> {
  const rows = await w.rows(
    `select c.name || ' ' || e.type as line from deliveries d join events e using (org_id, event_id)
     join notification_channels c on c.org_id = d.org_id and c.id = d.channel_id
     where d.org_id = $1 order by e.created_at, c.id`,
    org.org_id,
  )
  return rows.map(({ line }) => String(line))
}

async function down(w_: World, org: Org) {
  const monitor = await w_.monitor(org)
  const [guid = ''] = await w_.checks(org, [{ resend_interval_sec: 0 }], 'all')
  const run = async (success: boolean) => {
    await monitor.client.upload([result(guid, { success, ran_at: w_.clock.now().toISOString() })])
    w_.clock.forward(10)
  }
  await run(false)
  return { run, monitor, guid }
}

test('a channel that is made or switched on while a check is down does not hear of it alone that it is up', async () => {
  const org = await w.org()
  const [, off] = [await channel(org, 'early'), await channel(org, 'off')]
  await switchOneChannel(w.deps, { org_id: org.org_id, id: off }, false)
  const { run } = await down(w, org)
  await switchOneChannel(w.deps, { org_id: org.org_id, id: off }, true)
  await channel(org, 'late')
  await run(true)
  await run(false)
  expect(await told(org)).toEqual([
    'early check.down',
    'early check.up',
    'early check.down',
    'off check.down',
    'late check.down',
  ])
})

test('one that was switched off before it was told and on again hears nothing of that incident', async () => {
  const org = await w.org()
  const id = await channel(org, 'early')
  const { run } = await down(w, org)
  for (const on of [false, true]) await switchOneChannel(w.deps, { org_id: org.org_id, id }, on)
  await run(true)
  expect(await told(org)).toEqual(['early check.down'])
})

test('where it is forgotten who was told, all are', async () => {
  const org = await w.org()
  await channel(org, 'early')
  const { run } = await down(w, org)
  await w.rows(
    'with gone as (delete from deliveries where org_id = $1) delete from events where org_id = $1',
    org.org_id,
  )
  await run(true)
  expect(await told(org)).toEqual(['early check.up'])
})

test('a monitor that is back, and its checks, are told where their absence was', async () => {
  const org = await w.org()
  await channel(org, 'early')
  const monitor = await w.monitor(org)
  w.clock.forward(60)
  await monitor.client.ping()
  await w.rows("update service_presence set alive_at = 'infinity'")
  w.clock.forward(200)
  await sweepPresence(w.deps)
  await channel(org, 'late')
  w.clock.forward(10)
  await monitor.client.ping()
  await sweepPresence(w.deps)
  expect(await told(org)).toEqual(['early monitor.offline', 'early monitor.online'])
})
