// A client that pings faster than its pace waits; others do not.
import { expect, test } from '@jest/globals'
import { Pace } from './pace.ts'

test('a burst passes at once, and what is beyond it one after the other; another client does not wait', async () => {
  const pace = new Pace({ per_sec: 50, burst: 10 })
  const passed: string[] = []
  const begun = performance.now()
  const flood = Promise.all(Array.from({ length: 15 }, () => pace.keep('greedy').then(() => passed.push('greedy'))))
  await pace.keep('honest').then(() => passed.push('honest'))
  expect(passed.filter((who) => who === 'greedy').length).toBeLessThanOrEqual(10)
  await flood
  expect(performance.now() - begun).toBeGreaterThanOrEqual(95)
})

test('without a rate nobody waits', async () => {
  const pace = new Pace(undefined)
  let hasWaited = false
  const turn = setImmediate(() => (hasWaited = true))
  for (let n = 0; n < 1000; n++) await pace.keep('greedy')
  clearImmediate(turn)
  expect(hasWaited).toBe(false)
})
