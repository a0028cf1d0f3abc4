// When a key that is refused is asked about again, and when it counts as revoked.
import { expect, test } from '@jest/globals'
import { KeyRefusal, REVOKED_AFTER_MS } from '../../src/identity/key-refusal.ts'

const MIN = 60_000

test('the wait doubles up to five minutes and stays there, and each growth is told, then once an hour', () => {
  const key = new KeyRefusal()
  let now = 0
  const waits: number[] = []
  const told: number[] = []
  for (let n = 0; n < 60; n += 1) {
    const { wait_ms, isTold } = key.refused(now)
    waits.push(wait_ms / 1000)
    if (isTold) told.push(n)
    now += wait_ms
  }
  expect(waits.slice(0, 10)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  expect(new Set(waits.slice(10))).toEqual(new Set([300]))
  expect(told.slice(0, 12)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 20, 32, 44])
})

test('it is for good after a day of nothing but refusals', () => {
  const key = new KeyRefusal()
  let now = 0
  for (; now < REVOKED_AFTER_MS; now += 5 * MIN) expect(key.refused(now).isForGood).toBe(false)
  expect(key.refused(now)).toMatchObject({ isForGood: true, for_ms: REVOKED_AFTER_MS })
})

test('an attempt that came to anything else begins the day anew', () => {
  const key = new KeyRefusal()
  for (let now = 0; now < 30 * 86_400_000; now += 5 * MIN) {
    if (now % (20 * 3_600_000) === 0) key.interrupted()
    expect(key.refused(now).isForGood).toBe(false)
  }
})

test('a night in which nobody asked is no confirmation', () => {
  const key = new KeyRefusal()
  expect([0, 1, 2, 3].map((night) => key.refused(night * 9 * 3_600_000).isForGood)).toEqual([
    false,
    false,
    false,
    false,
  ])
})

test('when the server takes the key, everything begins anew', () => {
  const key = new KeyRefusal()
  for (let n = 0; n < 9; n += 1) key.refused(n * MIN)
  expect([key.isOn, key.lasting(10 * MIN)]).toEqual([true, 10 * MIN])
  key.over()
  expect([key.isOn, key.lasting(10 * MIN), key.refused(10 * MIN).wait_ms]).toEqual([false, 0, 2000])
})
