// Retries in a running agent: what is uploaded of a failure that was repeated, also when an answer is lost or the agent ends.
import type { Result } from '@dogwatch/monitor-sdk'
import { SLEW_RATE } from '@dogwatch/monitor-sdk/agent'
import { expect, test } from '@jest/globals'
import type { RunResult } from '../../src/run/run-result.ts'
import { startAgent, UP, worldOf } from './support/running-agent.ts'
import { checkRow, hangUp, type ScriptedApi, scriptedApi } from './support/scripted-api.ts'

const DOWN: RunResult = { ...UP, kind: 'refused', success: false, error: 'refused: connection refused', http_status: 0 }
/** A retry is over long before the next slot. */
const RETRIED = { interval_sec: 20, timeout_sec: 1, retry_count: 1, retry_interval_sec: 1 }

/** An agent with one check, whose runs all fail. `ran` resolves with the first of them. */
async function failing(retry_interval_sec = RETRIED.retry_interval_sec) {
  const api = await scriptedApi()
  api.checks.push(checkRow({ ...RETRIED, retry_interval_sec }))
  /** When they began, by a clock that only goes forth and by the one on the wall. */
  const runs: { mono: number; wall: number }[] = []
  const world = await worldOf(api)
  const ran = new Promise<void>((resolve) => {
    world.runCheck = async () => {
      runs.push({ mono: performance.now(), wall: Date.now() })
      resolve()
      return DOWN
    }
  })
  return { api, world, runs, ran }
}

const uploadsOf = (api: ScriptedApi): Result[][] =>
  api.arrived.flatMap(({ route, body }) =>
    route === 'POST /results' ? [(JSON.parse(body) as { results: Result[] }).results] : [],
  )

test('a failure is repeated and uploaded once; when the answer is lost, the same result is uploaded again', async () => {
  const { api, world, runs } = await failing()
  api.next('POST /results', hangUp)
  startAgent(world)
  await api.until(() => api.uploads.length > 0)
  const [lost = [], again = []] = uploadsOf(api)
  expect(lost).toHaveLength(1)
  expect(lost[0]).toMatchObject({ success: false, retries: 1, error: DOWN.error })
  expect(again[0]).toEqual(lost[0])
  const [first, second] = runs
  // The server's time decides, and the agent's own clock can still be behind it.
  expect((second?.mono ?? 0) - (first?.mono ?? 0)).toBeGreaterThanOrEqual(1000 * (1 - SLEW_RATE))
  expect(Math.abs(Date.parse(lost[0]?.ran_at ?? '') - (second?.wall ?? 0))).toBeLessThan(1000)
})

test('a failure that is to be repeated is uploaded when the agent ends', async () => {
  const { api, world, runs, ran } = await failing(10)
  const { stop } = startAgent(world)
  await ran
  expect(api.uploads.flat()).toEqual([])
  await stop()
  expect(api.uploads.flat()).toMatchObject([{ success: false, retries: 0 }])
  expect(runs).toHaveLength(1)
})
