import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Rate, spendOne } from './gcra.ts'

/** The times at which requests pass, of those that come at `times`. */
function passing(rate: Rate, times: readonly number[]): number[] {
  let full_at = Number.NEGATIVE_INFINITY
  return times.filter((now) => {
    const spent = spendOne(rate, full_at, now)
    if (spent.isAllowed) full_at = spent.full_at
    return spent.isAllowed
  })
}

test('a full bucket lets exactly its burst through at once', () => {
  expect(passing({ per_sec: 10, burst: 30 }, Array<number>(50).fill(7))).toHaveLength(30)
})

test('whoever waits as long as told passes, and a millisecond earlier does not', () => {
  const rate = { per_sec: 0.3, burst: 1 }
  const first = spendOne(rate, 0, 1_000)
  if (!first.isAllowed) throw new Error('a full bucket refused')
  const second = spendOne(rate, first.full_at, 1_500)
  if (second.isAllowed) throw new Error('an empty bucket did not refuse')
  expect(spendOne(rate, first.full_at, 1_500 + second.wait_ms - 1).isAllowed).toBe(false)
  expect(spendOne(rate, first.full_at, 1_500 + second.wait_ms).isAllowed).toBe(true)
})

test('no window of time ever sees more than the burst and what came back meanwhile', () => {
  const rates = fc.record({ per_sec: fc.constantFrom(0.1, 1, 5, 10), burst: fc.integer({ min: 1, max: 30 }) })
  fc.assert(
    fc.property(rates, fc.array(fc.nat(2_000), { maxLength: 200 }), (rate, gaps) => {
      let now = 0
      const times = gaps.map((gap) => (now += gap))
      const passed = passing(rate, times)
      for (const [i, from] of passed.entries()) {
        for (const [j, to] of passed.entries()) {
          if (j < i) continue
          expect(j - i + 1).toBeLessThanOrEqual(rate.burst + ((to - from) / 1000) * rate.per_sec + 1e-6)
        }
      }
    }),
    { numRuns: 50 },
  )
})

test('several at once take as many intervals as one after the other', () => {
  const rate = { per_sec: 10, burst: 30 }
  const spent = spendOne(rate, 0, 1_000, 30)
  expect(spent).toEqual({ isAllowed: true, full_at: 4_000 })
  expect(spendOne(rate, 4_000, 1_000, 5)).toEqual({ isAllowed: false, wait_ms: 500 })
  expect(spendOne(rate, 4_000, 1_500, 5)).toEqual({ isAllowed: true, full_at: 4_500 })
})
