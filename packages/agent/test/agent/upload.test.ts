// How results get to the server: in order, within its limits, and not lost by any answer.
import { join } from 'node:path'
import type { Result } from '@dogwatch/monitor-sdk'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { afterEach, expect, test } from '@jest/globals'
import { ResultBuffer } from '../../src/buffer/buffer.ts'
import { News } from '../../src/buffer/news.ts'
import { moveAfter } from '../../src/buffer/outcome.ts'
import { OFFER_FIRST_MS, Uploader } from '../../src/buffer/upload.ts'
import { takeOnlyOurs } from '../../src/sync/answers.ts'
import { backoff } from '../../src/sync/backoff.ts'
import {
  type Arrived,
  FOREIGN,
  hangUp,
  json,
  resultOf,
  type ScriptedApi,
  scriptedApi,
  text,
} from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'

type Found = (n: number) => Result

const closing: ResultBuffer[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((buffer) => buffer.close()))
})

/** An uploader over a real buffer that holds `count` results. */
async function setUp(count: number, found: Found = resultOf) {
  const api = await scriptedApi()
  const world = {
    mono: 0,
    waits: [] as number[],
    aside: [] as string[],
    given_up: [] as string[],
    refused: [] as number[],
    private: new Set<string>(),
  }
  const dir = join(await tempDir(), 'buffer')
  const now = () => Date.parse('2026-11-20T10:00:00Z') + world.mono
  const open = async () => {
    const opened = await ResultBuffer.open({ dir, now })
    closing.push(opened)
    return opened
  }
  const buffer = await open()
  for (let n = 0; n < count; n += 1) void buffer.add(found(n))
  await buffer.flush()
  const uploaderOf = (buffer: ResultBuffer) =>
    new Uploader({
      client: new MonitorClient({ baseUrl: api.url, token: 'key-0', retries: 0, fetch: takeOnlyOurs(fetch) }),
      buffer,
      mono: () => world.mono,
      now,
      random: () => 0.5,
      sleep: async (ms) => void (world.mono += ms),
      onSetAside: (value) => void world.aside.push(JSON.parse(value).check_guid),
      giveUp: async (value) => void world.given_up.push(JSON.parse(value).check_guid),
      onRefused: (status) => world.refused.push(status),
      isPrivate: (guid) => world.private.has(guid),
    })
  const stepOf = (uploader: Uploader) => async () => {
    const wait = await uploader.step(new AbortController().signal)
    world.waits.push(wait)
    world.mono += wait
    return wait
  }
  const uploader = uploaderOf(buffer)
  const step = stepOf(uploader)
  const drain = async () => {
    for (let steps = 0; buffer.size > 0 && steps < 300; steps += 1) await step()
  }
  /** The same after a restart. */
  const again = async () => {
    await Promise.all(closing.splice(0).map((opened) => opened.close()))
    const next = await open()
    return { buffer: next, step: stepOf(uploaderOf(next)) }
  }
  return { api, uploader, step, drain, buffer, world, again }
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n)
const sizes = (api: ScriptedApi) => api.uploads.map((upload) => upload.length)
const stored = (api: ScriptedApi) => api.uploads.flat().map(({ latency_ms }) => latency_ms)

type Script = (results: readonly Result[]) => ((...given: Parameters<typeof hangUp>) => void) | undefined

/** From now on each upload is answered so, and stored where `script` has no answer. */
function answerUploads(api: ScriptedApi, script: Script): void {
  const answer = (...[res, arrived]: [Parameters<typeof hangUp>[0], Arrived]): void => {
    api.next('POST /results', answer)
    const { results } = JSON.parse(arrived.body) as { results: Result[] }
    const scripted = script(results)
    if (scripted) return scripted(res, arrived)
    api.uploads.push(results)
    json({ accepted: results.length })(res, arrived)
  }
  api.forget('POST /results')
  api.next('POST /results', answer)
}

test('at most two calls go in a second', async () => {
  const { drain, world } = await setUp(1200)
  await drain()
  expect(world.mono).toBeGreaterThanOrEqual(1000)
})

test('results are gathered for five seconds after an upload; news among them goes two seconds after it', async () => {
  const { api, uploader, step, buffer, world } = await setUp(1)
  const add = async (n: number) => {
    void buffer.add(resultOf(n))
    await buffer.flush()
  }
  expect(await step()).toBe(5000)
  await add(1)
  expect(await step()).toBe(5000)
  world.mono -= 4000
  await add(2)
  expect([await step(), sizes(api)]).toEqual([4000, [1, 1]])
  world.mono -= 3500
  uploader.gathering.hurry()
  expect([await step(), sizes(api)]).toEqual([500, [1, 1]])
  expect([await step(), sizes(api)]).toEqual([5000, [1, 1, 1]])
})

