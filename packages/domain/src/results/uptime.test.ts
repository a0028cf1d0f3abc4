import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { percent, sumRuns, uptime } from './uptime.ts'

test.each([
  [0, 0, null],
  [1, 0, null],
  [0, 7, 0],
  [7, 7, 100],
  [8, 7, 100],
  [99_999, 100_000, 99.99],
  [1, 3, 33.33],
  [57, 100, 57],
  [102, 125, 81.6],
])('%i of %i is %p', (part, whole, want) => {
  expect(percent(part, whole)).toBe(want)
})

test('an uptime is 100 exactly when there were runs and none failed', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(1_000_000), (a, b) => {
      const [failures, runs] = [Math.min(a, b), Math.max(a, b)]
      expect(uptime({ runs, failures }) === 100).toBe(runs > 0 && failures === 0)
    }),
  )
})

test('runs add up', () => {
  expect(
    sumRuns([
      { runs: 2, failures: 1 },
      { runs: 3, failures: 0 },
    ]),
  ).toEqual({ runs: 5, failures: 1 })
  expect(sumRuns([])).toEqual({ runs: 0, failures: 0 })
})
