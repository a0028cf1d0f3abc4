// Checks that flap while something holds or delays their alerts, and flapping checks that really go down: timelines.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { createWindow } from '@dogwatch/domain/maintenance/edit'
import { createRoute } from '@dogwatch/domain/routing/edit'
import { releaseDue } from '@dogwatch/domain/routing/release'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** A check with a parent and one channel. `delays`: routes to further channels, in seconds. */
async function story(delays: readonly number[] = []) {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [gateway = ''] = await w.checks(org, [{ name: 'gateway', interval_sec: 30 }], 'all')
  const [shop = ''] = await w.checks(org, [{ name: 'shop', interval_sec: 30 }], 'all')
  const channels: Record<string, number> = {}
  for (const delay_sec of delays.length > 0 ? delays : [0]) {
    const name = delays.length > 0 ? `after ${delay_sec}` : 'chat'
    const { id } = await createChannel(w.deps, org.org_id, { kind: 'webhook', name, webhook_url: 'https://h.example/' })
    channels[name] = id
    const steps = [{ after_sec: 0, channel_ids: [id] }]
    const route = { name, scope: { all: true }, events: [], severity: null, quiet: null, enabled: true } as const
    if (delays.length > 0) await createRoute(w.deps, org.org_id, { ...route, delay_sec, steps })
  }
  w.clock.forward(60 - (w.clock.now().getTime() % 60_000) / 1000)
  const began = w.clock.now().getTime()
  const report = (outcomes: Record<string, string>) =>
    monitor.client.upload(
      Object.entries(outcomes).map(([guid, outcome]) => {
        const success = outcome === 'S'
        return result(guid, { ran_at: w.clock.now().toISOString(), success, ...(!success && { error: 'refused: no' }) })
      }),
    )
  /** Lets time pass while the worker looks. */
  const pass = async (sec: number, step_sec = 5) => {
    const end = w.clock.now().getTime() + sec * 1000
    for (;;) {
      const left = (end - w.clock.now().getTime()) / 1000
      if (left <= 0) return
      w.clock.forward(Math.min(step_sec, left))
      await rejudgeChecks(w.deps)
      await releaseDue(w.deps)
    }
  }
  /** Runs of the shop so many seconds apart. */
  const run = async (letters: string, every_sec = 10) => {
    for (const letter of letters) {
      await report({ [shop]: letter })
      await pass(every_sec)
    }
  }
  /** Repeats one outcome every 20 s, after which the worker looks once. */
  const stay = async (letter: string, sec: number) => {
    for (let passed = 0; passed < sec; passed += 20) {
      await report({ [shop]: letter })
      await pass(20, 20)
    }
  }
  const told = async (name = Object.keys(channels)[0] ?? '') => {
    const rows = await w.rows(
      `select e.type, d.created_at, e.data from deliveries d join events e using (org_id, event_id)
       where d.channel_id = $1 and e.data -> 'check' ->> 'name' = 'shop' order by d.delivery_id`,
      channels[name],
    )
    return rows.map(({ type, created_at }) => {
      return `${(Date.parse(String(created_at)) - began) / 1000} ${String(type)}`
    })
  }
  const window = async (from_min: number, to_min: number) => {
    const starts_at = new Date(began + from_min * 60_000).toISOString().slice(0, 16)
    const when = { starts_at, duration_sec: (to_min - from_min) * 60, zone: 'UTC', rule: null }
    const scope = { checks: [shop], heartbeats: [] }
    await createWindow(w.deps, org.org_id, { name: 'upgrade', scope, is_public: false, ...when })
  }
  const dependOnGateway = () => w.rows('update checks set depends_on = $1 where guid = $2', gateway, shop)
  const gatewayIs = (letter: string) => report({ [gateway]: letter })
  return { org, run, stay, pass, told, window, dependOnGateway, gatewayIs }
}

const types = (told: readonly string[]) => told.map((one) => one.split(' ')[1])
const FLAPPED = ['check.down', 'check.up', 'check.down', 'check.up', 'check.flapping']

