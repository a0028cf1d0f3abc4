// What a member sees of the rules by which a check is down: why it is, that it flaps, and what other rules would have told.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { expect, test } from '@jest/globals'
import { bob, fault, guidHere, oneCheck, org, stored, w } from '../support/check-pages.ts'
import { type Monitor, result } from '../support/world.ts'

const now = () => w.clock.now().toISOString()

async function run(monitor: Monitor, guid: string, outcomes: string): Promise<void> {
  for (const outcome of outcomes) {
    w.clock.forward(60)
    await monitor.client.upload([result(guid, { ran_at: now(), success: outcome === 'S' })])
  }
}

test('a new check takes a majority once there are three monitors to run it', async () => {
  await w.monitor(org)
  await w.monitor(org)
  const isTicked = async () => {
    await bob.open('/checks/new')
    return bob.all('input[name=down_majority]')[0]?.hasAttribute('checked')
  }
  expect(await isTicked()).toBe(false)
  await w.monitor(org)
  expect(await isTicked()).toBe(true)
  await bob.submit('/checks/new', { name: 'shop', url: 'https://shop.example/' })
  expect(await stored(guidHere())).toMatchObject({ down_majority: true, down_places: 0 })
})

test('the page of a check says why it is down, and that it flaps', async () => {
  const monitor = await w.monitor(org)
  const guid = await oneCheck({ down_interval_sec: 2 })
  await run(monitor, guid, 'FF')
  await bob.open(`/checks/${guid}`)
  expect(bob.text()).toContain('Trigger: 2 failures in a row.')
  expect(bob.text()).not.toContain('Flapping')
  await run(monitor, guid, 'SFFSFF')
  await bob.open(`/checks/${guid}`)
  expect(bob.text()).toContain('Flapping between up and down since')
})

test('other alert rules are tried on the results of a month, and nothing is saved', async () => {
  const monitor = await w.monitor(org)
  const guid = await oneCheck({ alert_every_change: true })
  await createChannel(w.deps, org.org_id, { kind: 'webhook', name: 'chat', webhook_url: 'https://hooks.example/' })
  await run(monitor, guid, 'FSFSFSFFFS')
  await bob.open(`/checks/${guid}/alerts`)
  expect(bob.all(`a[href="/checks/${guid}/replay"]`)).toHaveLength(1)
  await bob.open(`/checks/${guid}/replay`)
  expect(bob.all('#outcome')).toEqual([])
  await bob.submit(`/checks/${guid}/replay`, { down_interval_sec: '3' })
  expect(bob.all('#outcome')[0]?.text.trim()).toBe(
    '2 alerts with the tested settings, 8 alerts with the current settings',
  )
  expect(bob.all('input[name=down_interval_sec]')[0]?.getAttribute('value')).toBe('3')
  expect(bob.all('#outcome ~ .scroll tbody tr').map(({ text }) => text.trim())).toEqual(['chat28'])
  expect(await stored(guid)).toMatchObject({ down_interval_sec: 0 })
  await bob.submit(`/checks/${guid}/replay`, { down_places: '101' })
  expect(fault().join()).toMatch(/Monitors that must fail.*must be/)
})
