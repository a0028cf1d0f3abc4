import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { fakeClock } from '../test/support/fake-clock.ts'
import { type CostedJob, CostQueue } from './cost-queue.ts'

const WIDE = { of_owner: 1_000, in_all: 10_000 }
const QUICK_MS = 50
const LONG_MS = 1_000

interface Job extends CostedJob {
  name: string
}
const job = (owner: number, most_ms = QUICK_MS, name = `${owner}`): Job => ({ owner, most_ms, name })

function takeAll(queue: CostQueue<Job>): string[] {
  const names = []
  for (let next = queue.take(); next; next = queue.take()) names.push(next.name)
  return names
}

test('the owner that used least lately goes first, and equals go in the order in which they came', () => {
  const queue = new CostQueue<Job>(WIDE, fakeClock())
  queue.charge(1, 900)
  queue.charge(2, 20)
  for (const owner of [1, 2, 3, 4]) queue.add(job(owner))
  expect(takeAll(queue)).toEqual(['3', '4', '2', '1'])
})

test('a job that may cost much waits for those that may cost little, unless their owners have used more than it may cost', () => {
  const queue = new CostQueue<Job>(WIDE, fakeClock())
  queue.charge(2, 500)
  queue.charge(3, 2_000)
  queue.add(job(1, LONG_MS))
  queue.add(job(2))
  queue.add(job(3))
  expect(takeAll(queue)).toEqual(['2', '1', '3'])
})

test('half of a cost is forgotten in five minutes, and after hours nothing of it is remembered', () => {
  const clock = fakeClock()
  const queue = new CostQueue<Job>(WIDE, clock)
  queue.charge(1, 1_000)
  clock.forward(300)
  queue.charge(2, 499)
  queue.charge(3, 501)
  for (const owner of [3, 1, 2]) queue.add(job(owner))
  expect(takeAll(queue)).toEqual(['2', '1', '3'])
  expect(queue.remembered).toBe(3)
  clock.forward(4 * 3600)
  queue.charge(4, 10)
  expect(queue.remembered).toBe(1)
})

describe('bounds', () => {
  test('an owner with too many jobs gets no more room, and others do', () => {
    const queue = new CostQueue<Job>({ of_owner: 2, in_all: 10 }, fakeClock())
    expect(queue.add(job(1))).toBeUndefined()
    expect(queue.add(job(1))).toBeUndefined()
    const third = job(1)
    expect(queue.add(third)).toBe(third)
    expect(queue.add(job(2))).toBeUndefined()
    expect(queue.size).toBe(3)
  })

  test('in a full queue the dearest owner loses its newest job to one that used less', () => {
    const queue = new CostQueue<Job>({ of_owner: 10, in_all: 3 }, fakeClock())
    queue.charge(1, 5_000)
    queue.charge(2, 2_000)
    for (const name of ['a', 'b', 'c']) queue.add(job(1, QUICK_MS, name))
    expect(queue.add(job(2))?.name).toBe('c')
    expect(queue.add(job(3))?.name).toBe('b')
    const dear = job(1)
    expect(queue.add(dear)).toBe(dear)
    expect(queue.size).toBe(3)
  })

  test('a job that was removed is not taken', () => {
    const queue = new CostQueue<Job>(WIDE, fakeClock())
    const gone = job(1)
    queue.add(gone)
    expect(queue.remove(gone)).toBe(true)
    expect(queue.remove(gone)).toBe(false)
    expect(queue.take()).toBeUndefined()
  })
})

/** Time in which a single processor reaches a cheap job that comes while dear owners keep it busy. */
function waitOf(owners: number, jobsEach: number, comes_ms: number): number {
  const clock = fakeClock()
  const queue = new CostQueue<Job>(WIDE, clock)
  for (let owner = 1; owner <= owners; owner++) for (let n = 0; n < jobsEach; n++) queue.add(job(owner))
  const honest = job(0)
  let came_ms: number | undefined
  const start_ms = clock.monotonicMs()
  for (;;) {
    if (came_ms === undefined && clock.monotonicMs() - start_ms >= comes_ms) {
      came_ms = start_ms + comes_ms
      queue.add(honest)
    }
    const next = queue.take()
    if (!next) throw new Error('the dear owners had too little work for this test')
    if (next === honest) return clock.monotonicMs() - (came_ms ?? 0)
    // Each of their jobs takes all that it may, and the first try of it was in vain.
    clock.forward(next.most_ms / 1000)
    queue.charge(next.owner, next.most_ms)
    if (next.most_ms === QUICK_MS) queue.add({ ...next, most_ms: LONG_MS })
  }
}

test('a cheap job waits at most for the job in progress, however many dear owners and jobs there are', () => {
  fc.assert(
    fc.property(
      fc.record({ owners: fc.integer({ min: 1, max: 40 }), jobsEach: fc.integer({ min: 1, max: 8 }) }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      ({ owners, jobsEach }, part) => {
        // From when each of them is known to be dear until all of their work is done.
        const known_ms = owners * jobsEach * QUICK_MS
        const comes_ms = known_ms + part * owners * jobsEach * LONG_MS * 0.99
        expect(waitOf(owners, jobsEach, comes_ms)).toBeLessThanOrEqual(LONG_MS)
      },
    ),
    { numRuns: 100 },
  )
})

test('a cheap job that comes together with dear ones of owners who are new waits for a first short try of each at most', () => {
  for (const owners of [9, 50]) expect(waitOf(owners, 4, 0)).toBeLessThanOrEqual(owners * QUICK_MS)
})
