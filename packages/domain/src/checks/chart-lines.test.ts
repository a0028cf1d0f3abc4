// The lines of a chart of response times.
import { expect, test } from '@jest/globals'
import { linesOfMonitors, MOST_LINES } from './chart-lines.ts'

const MINUTE_MS = 60_000
const step = (minute: number, runs: number, failures = 0, ms: number | null = 100) => ({
  from: minute * MINUTE_MS,
  runs,
  failures,
  latency_avg_ms: ms,
  latency_max_ms: ms,
})
const monitor = (monitor_id: string, steps: ReturnType<typeof step>[], monitor_name = monitor_id) => ({
  monitor_id,
  monitor_name,
  steps,
})

test('each monitor has a line, with gaps where it found nothing; a step counts the runs of all', () => {
  const lines = linesOfMonitors([
    monitor('m2', [step(2, 1, 0, 300), step(3, 2, 2, null)], 'Berlin'),
    monitor('m1', [step(1, 4, 1, 100), step(2, 3, 0, 100)], 'Oslo'),
  ])
  expect(lines).toMatchObject({
    kind: 'monitors',
    at: [60, 120, 180],
    runs: [4, 4, 2],
    failures: [1, 0, 2],
    means: [100, 150, null],
    lines: [
      { label: 'Berlin', values: [null, 300, null], failed: [false, false, true] },
      { label: 'Oslo', values: [100, 100, null] },
    ],
  })
})

test('a monitor that is gone is named by its id', () => {
  expect(linesOfMonitors([monitor('m1', [step(1, 1)], '')]).lines).toEqual([
    { label: 'm1', values: [100], failed: [false] },
  ])
})

test('of too many monitors those with the fewest runs share a line', () => {
  const many = Array.from({ length: MOST_LINES + 1 }, (_, n) => monitor(`m${n}`, [step(1, n + 1, 0, n * 10)]))
  const { lines, runs } = linesOfMonitors(many)
  expect(lines.map(({ label }) => label)).toEqual([...many.slice(2).map(({ monitor_id }) => monitor_id), '2 others'])
  // One run of 0 ms and two of 10.
  expect(lines.at(-1)?.values).toEqual([7])
  expect(runs).toEqual([45])
})

test('without a result there is no line', () => {
  expect(linesOfMonitors([])).toMatchObject({ at: [], lines: [], means: [] })
})
