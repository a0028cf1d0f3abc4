// A process that stood still does not blame the targets for it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Check, Result } from '@dogwatch/monitor-sdk'
import { turnOf } from '@dogwatch/monitor-sdk/agent'
import { expect, jest, test } from '@jest/globals'
import { readConfig } from '../../src/process/config.ts'
import { LoopLag } from '../../src/process/loop-lag.ts'
import { Metrics } from '../../src/process/metrics.ts'
import { runCheck } from '../../src/run/run-check.ts'
import type { RunResult } from '../../src/run/run-result.ts'
import { ScheduledRuns } from '../../src/schedule/scheduled-runs.ts'
import { serveHttp } from '../support/servers.ts'
import { UP } from './support/running-agent.ts'
import { checkRow } from './support/scripted-api.ts'

const flags = { server: 'http://127.0.0.1:9', 'state-dir': '/unused', region: 'eu', country: 'DE', city: 'Kiel' }

/** The clock by which the agent notices: a machine that is busy with other things does not move it. */
let stood_ms = 0
const mono = () => stood_ms

/** This process stands still, as far as the agent knows. */
function standStill(ms: number): void {
  stood_ms += ms
}

/** It does so indeed: nothing else happens in that time, and deadlines pass. */
function standStillIndeed(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  standStill(ms)
}

/** One check each second, run by a watch of its own until it has kept `results_max` results. */
async function watched(row: Partial<Check>, run: typeof runCheck, results_max = 1) {
  const check = checkRow({ guid: 'a', interval_sec: 1, timeout_sec: 1, ...row })
  const metrics = new Metrics()
  const kept: Result[] = []
  let enough = (): void => undefined
  const done = new Promise<void>((resolve) => (enough = resolve))
  const watch = new ScheduledRuns({
    config: readConfig({ ...flags, connectivity: 'off' }, {}),
    isShared: () => false,
    runCheck: run,
    checks: () => new Map([['a', check]]),
    definitions: () => new Map(),
    keep: (result) => {
      if (kept.push(result) === results_max) enough()
    },
    mono,
    now: Date.now,
    metrics,
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  })
  watch.plan([{ guid: 'a', turn: turnOf(check), cost: 'plain' }])
  await done
  watch.stop()
  await watch.end()
  return { kept, reruns: await countOf(metrics, 'rerun'), skipped: await countOf(metrics, 'skipped') }
}

async function countOf(metrics: Metrics, name: 'rerun' | 'skipped'): Promise<number> {
  const { values } = await metrics[name].get()
  return values.reduce((sum, { value }) => sum + value, 0)
}

/** Far from what a busy machine takes to get an answer, so that the second look has one in time. */
const TIMEOUT_SEC = 3
const LONGER_MS = 3300

/** The real run of a check, and what its target does with the first request: this process stands still. */
function stalledFor(ms: number) {
  const looks: RunResult[] = []
  let isDue = true
  const stall = (): void => {
    if (isDue) standStillIndeed(ms)
    isDue = false
  }
  const run: typeof runCheck = async (check, options) => {
    const found = await runCheck(check, options)
    looks.push(found)
    return found
  }
  /** A target that answers after so long. */
  const serve = (after_ms: number) =>
    serveHttp((_, res) => {
      stall()
      setTimeout(() => res.end('well'), after_ms)
    })
  return { looks, run, stall, serve }
}

test('a target that seemed slow while the agent stood still is looked at again, and that counts', async () => {
  const { looks, run, serve } = stalledFor(LONGER_MS)
  const url = await serve(20)
  const { kept, reruns } = await watched({ url, timeout_sec: 60, max_response_time_ms: 1000 * TIMEOUT_SEC }, run)
  expect(looks.map(({ kind }) => kind)).toEqual(['slow', 'ok'])
  expect([kept.length, kept[0]?.success, reruns]).toEqual([1, true, 1])
  expect(kept[0]?.latency_ms).toBe(looks[1]?.latency_ms)
})