test('the next upload does not wait for the last results of an agent that ends, nor for a batch that is full', async () => {
  const { api, uploader, step, buffer, world } = await setUp(1)
  await step()
  world.mono -= 5000
  void buffer.add(resultOf(1))
  await buffer.flush()
  uploader.forgive()
  await step()
  expect(sizes(api)).toEqual([1, 1])
  world.mono -= 5000
  for (const n of range(500)) void buffer.add(resultOf(n + 2))
  await buffer.flush()
  await step()
  expect(sizes(api)).toEqual([1, 1, 500])
})

test('news does not shorten the wait after a failure', async () => {
  const { api, uploader, step, buffer } = await setUp(1)
  await step()
  expect(uploader.gathering.isOn).toBe(true)
  void buffer.add(resultOf(1))
  await buffer.flush()
  api.next('POST /results', text(503, 'overloaded'))
  await step()
  uploader.gathering.hurry()
  expect(uploader.gathering.isOn).toBe(false)
})

test('failures, the first success after one and the first result of a check are news', () => {
  const news = new News()
  const told = [true, true, false, false, true, true].map((success) => news.isIn({ check_guid: 'a', success }))
  expect(told).toEqual([true, false, true, true, true, false])
  expect(news.isIn({ check_guid: 'b', success: true })).toBe(true)
})

test('a batch stays below 900 KiB', async () => {
  const long = (n: number) => ({ ...resultOf(n), response_sample: 'x'.repeat(20_000) })
  const { api, drain } = await setUp(100, long)
  await drain()
  expect(Math.max(...api.arrived.map(({ body }) => body.length))).toBeLessThan(900 * 1024 + 100)
  expect(stored(api)).toHaveLength(100)
})

test('a batch counts as done whatever number of it was accepted', async () => {
  const { api, drain } = await setUp(10)
  api.next('POST /results', json({ accepted: 0 }))
  await drain()
  expect(api.arrived).toHaveLength(1)
})

test.each([11, -1])('nobody has taken %i of 10 results: they are sent again', async (accepted) => {
  const { api, step, buffer, drain } = await setUp(10)
  api.next('POST /results', json({ accepted }))
  await step()
  expect(buffer.size).toBe(10)
  await drain()
  expect([stored(api), api.arrived.length]).toEqual([range(10), 2])
})

test('each upload tells the time of its sending and how many results still wait', async () => {
  const { api, drain } = await setUp(700)
  api.next('POST /results', text(503, 'overloaded', { 'retry-after': '7' }))
  await drain()
  const told = api.arrived.map(({ body }) => JSON.parse(body)).map(({ sent_at, remaining }) => [sent_at, remaining])
  expect(told).toEqual([
    ['2026-11-20T10:00:00.000Z', 200],
    ['2026-11-20T10:00:07.000Z', 200],
    ['2026-11-20T10:00:07.500Z', 0],
  ])
})

test('a lost answer makes the same results go again, to the byte', async () => {
  const { api, drain } = await setUp(700)
  api.next('POST /results', hangUp, text(503, 'overloaded'))
  await drain()
  const [first, second, third] = api.arrived.map(({ body }) => body.replace(/,"sent_at".*/, ''))
  expect([second, third]).toEqual([first, first])
  expect(sizes(api)).toEqual([500, 200])
})

test('one result that the server cannot read is set aside, and all others arrive', async () => {
  for (const naming of [true, false]) {
    const { api, drain, world, buffer } = await setUp(300)
    const refuse = (api: ScriptedApi) =>
      api.next('POST /results', (res, arrived) => {
        const { results } = JSON.parse(arrived.body)
        refuse(api)
        const bad = results.findIndex((result: { latency_ms: number }) => result.latency_ms === 137)
        if (bad >= 0) return text(400, naming ? `results[${bad}].ran_at must be a date-time` : 'no')(res, arrived)
        api.uploads.push(results)
        json({ accepted: 1 })(res, arrived)
      })
    refuse(api)
    await drain()
    expect(world.aside).toEqual(['check 137'])
    expect(stored(api)).toEqual(range(300).filter((n) => n !== 137))
    expect([buffer.asideSize, world.given_up]).toEqual([1, []])
    expect(api.arrived.length).toBeLessThan(25)
  }
})

