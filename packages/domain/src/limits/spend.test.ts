// Limits that each process counts on its own, and clients that go on although they are refused. No store is asked.

import { silentLog } from '@dogwatch/runtime/log'
import type { Database } from '@dogwatch/store/database'
import { beforeEach, expect, test } from '@jest/globals'
import { type FakeClock, fakeClock } from '../../../runtime/test/support/fake-clock.ts'
import { clientAt } from './address.ts'
import { RateLimiter } from './spend.ts'

const LIMIT = { name: 'console', per_sec: 0.2, burst: 1, isLocal: true }
const CLIENT = clientAt('192.0.2.1')

let clock: FakeClock
let limiter: RateLimiter
beforeEach(() => {
  clock = fakeClock()
  limiter = new RateLimiter({ database: {} as Database, clock, log: silentLog })
})

/** Spends the burst, and then as many requests that are refused. */
async function refuse(times: number, subject = CLIENT.address): Promise<void> {
  for (let n = 0; n <= times; n++) await limiter.spend(LIMIT, subject)
}

test('a client that was refused a few times is handled as usual', async () => {
  await refuse(19)
  expect(limiter.floodOf('console', CLIENT)).toBeUndefined()
})

test('a client that was refused again and again is a flood for as long as its limit says, and no longer', async () => {
  await refuse(20)
  expect(limiter.floodOf('console', CLIENT)).toBeCloseTo(5)
  clock.forward(4.999)
  expect(limiter.floodOf('console', CLIENT)).toBeCloseTo(0.001)
  clock.forward(0.001)
  expect(limiter.floodOf('console', CLIENT)).toBeUndefined()
  expect(await limiter.spend(LIMIT, CLIENT.address)).toEqual({ kind: 'pass' })
})

test('other clients and other limits are not concerned', async () => {
  await refuse(20)
  expect(limiter.floodOf('console', clientAt('192.0.2.2'))).toBeUndefined()
  expect(limiter.floodOf('account-api', CLIENT)).toBeUndefined()
})

test('what was refused long ago does not count', async () => {
  await refuse(19)
  clock.forward(10.001)
  await refuse(1)
  expect(limiter.floodOf('console', CLIENT)).toBeUndefined()
})

test('a network whose addresses are all refused is a flood, whatever address of it comes next', async () => {
  for (let n = 0; n < 30; n++) {
    const client = clientAt(`2001:db8:0:${n.toString(16)}::1`)
    await limiter.requireFrom(LIMIT, client, 8).catch(() => {})
  }
  expect(limiter.floodOf('console', clientAt('2001:db8:0:ffff::1'))).toBeGreaterThan(0)
  expect(limiter.floodOf('console', clientAt('2001:db8:1::1'))).toBeUndefined()
})

test('what is remembered is bounded, and the least recent is forgotten', async () => {
  await refuse(20)
  for (let n = 0; n < 20_000; n++) await refuse(1, `address ${n}`)
  expect(limiter.floodOf('console', CLIENT)).toBeUndefined()
})

test('turns are reserved at once within the burst, and one after the other beyond it; another client does not wait', () => {
  const limit = { name: 'ping', per_sec: 50, burst: 10 }
  const waits = Array.from({ length: 15 }, () => limiter.reserve(limit, 'greedy'))
  expect(waits).toEqual([...Array<number>(10).fill(0), 20, 40, 60, 80, 100])
  expect(limiter.reserve(limit, 'honest')).toBe(0)
  clock.forward(0.1)
  expect(limiter.reserve(limit, 'greedy')).toBe(20)
})