test('so is one that ran out of time meanwhile', async () => {
  const { looks, run, serve } = stalledFor(LONGER_MS)
  const url = await serve(100)
  const { kept, reruns } = await watched({ url, timeout_sec: TIMEOUT_SEC }, run)
  expect(looks.map(({ kind }) => kind)).toEqual(['timeout', 'ok'])
  expect([kept[0]?.success, reruns]).toEqual([true, 1])
})

test('a target that answers neither time is down, and each look ends at its deadline', async () => {
  const { looks, run, stall } = stalledFor(500)
  const url = await serveHttp(stall)
  const { kept, reruns } = await watched({ url }, run)
  expect(looks.map(({ kind }) => kind)).toEqual(['timeout', 'timeout'])
  expect([kept.length, kept[0]?.success, reruns]).toEqual([1, false, 1])
  for (const { latency_ms } of looks) expect(latency_ms).toBeGreaterThan(500)
})

test('so is one whose connection was reset meanwhile, as any other failure', async () => {
  let looks = 0
  const run = async () => {
    looks += 1
    if (looks > 1) return UP
    standStill(400)
    return { ...UP, kind: 'reset' as const, success: false, error: 'reset: x' }
  }
  const { kept, reruns } = await watched({}, run)
  expect([looks, reruns, kept.map(({ success }) => success)]).toEqual([2, 1, [true]])
})

test('the latency of a target that answered while the agent stood still for long is that of a second look', async () => {
  const { looks, run, serve } = stalledFor(1500)
  const url = await serve(20)
  const { kept, reruns } = await watched({ url, timeout_sec: 10 }, run)
  expect(looks.map(({ kind }) => kind)).toEqual(['ok', 'ok'])
  expect(looks[0]?.latency_ms).toBeGreaterThan(1000)
  expect([kept.length, kept[0]?.success, reruns]).toEqual([1, true, 1])
  expect(kept[0]?.latency_ms).toBe(looks[1]?.latency_ms)
})

test('a success is not looked at again for a short standstill', async () => {
  const run = async () => {
    standStill(400)
    return UP
  }
  expect(await watched({}, run)).toMatchObject({ reruns: 0 })
})

test('a slow target is not looked at again when the agent did not stand still', async () => {
  const slow: RunResult = { ...UP, kind: 'slow', success: false, error: 'slow: 2 s' }
  const run = async () => {
    await pause(400)
    return slow
  }
  expect(await watched({}, run)).toMatchObject({ reruns: 0, kept: [expect.objectContaining({ success: false })] })
})

test('the second look belongs to the same run: the next slot passes, and never are there two at a time', async () => {
  let [underWay, most, looks] = [0, 0, 0]
  const run = async (): Promise<RunResult> => {
    underWay += 1
    most = Math.max(most, underWay)
    looks += 1
    if (looks === 1) standStill(400)
    if (looks === 2) await pause(1500)
    underWay -= 1
    return looks === 1 ? { ...UP, kind: 'timeout', success: false, error: 'timeout: x' } : UP
  }
  const { reruns, skipped, kept } = await watched({}, run, 2)
  expect([most, looks, reruns, kept.length]).toEqual([1, 3, 1, 2])
  expect(skipped).toBeGreaterThan(0)
})

test('what stood still before a run began is not held against it', async () => {
  const lag = new LoopLag(mono)
  const unwatch = lag.watch()
  await pause(1)
  const before = mono()
  standStill(400)
  const began = mono()
  expect([lag.hasStalledSince(before), lag.hasStalledSince(began)]).toEqual([true, false])
  await new Promise(setImmediate)
  expect(lag.hasStalledSince(began)).toBe(false)
  unwatch()
})

test('while nothing runs nobody looks, and that time is not taken for a stall', () => {
  let now = 0
  const lag = new LoopLag(() => now)
  const intervals = jest.spyOn(globalThis, 'setInterval')
  now = 60_000
  expect([lag.hasStalledSince(0), intervals.mock.calls.length]).toEqual([false, 0])
  const [first, second] = [lag.watch(), lag.watch()]
  first()
  first()
  now += 400
  expect([lag.hasStalledSince(60_000), intervals.mock.calls.length]).toEqual([true, 1])
  second()
  now += 60_000
  expect(lag.hasStalledSince(60_400)).toBe(false)
  intervals.mockRestore()
})
