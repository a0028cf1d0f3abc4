// How results get to the server: in order, within its limits, and not lost by any answer.
import { expect, test } from '@jest/globals'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import type { Kept } from '../../src/buffer.ts'
import { backoff, moveAfter, Uploader } from '../../src/upload.ts'
import type { Result } from '@dogwatch/monitor-sdk'
import { hangUp, resultOf, type ScriptedApi, scriptedApi, text } from './support/scripted-api.ts'

class Queue {
  kept: Kept[]
  constructor(count: number, value = (n: number) => JSON.stringify(resultOf(n))) {
    this.kept = Array.from({ length: count }, (_, n) => ({ key: String(n).padStart(9, '0'), value: value(n) }))
  }
  get size() {
    return this.kept.length
  }
  async oldest(results: number, bytes: number) {
    let sum = 0
    return this.kept.slice(0, results).filter(({ value }, index) => (sum += value.length + 1) <= bytes || index === 0)
  }
  async remove(batch: readonly Kept[]) {
    expect(batch.map(({ key }) => key)).toEqual(this.kept.slice(0, batch.length).map(({ key }) => key))
    this.kept.splice(0, batch.length)
  }
}

async function setUp(queue: Queue) {
  const api = await scriptedApi()
  const world = {
    mono: 0,
    waits: [] as number[],
    aside: [] as string[],
    refused: [] as number[],
    private: new Set<string>(),
  }
  const uploader = new Uploader({
    client: new MonitorClient({ baseUrl: api.url, token: 'key-0', retries: 0 }),
    buffer: queue,
    mono: () => world.mono,
    random: () => 0.5,
    sleep: async (ms) => void (world.mono += ms),
    setAside: async (value) => void world.aside.push(JSON.parse(value).check_guid),
    onRefused: (status) => world.refused.push(status),
    isPrivate: (guid) => world.private.has(guid),
  })
  const step = async () => {
    const wait = await uploader.step(new AbortController().signal)
    world.waits.push(wait)
    world.mono += wait
    return wait
  }
  const drain = async () => {
    for (let steps = 0; queue.size > 0 && steps < 300; steps += 1) await step()
  }
  return { api, uploader, step, drain, ...world, world }
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n)
const sizes = (api: ScriptedApi) => api.uploads.map((upload) => upload.length)
const stored = (api: ScriptedApi) => api.uploads.flat().map(({ latency_ms }) => latency_ms)

test('at most two calls go in a second', async () => {
  const { drain, world } = await setUp(new Queue(1200))
  await drain()
  expect(world.mono).toBeGreaterThanOrEqual(1000)
})

test('a batch stays below 900 KiB', async () => {
  const long = (n: number) => JSON.stringify({ ...resultOf(n), response_sample: 'x'.repeat(20_000) })
  const { api, drain } = await setUp(new Queue(100, long))
  await drain()
  expect(Math.max(...api.arrived.map(({ body }) => body.length))).toBeLessThan(900 * 1024 + 20)
  expect(stored(api)).toHaveLength(100)
})

