import { expect, test } from '@jest/globals'
import { gapsOf } from './chart.tsx'

const START = Date.parse('2026-11-20T00:00:00Z') / 1000
const day = {
  from: new Date(START * 1000),
  until: new Date((START + 86_400) * 1000),
  now: new Date((START + 86_400) * 1000),
  step_sec: 3600,
  gap_sec: 7200,
  label: '',
}
const points = (...hours: number[]) =>
  hours.map((hour) => ({
    at: new Date((START + hour * 3600) * 1000).toISOString(),
    runs: 60,
    failures: 0,
    latency_avg_ms: 1,
    latency_max_ms: 1,
  }))
const ALL = Array.from({ length: 24 }, (_, hour) => hour)

test.each<[string, number[], number, [number, number][]]>([
  ['none where every hour has runs', ALL, 24, []],
  ['none for one hour that is missing at an edge of the hours', ALL.filter((hour) => hour !== 5), 24, []],
  ['before the first run', ALL.slice(6), 24, [[0, 6]]],
  ['between runs', [...ALL.slice(0, 6), ...ALL.slice(12)], 24, [[6, 12]]],
  ['after the last run, up to now', ALL.slice(0, 12), 20, [[12, 20]]],
  ['all of it', [], 24, [[0, 24]]],
])('gaps: %s', (_, hours, now_hour, want) => {
  const now = new Date((START + now_hour * 3600) * 1000)
  const gaps = gapsOf({ ...day, now, points: points(...hours) })
  expect(gaps.map((gap) => gap.map((at) => (at - START) / 3600))).toEqual(want)
})