test('a server that answers 400 to everything does not make the buffer run out at full speed', async () => {
  const { api, drain, world } = await setUp(60)
  api.next('POST /results', ...Array(400).fill(text(400, 'no')))
  await drain()
  expect(Math.max(...world.waits)).toBeGreaterThan(20_000)
})

test('429 waits as long as it says, failures up to a minute, and a success ends that', async () => {
  const { api, step } = await setUp(10)
  api.next('POST /results', text(429, 'rate limit exceeded', { 'retry-after': '17' }))
  expect(await step()).toBe(17_000)
  const failures = 8
  api.next('POST /results', ...Array(failures).fill(text(500, 'internal server error')))
  const waits = []
  for (let n = 0; n < failures; n += 1) waits.push(await step())
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  expect(await step()).toBe(5000)
})

test('nobody makes an upload wait for more than ten minutes', async () => {
  const { api, step } = await setUp(10)
  for (const asked of ['86400', '3000000']) {
    api.next('POST /results', text(503, 'overloaded', { 'retry-after': asked }))
    expect(await step()).toBe(600_000)
  }
})

test.each(Object.keys(FOREIGN))("an answer that is not the server's is no verdict on the results: %s", async (name) => {
  const { api, step, drain, uploader, buffer, world } = await setUp(60)
  const hours = range(50)
  api.next('POST /results', ...hours.map(() => FOREIGN[name] ?? hangUp))
  for (const _ of hours) {
    await step()
    // Whatever it is, it lets syncs through.
    uploader.admitted()
  }
  expect([buffer.size, buffer.asideSize, world.aside, world.refused]).toEqual([60, 0, [], []])
  expect(world.waits.slice(-20).every((wait) => wait >= 30_000)).toBe(true)
  await drain()
  expect([...new Set(stored(api))].sort((a, b) => a - b)).toEqual(range(60))
  expect([buffer.size, buffer.asideSize]).toEqual([0, 0])
})

test('something in between that takes small bodies alone gets small ones', async () => {
  const { api, drain, buffer } = await setUp(60)
  answerUploads(api, (results) => (results.length > 10 ? FOREIGN['413 with a page'] : undefined))
  await drain()
  expect([buffer.size, stored(api)]).toEqual([0, range(60)])
})

test('the one result that something in between will not let through waits aside, and all others arrive', async () => {
  for (const name of ['403 in JSON', '400 with a page', '413 with a page']) {
    const { api, uploader, step, world, buffer } = await setUp(60)
    answerUploads(api, (results) => (results.some(({ latency_ms }) => latency_ms === 37) ? FOREIGN[name] : undefined))
    for (let n = 0; n < 100 && new Set(stored(api)).size < 59; n += 1) {
      await step()
      uploader.admitted()
    }
    expect([world.aside, [...new Set(stored(api))].sort((a, b) => a - b)]).toEqual([
      ['check 37'],
      range(60).filter((n) => n !== 37),
    ])
    expect([buffer.asideSize, world.given_up]).toEqual([1, []])
  }
})

// ---- what the server would not take -------------------------------------------------------------------------------

const isBad = ({ latency_ms }: Result) => latency_ms % 10 === 7
const refuseBad = (results: readonly Result[]) =>
  results.some(isBad) ? text(400, 'results[0] is not valid') : undefined

test('what the server would not take is offered again, one by one, and arrives once it would', async () => {
  const { api, drain, step, buffer, world } = await setUp(30)
  answerUploads(api, refuseBad)
  await drain()
  expect([world.aside, buffer.asideSize]).toEqual([['check 7', 'check 17', 'check 27'], 3])
  const before = api.arrived.length
  const began = world.mono
  while (world.mono < began + 24 * 3_600_000) await step()
  const offers = api.arrived.slice(before).map(({ body }) => JSON.parse(body).results)
  // Ever less often, each in its turn, and never together.
  expect(offers.length).toBeGreaterThan(20)
  expect(offers.length).toBeLessThan(35)
  expect(offers.every((results) => results.length === 1)).toBe(true)
  expect(offers.slice(0, 4).map(([{ check_guid }]) => check_guid)).toEqual([
    'check 7',
    'check 17',
    'check 27',
    'check 7',
  ])
  answerUploads(api, () => undefined)
  const fixed = world.mono
  while (buffer.asideSize > 0) await step()
  expect(world.mono - fixed).toBeLessThan(3_700_000)
  expect(stored(api).sort((a, b) => a - b)).toEqual(range(30))
  expect(world.given_up).toEqual([])
})

