// Loops: what ends them, and what does not keep them from ending.
import { expect, test } from '@jest/globals'
import { Fatal } from '../../src/process/fatal.ts'
import { Bell, type Loop, repeatAll } from '../../src/process/repeat.ts'

const loop = (step: Loop['step'], more: Partial<Loop> = {}): Loop => ({
  step,
  bell: new Bell(),
  onError: () => undefined,
  ...more,
})
const never = () => new Promise<never>(() => undefined)

test('a step that hangs, as a dead mount makes it, is left alone at the end', async () => {
  const ending = new AbortController()
  const hanging = loop(never, { end_ms: 0 })
  const running = repeatAll([hanging, loop(async () => 60_000)], ending)
  ending.abort()
  await expect(running).resolves.toBeUndefined()
})

test('a step under way at the end is waited for, so that what it learns is not lost', async () => {
  const ending = new AbortController()
  let learnt = ''
  const running = repeatAll(
    [
      loop(async () => {
        ending.abort()
        await new Promise(setImmediate)
        learnt = 'the key'
        return 0
      }),
    ],
    ending,
  )
  await running
  expect(learnt).toBe('the key')
})

test('what a step throws is no reason to end, unless it is fatal', async () => {
  const told: string[] = []
  const bell = new Bell()
  let steps = 0
  const failing = loop(
    async () => {
      steps += 1
      if (steps === 3) throw new Fatal('no more', 78)
      bell.ring()
      throw new Error(`failure ${steps}`)
    },
    { bell, onError: (error) => told.push(error) },
  )
  await expect(repeatAll([failing, loop(async () => 60_000)], new AbortController())).rejects.toThrow('no more')
  expect(told).toEqual(['failure 1', 'failure 2'])
})
