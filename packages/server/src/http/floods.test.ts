import { expect, test } from '@jest/globals'
import { Refusals } from './floods.ts'

let now = 0
const refusals = () => {
  now = 0
  return new Refusals({ monotonicMs: () => now })
}
const fill = (of: Refusals, times: number, seconds = 5) => {
  for (let n = 0; n < times; n++) of.note('console', '192.0.2.1', seconds)
}

test('an address that was refused a few times is asked as usual', () => {
  const of = refusals()
  fill(of, 19)
  expect(of.waitOf('console', '192.0.2.1')).toBeUndefined()
})

test('an address that was refused again and again waits for as long as its limit says, and no longer', () => {
  const of = refusals()
  fill(of, 20)
  expect(of.waitOf('console', '192.0.2.1')).toBe(5)
  now = 4999
  expect(of.waitOf('console', '192.0.2.1')).toBeCloseTo(0.001)
  now = 5000
  expect(of.waitOf('console', '192.0.2.1')).toBeUndefined()
})

test('other addresses and other limits are not concerned', () => {
  const of = refusals()
  fill(of, 20)
  expect(of.waitOf('console', '192.0.2.2')).toBeUndefined()
  expect(of.waitOf('account-api', '192.0.2.1')).toBeUndefined()
})

test('what was refused long ago does not count', () => {
  const of = refusals()
  fill(of, 19)
  now = 10_001
  fill(of, 1)
  expect(of.waitOf('console', '192.0.2.1')).toBeUndefined()
})

test('the addresses remembered are bounded, and the least recent is forgotten', () => {
  const of = refusals()
  fill(of, 20, 1000)
  for (let n = 0; n < 10_000; n++) of.note('console', `address ${n}`, 5)
  expect(of.waitOf('console', '192.0.2.1')).toBeUndefined()
})