test('what was set aside outlives a restart', async () => {
  const { api, drain, again } = await setUp(30)
  answerUploads(api, refuseBad)
  await drain()
  answerUploads(api, () => undefined)
  const { buffer, step } = await again()
  expect([buffer.size, buffer.asideSize]).toEqual([0, 3])
  while (buffer.asideSize > 0) await step()
  expect(stored(api).sort((a, b) => a - b)).toEqual(range(30))
})

test('what was set aside keeps nobody waiting', async () => {
  const { api, drain, step, buffer, world } = await setUp(30)
  answerUploads(api, refuseBad)
  await drain()
  world.mono += OFFER_FIRST_MS
  for (let n = 100; n < 2100; n += 1) void buffer.add({ ...resultOf(n), latency_ms: 0 })
  await buffer.flush()
  const before = world.mono
  for (let steps = 0; buffer.size > 0 && steps < 20; steps += 1) await step()
  expect([buffer.size, buffer.asideSize]).toEqual([0, 3])
  expect(world.mono - before).toBeLessThan(6000)
})

test('after a week the server will not take it: then it is given up, and kept for people', async () => {
  const { api, drain, step, buffer, world } = await setUp(8)
  answerUploads(api, refuseBad)
  await drain()
  const began = world.mono
  const passTo = async (days: number) => {
    for (const end = began + days * 86_400_000; world.mono < end; world.mono += 3_600_000) await step()
  }
  await passTo(6.9)
  expect([buffer.asideSize, world.given_up]).toEqual([1, []])
  await passTo(7.2)
  expect([buffer.asideSize, world.given_up]).toEqual([0, ['check 7']])
})

test('a monitor that is disabled loses nothing by it, however often it asks', async () => {
  const { api, step, world, buffer } = await setUp(1)
  api.next('POST /results', ...Array(50).fill(text(403, 'this monitor is disabled')))
  for (let n = 0; n < 50; n += 1) await step()
  expect([buffer.size, world.aside]).toEqual([1, []])
})

test('what was found of a check goes without its words once the check is private', async () => {
  const found = (n: number) => {
    const error = n === 0 ? { success: false, error: 'refused: 10.0.0.7:80' } : { success: true }
    return { ...resultOf(n), ...error, response_sample: 'sealed' }
  }
  const { api, drain, world } = await setUp(3, found)
  world.private.add('check 0').add('check 1')
  await drain()
  const { ran_at } = resultOf(0)
  expect(api.uploads.flat()).toEqual([
    { ...resultOf(0), ran_at, success: false, error: 'refused' },
    resultOf(1),
    found(2),
  ])
})

test.each([401, 403])('%i is told, and nothing is forgotten', async (status) => {
  const { api, step, world, buffer } = await setUp(10)
  api.next('POST /results', text(status, 'no'))
  await step()
  expect([world.refused, buffer.size]).toEqual([[status], 10])
})

test('the wait after a failure is any time up to its bound', () => {
  expect([backoff(1, 0, () => 0), backoff(1, 0, () => 1), backoff(3, 0, () => 1)]).toEqual([0, 1000, 4000])
  expect([backoff(50, 0, () => 1), backoff(1, 5000, () => 1)]).toEqual([60_000, 5000])
})

test('a single result that cannot be sent is never halved', () => {
  expect(moveAfter({ kind: 'too_large' }, 1)).toMatchObject({ kind: 'set_aside' })
  expect(moveAfter({ kind: 'unreadable', index: 7, why: '' }, 2)).toEqual({ kind: 'shrink', to: 1 })
})

// ---- what the server cannot store for now --------------------------------------------------------------------------

/** Results of ten checks, of which the first three are of organisations whose results cannot be stored. */
const ofTen: Found = (n) => ({ ...resultOf(n), check_guid: `check ${n % 10}` })
const isAway = ({ check_guid }: Result) => check_guid < 'check 3'

function refuseForNow(api: ScriptedApi, wanted: (one: Result) => boolean): void {
  answerUploads(api, (results) => (res, arrived) => {
    const again = results.flatMap((one, index) => (wanted(one) ? [index] : []))
    const kept = results.filter((one) => !wanted(one))
    api.uploads.push(kept)
    json({ accepted: kept.length, ...(again.length > 0 && { again }) })(res, arrived)
  })
}

const bodies = (api: ScriptedApi) =>
  api.arrived.map(({ body }) => JSON.parse(body) as { results: Result[]; remaining: number; partial: boolean })

