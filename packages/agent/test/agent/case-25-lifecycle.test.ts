// Case 25 of what an agent is held to: checks come and go, monitors take turns, and results arrive once, whatever happens.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Check, Result } from '@dogwatch/monitor-sdk'
import { afterEach, expect, test } from '@jest/globals'
import { bufferDir, ResultBuffer } from '../../src/buffer/buffer.ts'
import { identityPath } from '../../src/identity/identity.ts'
import { openStateDir } from '../../src/process/state-dir.ts'
import { phaseOf, turnOf } from '@dogwatch/monitor-sdk/agent'
import { Schedule } from '../../src/schedule/schedule.ts'
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts'
import { FakeTime } from './support/fake-time.ts'
import { startAgent, UP, worldOf } from './support/running-agent.ts'
import { askAgain, checkRow, resultOf, type ScriptedApi, scriptedApi, text } from './support/scripted-api.ts'
import { until } from './support/until.ts'

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

const everySecond = (guid: string, more: Partial<Check> = {}) => checkRow({ guid, interval_sec: 1, ...more })
const uploaded = (api: ScriptedApi) => api.uploads.flat()
const sizes = (api: ScriptedApi) => api.uploads.map((upload) => upload.length)

async function setUp() {
  const api = await scriptedApi()
  const world = await worldOf(api)
  const ran: string[] = []
  world.runCheck = async ({ guid }) => {
    ran.push(guid)
    return UP
  }
  api.checks = [everySecond('a'), everySecond('b')]
  return { api, world, ran }
}

// ---- checks come and go -------------------------------------------------------------------------------------------

test.each([
  ['deleted', [everySecond('a', { deleted: true, url: '' }), everySecond('b')], askAgain],
  ['disabled', [everySecond('a', { enabled: false }), everySecond('b')], askAgain],
  ['missing from a full sync', [everySecond('b')], askForAll],
])('a check that is %s stops with that sync', async (_, checks, sync) => {
  const { api, world, ran } = await setUp()
  const runsOf = (guid: string) => ran.filter((one) => one === guid).length
  startAgent(world)
  await until(() => runsOf('a') > 0 && runsOf('b') > 0)
  api.checks = checks
  const logged = world.logged.length
  await sync(api)
  await until(() => world.logged.slice(logged).some((line) => line.startsWith('synced')))
  const [runs_of_a, runs_of_b] = [runsOf('a'), runsOf('b')]
  await until(() => runsOf('b') >= runs_of_b + 3)
  expect(runsOf('a')).toBe(runs_of_a)
})

/** A cursor that the server does not take is followed by a sync of everything. */
async function askForAll(api: ScriptedApi): Promise<void> {
  const fulls = () => api.arrived.filter(({ route, query }) => route === 'GET /checks' && !query.has('since')).length
  const before = fulls()
  api.next('GET /checks', text(400, 'since must be an RFC 3339 date-time'))
  await askAgain(api)
  await api.until(() => fulls() > before)
}

// ---- monitors take turns ------------------------------------------------------------------------------------------

const INTERVAL_MS = 60_000
const guid = 'abc'

/** Monitors of one check, each with a schedule of its own, and when they ran it. */
function fleet(time: FakeTime, monitors: number) {
  const runs: { monitor: number; at: number }[] = []
  const schedules = Array.from({ length: monitors }, (_, monitor) => {
    const run = async () => void runs.push({ monitor, at: time.now })
    return new Schedule({ now: () => time.now, timer: time.timer, run })
  })
  const assign = (monitor_count: number) =>
    schedules.forEach((schedule, monitor_rank) => {
      const turn = turnOf({ guid, interval_sec: 60, monitor_count, monitor_rank })
      schedule.plan(monitor_rank < monitor_count ? [{ guid, turn, cost: 'plain' }] : [])
    })
  const gaps = () => runs.slice(1).map(({ at }, n) => at - (runs[n]?.at ?? 0))
  return { runs, assign, gaps }
}

test('rank 1 of 3 starts at phase + I + 3kI, and three monitors run 60 s apart, to a second', async () => {
  const time = new FakeTime()
  const { runs, assign, gaps } = fleet(time, 3)
  assign(3)
  await time.pass(90 * INTERVAL_MS)
  const first = phaseOf(guid) * INTERVAL_MS + INTERVAL_MS
  const own = runs.filter(({ monitor }) => monitor === 1)
  expect(own).toHaveLength(30)
  for (const { at } of own) expect((at - first) % (3 * INTERVAL_MS)).toBeLessThan(1000)
  expect(runs.length).toBeGreaterThanOrEqual(89)
  for (const gap of gaps()) expect(Math.abs(gap - INTERVAL_MS)).toBeLessThanOrEqual(1000)
})

