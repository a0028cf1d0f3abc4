// Checks that depend on others: timelines.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { unassignMonitors } from '@dogwatch/domain/checks/assign'
import { createCheck } from '@dogwatch/domain/checks/create-or-edit'
import { importChecks } from '@dogwatch/domain/checks/import'
import { deleteCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { retireMonitor, switchMonitor } from '@dogwatch/domain/monitors/switches'
import { releaseDue } from '@dogwatch/domain/routing/release'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { result, type World, world } from '../support/world.ts'
import { sweep } from './silence.ts'

const BY = { person_id: 1, email: 'alice@example.com', impersonator_email: null }

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** Lets time pass while the worker looks. */
async function pass(sec: number, every_sec = 5): Promise<void> {
  for (let passed = 0; passed < sec; passed += every_sec) {
    w.clock.forward(every_sec)
    await releaseDue(w.deps)
  }
}

async function story() {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [gateway = ''] = await w.checks(org, [{ name: 'gateway' }], 'all')
  const [shop = ''] = await w.checks(org, [{ name: 'shop', depends_on: gateway }], 'all')
  await createChannel(w.deps, org.org_id, { kind: 'webhook', name: 'mail', webhook_url: 'https://hooks.example/' })
  const began = w.clock.now().getTime()
  const names: Record<string, string> = { gateway, shop }
  /** `{ gateway: 'F' }` */
  const run = async (outcomes: Record<string, 'F' | 'S'>) => {
    w.clock.forward(1)
    const ran_at = w.clock.now().toISOString()
    const results = Object.entries(outcomes).map(([name, outcome]) =>
      result(names[name] ?? name, {
        ran_at,
        success: outcome === 'S',
        ...(outcome === 'F' && { error: 'refused: no' }),
      }),
    )
    await monitor.client.upload(results)
  }
  const told = async () => {
    const rows = await w.rows(
      `select e.type, e.data -> 'check' ->> 'name' as name, d.created_at from deliveries d
       join events e using (org_id, event_id) where d.org_id = $1 order by d.created_at, d.delivery_id`,
      org.org_id,
    )
    return rows.map(({ type, name }) => `${String(name)} ${String(type)}`)
  }
  const heldBy = async () =>
    (
      await w.rows(
        `select i.held_by from incidents i join checks c using (org_id, check_id) where c.guid = $1 order by began_at desc`,
        shop,
      )
    )[0]?.held_by
  const importing = (file: object[]) =>
    importChecks(
      w.deps,
      org.org_id,
      file.map((entry) => ({ name: 'x', url: 'https://example.com/', interval_sec: 60, ...entry })),
    )
  return { org, monitor, gateway, shop, began, run, told, heldBy, importing }
}

describe('a check that depends on another', () => {
  test('is not told while the other is down, and says why', async () => {
    const s = await story()
    await s.run({ gateway: 'F', shop: 'S' })
    await s.run({ shop: 'F' })
    await pass(300)
    expect([await s.told(), await s.heldBy()]).toEqual([['gateway check.down'], `dependency:${s.gateway}`])
    await s.run({ gateway: 'S', shop: 'S' })
    await pass(300)
    expect(await s.told()).toEqual(['gateway check.down', 'gateway check.up'])
  })

  test('is not told when both go down in one batch', async () => {
    const s = await story()
    await s.run({ shop: 'F', gateway: 'F' })
    await pass(120)
    expect(await s.told()).toEqual(['gateway check.down'])
  })

  test('is not told when it goes down first and the other a moment later', async () => {
    const s = await story()
    await s.run({ gateway: 'S', shop: 'S' })
    await s.run({ shop: 'F' })
    await pass(20)
    await s.run({ gateway: 'F' })
    await pass(120)
    expect(await s.told()).toEqual(['gateway check.down'])
  })

  test('is not told while the other fails but needs more failures in a row', async () => {
    const s = await story()
    await w.rows('update checks set down_interval_sec = 3 where guid = $1', s.gateway)
    await s.run({ gateway: 'F', shop: 'F' })
    await pass(20)
    await s.run({ gateway: 'F' })
    await pass(20)
    expect(await s.told()).toEqual([])
    await s.run({ gateway: 'F' })
    expect(await s.told()).toEqual(['gateway check.down'])
    await pass(600)
    expect(await s.told()).toEqual(['gateway check.down'])
  })

  test('is told as soon as the other proves to be up', async () => {
    const s = await story()
    await s.run({ gateway: 'S', shop: 'S' })
    await s.run({ shop: 'F' })
    expect(await s.told()).toEqual([])
    await s.run({ gateway: 'S' })
    await pass(10)
    expect([await s.told(), await s.heldBy()]).toEqual([['shop check.down'], null])
  })

  test('is told soon when nothing is heard of the other', async () => {
    const s = await story()
    await s.run({ shop: 'F' })
    await pass(90)
    expect(await s.told()).toEqual(['shop check.down'])
  })

  test('is told when the other is up again and one more round of results finds it down', async () => {
    const s = await story()
    await s.run({ gateway: 'F', shop: 'F' })
    await pass(60)
    await s.run({ gateway: 'S' })
    await pass(30)
    expect(await s.told()).toEqual(['gateway check.down', 'gateway check.up'])
    await s.run({ shop: 'F' })
    await pass(40)
    expect(await s.told()).toEqual(['gateway check.down', 'gateway check.up', 'shop check.down'])
  })

  test('sends the alert of a failure that waits behind a recovery, although the recovery is due first', async () => {
    const s = await story()
    await s.run({ gateway: 'S', shop: 'S' })
    await s.run({ shop: 'F' })
    await s.run({ gateway: 'S' })
    await pass(10)
    await s.run({ gateway: 'F' })
    await s.run({ shop: 'S' })
    await pass(20)
    await s.run({ shop: 'F' })
    expect(await s.told()).toEqual(['shop check.down', 'gateway check.down'])
    await s.run({ gateway: 'S' })
    await s.run({ shop: 'F' })
    await pass(120)
    expect((await s.told()).slice(2)).toEqual(['gateway check.up', 'shop check.up', 'shop check.down'])
  })

  test('is told when the other is deleted, and depends on nothing then', async () => {
    const s = await story()
    await s.run({ gateway: 'F', shop: 'F' })
    await pass(60)
    await deleteCheck(w.deps, s.gateway)
    await pass(40)
    expect(await s.told()).toContain('shop check.down')
    expect(await w.rows('select depends_on from checks where guid = $1', s.shop)).toEqual([{ depends_on: '' }])
  })

  test.each<[string, (s: Awaited<ReturnType<typeof story>>) => Promise<unknown>]>([
    ['falls silent', async () => {}],
    ['is disabled', (s) => switchMonitor(w.deps, s.monitor.id, 'enabled', false)],
    ['is switched off by the platform', (s) => switchMonitor(w.deps, s.monitor.id, 'platform_enabled', false)],
    ['is retired', (s) => retireMonitor(w.deps, s.monitor.id)],
    ['is unassigned', (s) => unassignMonitors(w.deps, s.gateway, [s.monitor.id])],
  ])('is told soon after the only monitor of the other, which is down, %s', async (_name, leave) => {
    const s = await story()
    const second = await w.monitor(s.org, 'second')
    await w.checks(s.org, [{ guid: s.shop, name: 'shop', depends_on: s.gateway }], [second.id])
    await unassignMonitors(w.deps, s.gateway, [second.id])
    const fail = () =>
      second.client.upload([
        result(s.shop, { ran_at: w.clock.now().toISOString(), success: false, error: 'refused: no' }),
      ])
    await sweep(w.deps)
    await s.run({ gateway: 'F' })
    await fail()
    expect(await s.heldBy()).toBe(`dependency:${s.gateway}`)
    await leave(s)
    for (let passed = 0; passed < 300; passed += 30) {
      w.clock.forward(30)
      await fail()
      await sweep(w.deps)
      await releaseDue(w.deps)
    }
    expect([await s.told(), await s.heldBy()]).toEqual([expect.arrayContaining(['shop check.down']), null])
  })

  test('may depend on a monitor, and is held while that is offline', async () => {
    const s = await story()
    const other = await w.monitor(s.org, 'second')
    const entry = { guid: s.shop, name: 'shop', url: 'https://example.com/', interval_sec: 60 }
    await importChecks(w.deps, s.org.org_id, [{ ...entry, depends_on: s.monitor.id }], 'all')
    await w.rows('update monitors set offline_since = $2 where id = $1', s.monitor.id, w.clock.now().toISOString())
    w.clock.forward(1)
    const ran_at = w.clock.now().toISOString()
    await other.client.upload([result(s.shop, { ran_at, success: false, error: 'refused: no' })])
    expect(await s.heldBy()).toBe(`dependency:${s.monitor.id}`)
  })
})

test('circles are refused, in an import as well; so is what does not exist, in the form', async () => {
  const s = await story()
  await expect(s.importing([{ guid: s.gateway, depends_on: s.shop }])).rejects.toThrow(
    'must not create a circular dependency',
  )
  await expect(s.importing([{ guid: s.gateway, depends_on: s.gateway }])).rejects.toThrow(
    'must not create a circular dependency',
  )
  const [a, b] = ['8f4f6c1e-52c1-4f0e-9c58-000000000001', '8f4f6c1e-52c1-4f0e-9c58-000000000002']
  await expect(
    s.importing([
      { guid: a, depends_on: b },
      { guid: b, depends_on: a },
    ]),
  ).rejects.toThrow('must not create a circular dependency')
  const entry = { name: 'new', url: 'https://example.com/', interval_sec: 60 }
  const create = (depends_on: string) =>
    createCheck(w.deps, { org_id: s.org.org_id, actor: BY }, { ...entry, depends_on }, 'all')
  await expect(create('nothing')).rejects.toThrow('check.depends_on must be')
  await expect(create((await story()).gateway)).rejects.toThrow('check.depends_on must be')
  await create(s.gateway)
})