test('what the server cannot store for now keeps nothing else waiting, and arrives in order once it can', async () => {
  const { api, drain, step, buffer, world } = await setUp(1000, ofTen)
  refuseForNow(api, isAway)
  await drain()
  expect(stored(api)).toEqual(range(1000).filter((n) => n % 10 > 2))
  // A backlog is sent without pauses.
  expect(world.waits.slice(0, 2)).toEqual([0, 0])
  expect([buffer.size, buffer.heldSize]).toEqual([0, 300])
  // The second batch went without those whose check waits, and nobody was told that this monitor is catching up.
  expect(
    bodies(api)
      .slice(0, 2)
      .map(({ results, remaining, partial }) => [results.length, remaining, partial]),
  ).toEqual([
    [500, 500, true],
    [350, 0, true],
  ])
  const before = api.arrived.length
  for (const end = world.mono + 3_600_000; world.mono < end; ) await step()
  // Once a minute at most, on average.
  expect(api.arrived.length - before).toBeLessThan(150)
  for (let n = 1000; n < 1100; n += 1) void buffer.add(ofTen(n))
  await buffer.flush()
  await drain()
  expect([buffer.size, buffer.heldSize]).toEqual([0, 330])
  const back = api.uploads.length
  refuseForNow(api, () => false)
  while (buffer.heldSize > 0) await step()
  expect(
    api.uploads
      .slice(back)
      .flat()
      .map(({ latency_ms }) => latency_ms),
  ).toEqual(range(1100).filter((n) => n % 10 <= 2))
})

test('what waits for that outlives a restart', async () => {
  const { api, drain, again } = await setUp(1000, ofTen)
  refuseForNow(api, isAway)
  await drain()
  const { buffer, step } = await again()
  expect([buffer.size, buffer.heldSize]).toEqual([0, 300])
  void buffer.add(ofTen(1000))
  await buffer.flush()
  await step()
  await step()
  // Its check waits, so it does, too.
  expect([buffer.size, buffer.heldSize]).toEqual([0, 301])
  refuseForNow(api, () => false)
  while (buffer.heldSize > 0) await step()
  expect(new Set(stored(api))).toEqual(new Set(range(1001)))
})

test('of two that cannot store, the one that can again gets its results although others come first', async () => {
  const { api, drain, step, buffer } = await setUp(2000, (n) => ({ ...resultOf(n), check_guid: n < 1000 ? 'a' : 'b' }))
  refuseForNow(api, () => true)
  await drain()
  expect(buffer.heldSize).toBe(2000)
  refuseForNow(api, ({ check_guid }) => check_guid === 'a')
  for (let steps = 0; buffer.heldSize > 1000 && steps < 20; steps += 1) await step()
  expect(stored(api).sort((a, b) => a - b)).toEqual(range(2000).slice(1000))
})

test('while results wait that cannot be stored, the others tell when this monitor is catching up, and those tell it at once', async () => {
  const { api, drain, step, buffer } = await setUp(1000, ofTen)
  refuseForNow(api, isAway)
  await drain()
  refuseForNow(api, () => false)
  for (let n = 0; n < 700; n += 1) void buffer.add({ ...resultOf(n), check_guid: 'check 5' })
  await buffer.flush()
  const before = api.arrived.length
  while (buffer.size + buffer.heldSize > 0) await step()
  expect(
    bodies(api)
      .slice(before)
      .map(({ results, remaining }) => [results[0]?.check_guid, remaining]),
  ).toEqual([
    ['check 5', 200],
    ['check 0', 200],
    ['check 5', 0],
  ])
})

test.each([[[10]], [[-1]], [[0.5]], [[0, 1, 2]]])(
  'nobody wants results %j of ten again, eight of which were taken',
  async (again) => {
    const { api, step, buffer } = await setUp(10)
    api.next('POST /results', json({ accepted: 8, again }))
    await step()
    expect([buffer.size, buffer.heldSize]).toEqual([10, 0])
  },
)

test('what the server cannot read of it is set aside, and the rest arrives', async () => {
  const { api, drain, step, buffer, world } = await setUp(100, ofTen)
  refuseForNow(api, isAway)
  await drain()
  answerUploads(api, (results) => {
    const bad = results.findIndex(({ latency_ms }) => latency_ms === 41)
    return bad < 0 ? undefined : text(400, `results[${bad}] is not valid`)
  })
  while (buffer.heldSize > 0) await step()
  expect([world.aside, buffer.asideSize]).toEqual([['check 1'], 1])
  expect(stored(api).sort((a, b) => a - b)).toEqual(range(100).filter((n) => n !== 41))
})
