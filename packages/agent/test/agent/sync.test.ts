// How the set of checks follows the server.
import { stat } from 'node:fs/promises'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { expect, test } from '@jest/globals'
import { takeOnlyOurs } from '../../src/sync/answers.ts'
import { applyAnswer, checksPath, isFresh, loadChecks, saveChecks } from '../../src/sync/check-set.ts'
import { Sync } from '../../src/sync/sync.ts'
import type { ServerTimeSample } from '../../src/sync/timekeeper.ts'
import { checkRow, FOREIGN, hangUp, json, scriptedApi, text } from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'

async function setUp() {
  const api = await scriptedApi()
  const world = { mono: 0, refused: [] as number[], unheard: 0, sets: [] as string[][], isDoubted: false }
  const heard: ServerTimeSample[] = []
  const sync = new Sync({
    client: new MonitorClient({ baseUrl: api.url, token: 'key-0', retries: 0, fetch: takeOnlyOurs(fetch) }),
    mono: () => world.mono,
    random: () => 0.5,
    hear: (answered) => {
      heard.push(answered)
      return world.isDoubted
    },
    onSynced: async ({ checks }) => void world.sets.push([...checks.keys()]),
    onRefused: async (status) => {
      world.refused.push(status)
      return 7000
    },
    onUnheard: () => void (world.unheard += 1),
  })
  const step = () => sync.step(new AbortController().signal)
  const asked = () => api.arrived.map(({ query }) => query.get('since'))
  return { api, sync, step, asked, world, heard }
}

const row = (guid: string, more = {}) => checkRow({ guid, ...more })

test('a delta changes what it names, a full answer replaces everything', () => {
  const held = new Map([
    ['a', row('a')],
    ['b', row('b')],
  ])
  const delta = [row('b', { deleted: true, url: '' }), row('c'), row('a', { interval_sec: 30 })]
  expect([...applyAnswer(held, delta, false).values()].map((c) => [c.guid, c.interval_sec])).toEqual([
    ['a', 30],
    ['c', 60],
  ])
  expect([...applyAnswer(held, [row('c')], true).keys()]).toEqual(['c'])
})

test('the first sync is full, later ones ask from the server_time they were told, verbatim', async () => {
  const { api, step, asked } = await setUp()
  const told = '2026-11-20T10:00:00.123457Z'
  api.next('GET /checks', json({ checks: [], server_time: told }))
  await step()
  await step()
  expect(asked()).toEqual([null, told])
})

test('it is synced each 30 s, give or take a tenth', async () => {
  const { step } = await setUp()
  expect(await step()).toBe(30_000)
})

test('the time is heard from now and from the Date header, never from server_time', async () => {
  const { api, step, heard } = await setUp()
  const date = 'Fri, 20 Nov 2026 10:00:00 GMT'
  const server_time = '2026-11-20T09:00:00.000000Z'
  const now = '2026-11-20T10:00:00.500000Z'
  api.next('GET /checks', json({ checks: [], server_time }, { date }), json({ checks: [], server_time, now }, { date }))
  await step()
  await step()
  expect(heard).toEqual([
    { sent: 0, received: 0, now: undefined, date },
    { sent: 0, received: 0, now, date },
  ])
})

test('a time that is to be confirmed is asked for within two seconds, four times in a row at most', async () => {
  const { step, sync, world } = await setUp()
  world.isDoubted = true
  const waits = []
  for (let n = 0; n < 6; n += 1) waits.push([await step(), sync.isTimeDoubted])
  const soon = [1500, true]
  expect(waits).toEqual([soon, soon, soon, soon, [30_000, false], soon])
})

test('each ten minutes, and after five minutes without an answer, the sync is full', async () => {
  const { step, asked, world, api } = await setUp()
  const isFull = async (mono: number) => {
    world.mono = mono
    await step()
    return asked().at(-1) === null
  }
  expect(await isFull(0)).toBe(true)
  for (let at = 60_000; at < 600_000; at += 60_000) expect(await isFull(at)).toBe(false)
  expect(await isFull(600_000)).toBe(true)
  api.next('GET /checks', hangUp)
  expect(await isFull(630_000)).toBe(false)
  expect(await isFull(901_000)).toBe(true)
})

test('failures wait longer each time and never beyond the sync period', async () => {
  const { api, step } = await setUp()
  api.next('GET /checks', ...Array(6).fill(hangUp))
  const waits = []
  for (let n = 0; n < 6; n += 1) waits.push(await step())
  expect(waits).toEqual([1500, 3000, 6000, 12_000, 22_500, 22_500])
})

test('nobody makes a sync wait for more than ten minutes', async () => {
  const { api, step } = await setUp()
  for (const asked of ['86400', '3000000']) {
    api.next('GET /checks', text(503, 'overloaded', { 'retry-after': asked }))
    expect(await step()).toBe(600_000)
  }
})

test('a cursor that the server does not take is followed by a full sync', async () => {
  const { api, step, asked } = await setUp()
  await step()
  api.next('GET /checks', text(400, 'since must be an RFC 3339 date-time'))
  await step()
  await step()
  expect(asked().map((since) => since === null)).toEqual([true, false, true])
})

test.each([401, 403])('after %i the agent says when to ask again, and then for the whole set', async (status) => {
  const { api, step, asked, world } = await setUp()
  await step()
  api.next('GET /checks', text(status, 'no'))
  expect(await step()).toBe(7000)
  await step()
  expect([world.refused, asked().at(-1), world.unheard]).toEqual([[status], null, 0])
})

test.each(Object.keys(FOREIGN))(
  'what is not the server does not refuse the monitor, nor change its set: %s',
  async (name) => {
    const { api, step, asked, world } = await setUp()
    api.checks = [row('a')]
    await step()
    api.next('GET /checks', FOREIGN[name] ?? hangUp)
    expect(await step()).toBe(1500)
    await step()
    expect([world.refused, asked().at(-1) === null, world.unheard]).toEqual([[], false, 1])
    expect(world.sets).toEqual([['a'], ['a']])
  },
)

test('the set survives a restart, for its owner alone and for a day', async () => {
  const dir = await tempDir()
  const saved = { saved_at: '2026-11-20T10:00:00.000Z', clock_ahead_ms: 12, checks: [row('a', { url: '' })] }
  await saveChecks(dir, saved)
  expect(await loadChecks(dir)).toEqual(saved)
  expect((await stat(checksPath(dir))).mode & 0o777).toBe(0o600)
  await saveChecks(dir, { ...saved, checks: [row('a'), row('b', { interval_sec: Number.NaN })] })
  expect((await loadChecks(dir))?.checks.map(({ guid }) => guid)).toEqual(['a', 'b'])
  const at = Date.parse(saved.saved_at)
  expect([isFresh(saved, at + 23 * 3_600_000), isFresh(saved, at + 25 * 3_600_000)]).toEqual([true, false])
  expect(await loadChecks(await tempDir())).toBeUndefined()
})
