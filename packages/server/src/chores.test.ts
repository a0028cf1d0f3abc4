import { expect, test } from '@jest/globals'
import { restAfter } from './chores.ts'

const HOUR_MS = 3_600_000

test('a chore that runs once an hour is retried within minutes when it failed, and one that runs often as ever', () => {
  expect(restAfter({ every_ms: HOUR_MS }, 'failed')).toBe(300_000)
  expect(restAfter({ every_ms: 5_000 }, 'failed')).toBe(5_000)
  expect(restAfter({ every_ms: 1_000, most_ms: 5_000 }, 'failed')).toBe(1_000)
})

test('a chore rests until it can find something to do, but neither shorter nor longer than it may', () => {
  expect(restAfter({ every_ms: HOUR_MS }, 0)).toBe(HOUR_MS)
  expect(restAfter({ every_ms: 1_000, most_ms: 5_000 }, Number.NaN)).toBe(1_000)
  expect(restAfter({ every_ms: 1_000, most_ms: 5_000 }, 10)).toBe(1_000)
  expect(restAfter({ every_ms: 1_000, most_ms: 5_000 }, 3_000)).toBe(3_000)
  expect(restAfter({ every_ms: 1_000, most_ms: 5_000 }, Infinity)).toBe(5_000)
})
