import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import type { OddJob } from '../test/support/odd-jobs.ts'
import { FairThread, type FairThreadOptions } from './fair-thread.ts'

const SCRIPT = new URL('../test/support/odd-jobs.ts', import.meta.url)
const OPTIONS: FairThreadOptions = {
  script: SCRIPT,
  heap_mb: 32,
  tries_ms: [20, 60],
  wait_ms: 60_000,
  stuck_ms: 60_000,
  waiting: { of_owner: 5, in_all: 8 },
}
const open = (options: Partial<FairThreadOptions> = {}) => new FairThread<OddJob, string>({ ...OPTIONS, ...options })

test('a job is answered, and the thread that stopped by itself does the next one', async () => {
  const thread = open()
  expect(await thread.run(1, 'quick')).toEqual({ answer: 'did quick' })
  expect(await thread.run(1, 'careful')).toEqual({ refusal: 'too_dear' })
  expect(await thread.run(1, 'quick')).toEqual({ answer: 'did quick' })
})

test.each([
  ['endless', { refusal: 'too_dear' }],
  ['huge', { refusal: 'too_dear' }],
  ['throws', /a fault in the code/],
  ['dies', /the thread ended with 3/],
] as const)('a job that is %s loses itself alone', async (job, end) => {
  const thread = open({ tries_ms: [500] })
  const [first, odd, last] = await Promise.allSettled([
    thread.run(1, 'quick'),
    thread.run(2, job),
    thread.run(3, 'quick'),
  ])
  expect([first, last].map((one) => one.status === 'fulfilled' && one.value)).toEqual([
    { answer: 'did quick' },
    { answer: 'did quick' },
  ])
  if (end instanceof RegExp) expect(odd).toMatchObject({ reason: { message: expect.stringMatching(end) } })
  else expect(odd).toMatchObject({ value: end })
})

test('a job that needs more than its first try waits behind cheap jobs that came later', async () => {
  const thread = open()
  const done: string[] = []
  const run = async (owner: number, job: OddJob) =>
    done.push(`${owner} ${JSON.stringify(await thread.run(owner, job))}`)
  await Promise.all([run(1, 'careful'), run(2, 'careful'), run(3, 'quick'), run(4, 'quick')])
  expect(done.slice(0, 2)).toEqual(['3 {"answer":"did quick"}', '4 {"answer":"did quick"}'])
})

test('a job that finds no room, or waits too long, is refused as busy', async () => {
  const full = open({ waiting: { of_owner: 1, in_all: 8 } })
  const outcomes = await Promise.all([full.run(1, 'quick'), full.run(1, 'quick'), full.run(1, 'quick')])
  expect(outcomes).toEqual([{ answer: 'did quick' }, { answer: 'did quick' }, { refusal: 'busy' }])
  const hasty = open({ wait_ms: 0 })
  const [, late] = await Promise.all([hasty.run(1, 'careful'), hasty.run(1, 'quick')])
  expect(late).toEqual({ refusal: 'busy' })
})

test('what cannot be copied into the thread is an error, and the next job is done', async () => {
  const thread = open()
  await expect(thread.run(1, (() => {}) as unknown as OddJob)).rejects.toThrow(/could not be cloned/)
  expect(await thread.run(1, 'quick')).toEqual({ answer: 'did quick' })
})

test('a machine that gives a thread no time is not the fault of its job', async () => {
  expect(await open({ stuck_ms: 0 }).run(1, 'endless')).toEqual({ refusal: 'busy' })
})

test('a process with a thread that has nothing to do ends', async () => {
  const { href } = new URL('./fair-thread.ts', import.meta.url)
  const source = `
    import { FairThread } from ${JSON.stringify(href)}
    const options = { ...${JSON.stringify({ ...OPTIONS, script: undefined })}, script: new URL(${JSON.stringify(SCRIPT.href)}) }
    const thread = new FairThread(options)
    const [quick, endless] = await Promise.all([thread.run(1, 'quick'), thread.run(2, 'endless')])
    console.log(JSON.stringify([quick, endless, await thread.run(1, 'quick')]))`
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', source], { timeout: 60_000 })
  expect(JSON.parse((await run).stdout)).toEqual([
    { answer: 'did quick' },
    { refusal: 'too_dear' },
    { answer: 'did quick' },
  ])
})