test('a batch counts as done whatever number was accepted', async () => {
  const { api, drain } = await setUp(new Queue(10))
  api.next('POST /results', (res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{"accepted":0}'))
  await drain()
  expect(api.arrived).toHaveLength(1)
})

test('a lost answer makes the same bytes go again', async () => {
  const { api, drain } = await setUp(new Queue(700))
  api.next('POST /results', hangUp, text(503, 'overloaded'))
  await drain()
  const [first, second, third] = api.arrived.map(({ body }) => body)
  expect([second, third]).toEqual([first, first])
  expect(sizes(api)).toEqual([500, 200])
})

test('one result that the server cannot read is set aside, and all others arrive', async () => {
  for (const naming of [true, false]) {
    const { api, drain, world } = await setUp(new Queue(300))
    const refuse = (api: ScriptedApi) =>
      api.next('POST /results', (res, arrived) => {
        const { results } = JSON.parse(arrived.body)
        refuse(api)
        const bad = results.findIndex((result: { latency_ms: number }) => result.latency_ms === 137)
        if (bad >= 0) return text(400, naming ? `results[${bad}].ran_at must be a date-time` : 'no')(res, arrived)
        api.uploads.push(results)
        res.writeHead(200, { 'content-type': 'application/json' }).end('{"accepted":1}')
      })
    refuse(api)
    await drain()
    expect(world.aside).toEqual(['check 137'])
    expect(stored(api)).toEqual(Array.from({ length: 300 }, (_, n) => n).filter((n) => n !== 137))
    expect(api.arrived.length).toBeLessThan(25)
  }
})

test('a server that answers 400 to everything does not make the buffer run out at full speed', async () => {
  const { api, drain, world } = await setUp(new Queue(60))
  api.next('POST /results', ...Array(400).fill(text(400, 'no')))
  await drain()
  expect(Math.max(...world.waits)).toBeGreaterThan(20_000)
})

test('429 waits as long as it says, failures up to a minute, and a success ends that', async () => {
  const { api, step } = await setUp(new Queue(10))
  api.next('POST /results', text(429, 'rate limit exceeded', { 'retry-after': '17' }))
  expect(await step()).toBe(17_000)
  const failures = 8
  api.next('POST /results', ...Array(failures).fill(text(500, 'internal server error')))
  const waits = []
  for (let n = 0; n < failures; n += 1) waits.push(await step())
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  expect(await step()).toBe(2000)
})

test('nobody makes an upload wait for more than ten minutes', async () => {
  const { api, step } = await setUp(new Queue(10))
  for (const asked of ['86400', '3000000']) {
    api.next('POST /results', text(503, 'overloaded', { 'retry-after': asked }))
    expect(await step()).toBe(600_000)
  }
})

test('uploads that alone are refused, while the server has the monitor, come ever less often and lose nothing', async () => {
  const queue = new Queue(600)
  const { api, step, uploader, world } = await setUp(queue)
  api.next('POST /results', ...Array(400).fill(text(403, 'forbidden by a rule')))
  for (let n = 0; n < 12; n += 1) {
    await step()
    uploader.admitted()
  }
  expect(world.waits.slice(0, 7)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000])
  expect([queue.size, world.aside, JSON.parse(api.arrived.at(-1)?.body ?? '').results.length]).toEqual([600, [], 1])
})

test('the one result that something in between will not let through is set aside, and all others arrive', async () => {
  const { api, uploader, step, world } = await setUp(new Queue(60))
  const guard = () =>
    api.next('POST /results', (res, arrived) => {
      guard()
      const { results } = JSON.parse(arrived.body) as { results: Result[] }
      if (results.some(({ latency_ms }) => latency_ms === 37)) return text(403, 'forbidden by a rule')(res, arrived)
      api.uploads.push(results)
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"accepted":1}')
    })
  guard()
  for (let n = 0; n < 100 && stored(api).length < 59; n += 1) {
    await step()
    uploader.admitted()
  }
  expect([world.aside, stored(api)]).toEqual([['check 37'], range(60).filter((n) => n !== 37)])
})

test('a monitor that is disabled loses nothing by it, however often it asks', async () => {
  const queue = new Queue(1)
  const { api, step, world } = await setUp(queue)
  api.next('POST /results', ...Array(50).fill(text(403, 'this monitor is disabled')))
  for (let n = 0; n < 50; n += 1) await step()
  expect([queue.size, world.aside]).toEqual([1, []])
})

test('what was found of a check goes without its words once the check is private', async () => {
  const found = (n: number) => {
    const error = n === 0 ? { success: false, error: 'refused: 10.0.0.7:80' } : { success: true }
    return JSON.stringify({ ...resultOf(n), ...error, response_sample: 'sealed' })
  }
  const { api, drain, world } = await setUp(new Queue(3, found))
  world.private.add('check 0').add('check 1')
  await drain()
  const { ran_at } = resultOf(0)
  expect(api.uploads.flat()).toEqual([
    { ...resultOf(0), ran_at, success: false, error: 'refused' },
    resultOf(1),
    JSON.parse(found(2)),
  ])
})

test.each([401, 403])('%i is told, and nothing is forgotten', async (status) => {
  const queue = new Queue(10)
  const { api, step, world } = await setUp(queue)
  api.next('POST /results', text(status, 'no'))
  await step()
  expect([world.refused, queue.size]).toEqual([[status], 10])
})

test('the wait after a failure is any time up to its bound', () => {
  expect([backoff(1, 0, () => 0), backoff(1, 0, () => 1), backoff(3, 0, () => 1)]).toEqual([0, 1000, 4000])
  expect([backoff(50, 0, () => 1), backoff(1, 5000, () => 1)]).toEqual([60_000, 5000])
})

test('a single result that cannot be sent is never halved', () => {
  expect(moveAfter({ kind: 'too_large' }, 1)).toMatchObject({ kind: 'set_aside' })
  expect(moveAfter({ kind: 'unreadable', index: 7, why: '' }, 2)).toEqual({ kind: 'shrink', to: 1 })
})
