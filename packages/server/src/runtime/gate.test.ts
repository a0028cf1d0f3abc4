import { expect, test } from '@jest/globals'
import { Gate, GateFull } from './gate.ts'

/** Work that ends when it is told to. */
function job() {
  const ends = Promise.withResolvers<string>()
  const self = { begun: false, end: ends.resolve, fail: ends.reject, work: () => ((self.begun = true), ends.promise) }
  return self
}

test('so many run at once, so many wait in line, and the next is turned away', async () => {
  const gate = new Gate({ atOnce: 2, inLine: 2 })
  const jobs = Array.from({ length: 5 }, job)
  const runs = jobs.map(({ work }) => gate.run(work))
  await expect(runs[4]).rejects.toThrow(GateFull)
  const begun = () => jobs.map((one) => one.begun)
  expect(begun()).toEqual([true, true, false, false, false])
  jobs[1]?.end('b')
  expect(await runs[1]).toBe('b')
  await new Promise(setImmediate)
  expect(begun()).toEqual([true, true, true, false, false])
  for (const [index, one] of jobs.entries()) one.end(String(index))
  expect(await Promise.all(runs.slice(0, 4))).toEqual(['0', 'b', '2', '3'])
})

test('work that fails gives its place back', async () => {
  const gate = new Gate({ atOnce: 1, inLine: 0 })
  const broken = job()
  const run = gate.run(broken.work)
  broken.fail(new Error('broken'))
  await expect(run).rejects.toThrow('broken')
  expect(await gate.run(async () => 'next')).toBe('next')
})
