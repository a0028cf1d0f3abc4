// Which of the server's rows are run, and what is told of those that are not.
import { expect, test } from '@jest/globals'
import { planRuns } from '../../src/schedule/planning.ts'
import { nextSlot, turnOf } from '@dogwatch/monitor-sdk/agent'
import { startAgent, worldOf } from './support/running-agent.ts'
import { checkRow, scriptedApi } from './support/scripted-api.ts'

/** As no server should send it, and a broken one may. */
const odd = (row: Record<string, unknown>) => checkRow(row)

test.each([[undefined], [null], ['60'], [Number.NaN], [0], [-60], [0.5], [1.5], [2 ** 31], [1e300]])(
  'a check that is to run each %p seconds is not run, and told',
  (interval_sec) => {
    const { planned, unplannable_guids } = planRuns([odd({ guid: 'bad', interval_sec }), odd({ guid: 'a' })], new Map())
    expect([planned.map(({ guid }) => guid), unplannable_guids]).toEqual([['a'], ['bad']])
  },
)

test('no count and no rank of monitors leaves a check without a next slot', () => {
  for (const monitor_count of [Number.NaN, 1e308, 2.5, -1, 0, 3]) {
    for (const monitor_rank of [Number.NaN, 0.5, -1, 0, 2, 1e308]) {
      const turn = turnOf({ guid: 'a', interval_sec: 60, monitor_count, monitor_rank })
      const { at } = nextSlot(turn, Date.parse('2026-11-20T10:00:00Z'))
      expect({ monitor_count, monitor_rank, at, is: Number.isFinite(at) }).toMatchObject({ is: true })
    }
  }
})

test('a row without an interval stops no other check, and the log names it once', async () => {
  const api = await scriptedApi()
  const world = await worldOf(api)
  api.checks = [odd({ guid: 'bad', interval_sec: undefined }), odd({ guid: 'a', interval_sec: 1 })]
  const { stop } = startAgent(world)
  await api.until(() => api.uploads.flat().length > 1)
  await stop()
  expect(new Set(api.uploads.flat().map(({ check_guid }) => check_guid))).toEqual(new Set(['a']))
  expect(world.logged.filter((line) => line.startsWith('no_interval'))).toEqual(['no_interval {"check":"bad"}'])
})