test('when of three monitors one leaves, the turns are counted anew, and no gap is beyond 2 I', async () => {
  for (let moment = 0; moment < 12; moment += 1) {
    const time = new FakeTime()
    const { runs, assign, gaps } = fleet(time, 3)
    assign(3)
    await time.pass(10 * INTERVAL_MS + moment * 15_000)
    const before = runs.length
    assign(2)
    await time.pass(20 * INTERVAL_MS)
    expect(Math.max(...gaps())).toBeLessThanOrEqual(2 * INTERVAL_MS + 1000)
    for (const gap of gaps().slice(before + 2)) expect(Math.abs(gap - INTERVAL_MS)).toBeLessThanOrEqual(1000)
    expect(new Set(runs.slice(before).map(({ monitor }) => monitor))).toEqual(new Set([0, 1]))
  }
})

// ---- results arrive once ------------------------------------------------------------------------------------------

/** As an earlier life of the agent left it: so many results on disk, and nothing to run. */
async function withBuffered(count: number) {
  const { api, world } = await setUp()
  api.checks = []
  await openStateDir(world.state_dir)
  const buffer = await ResultBuffer.open({ dir: bufferDir(world.state_dir), now: Date.now })
  for (let n = 0; n < count; n += 1) void buffer.add(resultOf(n))
  await buffer.close()
  return { api, world }
}

const inOrder = (count: number) => Array.from({ length: count }, (_, n) => n)

test('1,200 results that wait go in 3 calls, oldest first', async () => {
  const { api, world } = await withBuffered(1200)
  startAgent(world)
  await api.until(() => uploaded(api).length >= 1200)
  expect(sizes(api)).toEqual([500, 500, 200])
  expect(uploaded(api).map(({ latency_ms }) => latency_ms)).toEqual(inOrder(1200))
})

test('when the answer to an upload is lost, the same results go again with the same ran_at', async () => {
  const { api, world } = await withBuffered(30)
  const received: string[] = []
  api.next('POST /results', (res, { body }) => {
    received.push(body)
    res.destroy()
  })
  startAgent(world)
  await api.until(() => uploaded(api).length >= 30)
  expect(received.map((body) => JSON.parse(body).results)).toEqual(api.uploads)
  expect(new Set(uploaded(api).map(keyOf)).size).toBe(30)
})

test('413 halves what is sent at a time, and everything arrives in order', async () => {
  const { api, world } = await withBuffered(400)
  api.next('POST /results', text(413, 'too large'), text(413, 'too large'))
  startAgent(world)
  await api.until(() => uploaded(api).length >= 400)
  expect(sizes(api)).toEqual([100, 200, 100])
  expect(uploaded(api).map(({ latency_ms }) => latency_ms)).toEqual(inOrder(400))
})

test('403 pauses the agent: it runs nothing, uploads nothing and keeps what waits', async () => {
  const { api, world } = await withBuffered(30)
  api.checks = [everySecond('a')]
  let runs = 0
  world.runCheck = async () => {
    runs += 1
    return UP
  }
  api.next('GET /checks', text(403, 'this monitor is disabled'))
  api.next('POST /results', text(403, 'this monitor is disabled'))
  const { stop } = startAgent(world)
  await until(() => world.logged.some((line) => line.startsWith('disabled')))
  await stop()
  expect([runs, api.uploads.length]).toEqual([0, 0])
  expect(world.logged.at(-1)).toBe('stopped {"unsent_results":30}')
  startAgent(world)
  await api.until(() => uploaded(api).length >= 30 && runs > 0)
})

// ---- it is started again ------------------------------------------------------------------------------------------

const ending: (() => void)[] = []
afterEach(() => ending.splice(0).forEach((end) => end()))

test('after a kill -9 it is who it was without a token, its identity is its own alone, and what waited arrives', async () => {
  const { api, world } = await setUp()
  // Nothing is taken until the agent is killed.
  const offered = new Set<string>()
  const offer = () =>
    api.next('POST /results', (res, arrived) => {
      for (const result of JSON.parse(arrived.body).results) offered.add(keyOf(result))
      offer()
      text(503, 'overloaded')(res, arrived)
    })
  offer()
  const place = ['--name', 'n', '--region', 'eu', '--country', 'DE', '--city', 'Kiel', '--connectivity', 'off']
  const child = spawn(process.execPath, [PROGRAM, '--server', api.url, '--state-dir', world.state_dir, ...place], {
    env: { ...CHILD_ENVIRONMENT, DOGWATCH_ENROLLMENT_TOKEN: 'enroll-token' },
    stdio: 'ignore',
  })
  ending.push(() => child.kill('SIGKILL'))
  await api.until(() => offered.size >= 4)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect((await stat(identityPath(world.state_dir))).mode & 0o777).toBe(0o600)
  world.token = undefined
  api.forget('POST /results')
  startAgent(world)
  const arrived = () => new Set(uploaded(api).map(keyOf))
  await api.until(() => [...offered].every((key) => arrived().has(key)))
  expect(api.enrolled).toHaveLength(1)
})

/** A result is known by its check and its time. */
function keyOf({ check_guid, ran_at }: Pick<Result, 'check_guid' | 'ran_at'>): string {
  return `${check_guid} ${ran_at}`
}