describe('a flapping check that really goes down', () => {
  test('is told once its failure has lasted for seven and a half minutes', async () => {
    const s = await story()
    await s.run('SFSFSF')
    await s.stay('F', 420)
    expect(types(await s.told())).toEqual(FLAPPED)
    await s.run('F', 15)
    expect(types(await s.told())).toEqual(FLAPPED)
    await s.pass(5)
    expect((await s.told()).slice(5)).toEqual(['500 check.settled', '500 check.down'])
    await s.run('S')
    expect(types(await s.told()).slice(5)).toEqual(['check.settled', 'check.down', 'check.up'])
  })

  test('is not told while it fails for no longer than that, and settles half an hour after it came up', async () => {
    const s = await story()
    await s.run('SFSFSF')
    for (let round = 0; round < 4; round++) {
      await s.stay('F', 400)
      await s.run('S')
    }
    expect(types(await s.told())).toEqual(FLAPPED)
    await s.stay('S', 1760)
    expect(types(await s.told())).toEqual(FLAPPED)
    await s.stay('S', 40)
    expect(types(await s.told())).toEqual([...FLAPPED, 'check.settled'])
  })
})

describe('changes that were not told', () => {
  test('within a maintenance window are no flapping: nothing is told when it ends', async () => {
    const s = await story()
    await s.window(1, 60)
    await s.run('S')
    await s.pass(60)
    await s.run('FSFSFSFS')
    await s.stay('S', 2000)
    await s.pass(2400, 60)
    expect(await s.told()).toEqual([])
  })

  test('within a window of which the last one lasts: that is told when it ends, as down', async () => {
    const s = await story()
    await s.window(1, 10)
    await s.run('S')
    await s.pass(60)
    await s.run('FSFSFSF')
    await s.stay('F', 600)
    expect(await s.told()).toEqual(['600 check.down'])
  })

  test('while its parent is down are no flapping: nothing is told when that is well', async () => {
    const s = await story()
    await s.dependOnGateway()
    await s.run('S')
    await s.gatewayIs('F')
    await s.pass(5)
    await s.run('FSFSFSFS')
    await s.gatewayIs('S')
    await s.stay('S', 2000)
    expect(await s.told()).toEqual([])
  })

  test('because each failure ended before a delay did are no flapping', async () => {
    const s = await story([300])
    for (let round = 0; round < 10; round++) {
      await s.run('F', 2)
      await s.run('S', 2)
    }
    await s.stay('S', 2000)
    expect(await s.told()).toEqual([])
  })

  test('to one channel because of its delay: it is told of what lasts, and of no flapping', async () => {
    const s = await story([0, 300])
    await s.run('SFSFSF')
    await s.stay('F', 460)
    await s.run('S')
    expect(types(await s.told('after 0'))).toEqual([...FLAPPED, 'check.settled', 'check.down', 'check.up'])
    expect(await s.told('after 300')).toEqual(['500 check.down', '520 check.up'])
  })

  test('after four that were: the fifth is not told either, and flapping is taken back', async () => {
    const s = await story()
    await s.window(1, 10)
    await s.run('SFSFS')
    await s.pass(10)
    expect(types(await s.told())).toEqual(FLAPPED.slice(0, 4))
    await s.run('FSFS')
    await s.stay('S', 900)
    expect(types(await s.told())).toEqual(FLAPPED.slice(0, 4))
    await s.run('FS')
    expect(types(await s.told())).toEqual(FLAPPED)
  })
})

describe('flapping and settled', () => {
  test('are a pair: who was told before a window is told after it, with the state of that time', async () => {
    const s = await story()
    await s.window(2, 60)
    await s.run('SFSFSF')
    await s.pass(60)
    await s.stay('F', 500)
    await s.run('S')
    await s.pass(3600)
    expect((await s.told()).slice(5)).toEqual(['3600 check.settled'])
    const [{ data } = {}] = await w.rows(
      `select data from events where org_id = $1 and type = 'check.settled'`,
      s.org.org_id,
    )
    expect(data).toMatchObject({ check_state: 'up' })
  })

  test('come in their order with what follows them, however often they waited together', async () => {
    for (let round = 0; round < 6; round++) {
      const s = await story()
      await s.window(2, 20)
      await s.run('SFSFSF')
      await s.pass(60)
      await s.stay('F', 1200)
      expect((await s.told()).slice(5)).toEqual(['1200 check.settled', '1200 check.down'])
    }
  })
})
