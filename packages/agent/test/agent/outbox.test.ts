// When the loop of uploads is woken by a result that was kept.
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { afterEach, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { Outbox } from '../../src/buffer/outbox.ts'
import { Metrics } from '../../src/process/metrics.ts'
import { Bell } from '../../src/process/repeat.ts'
import { resultOf, scriptedApi } from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'

class CountedBell extends Bell {
  rings = 0
  override ring(): void {
    this.rings += 1
    super.ring()
  }
}

const closing: Outbox[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((outbox) => outbox.close()))
})

async function setUp() {
  const api = await scriptedApi()
  const world = { mono: 0 }
  const bell = new CountedBell()
  const outbox = await Outbox.open({
    state_dir: await tempDir(),
    client: new MonitorClient({ baseUrl: api.url, token: 'key-0', retries: 0 }),
    bell,
    onRefused: () => {},
    isPrivate: () => false,
    mono: () => world.mono,
    now: () => Date.parse('2026-11-20T10:00:00Z') + world.mono,
    wall: () => Date.parse('2026-11-20T10:00:00Z') + world.mono,
    random: () => 0.5,
    metrics: new Metrics(),
    log: pino({ level: 'silent' }),
  })
  closing.push(outbox)
  /** How often keeping a result of one check rang. */
  const keep = async (success: boolean): Promise<number> => {
    const before = bell.rings
    await outbox.keep({ ...resultOf(bell.rings), check_guid: 'a', success })
    return bell.rings - before
  }
  return { api, outbox, world, keep }
}

test('a failure wakes the loop while successes are gathered, and its upload is due two seconds after the last', async () => {
  const { api, outbox, world, keep } = await setUp()
  await keep(true)
  expect(await outbox.upload()).toBe(5000)
  world.mono = 500
  expect(await keep(true)).toBe(0)
  expect(await outbox.upload()).toBe(4500)
  expect(await keep(false)).toBe(1)
  expect(await outbox.upload()).toBe(1500)
  world.mono = 2000
  await outbox.upload()
  expect(api.uploads.map((upload) => upload.length)).toEqual([1, 2])
})

test('so does the first success after a failure, and no further one', async () => {
  const { outbox, world, keep } = await setUp()
  await keep(false)
  await outbox.upload()
  world.mono = 500
  await keep(false)
  await outbox.upload()
  expect([await keep(true), await keep(true)]).toEqual([1, 0])
})

test('a failure does not wake the loop while an answer of the server makes it wait', async () => {
  const { api, outbox, keep } = await setUp()
  api.next('POST /results', (res) => res.writeHead(429, { 'Retry-After': '30' }).end())
  await keep(true)
  expect(await outbox.upload()).toBeGreaterThanOrEqual(30_000)
  expect(await keep(false)).toBe(0)
})
