// One look for many who ask.
import { expect, test } from '@jest/globals'
import { fresh } from './fresh.ts'

function counting() {
  let now = 0
  let looks = 0
  const pending: { resolve: (value: number) => void; reject: (error: Error) => void }[] = []
  const ask = fresh({ monotonicMs: () => now }, 1000, () => {
    looks++
    return new Promise<number>((resolve, reject) => pending.push({ resolve, reject }))
  })
  return { ask, pending, looks: () => looks, forward: (ms: number) => void (now += ms) }
}

test('those who ask while it is looked up wait for the same, however long that takes', async () => {
  const { ask, pending, looks, forward } = counting()
  const first = ask()
  forward(5000)
  const second = ask()
  pending[0]?.resolve(7)
  expect(await Promise.all([first, second])).toEqual([7, 7])
  expect(looks()).toBe(1)
})

test('what was found holds from when it was found, and no longer', async () => {
  const { ask, pending, looks, forward } = counting()
  const first = ask()
  forward(3000)
  pending[0]?.resolve(7)
  await first
  forward(999)
  expect(await ask()).toBe(7)
  expect(looks()).toBe(1)
  forward(1)
  const again = ask()
  pending[1]?.resolve(8)
  expect(await again).toBe(8)
})

test('a failure holds as long, and then it is looked up again', async () => {
  const { ask, pending, looks, forward } = counting()
  const first = ask()
  pending[0]?.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await expect(ask()).rejects.toThrow('away')
  expect(looks()).toBe(1)
  forward(1000)
  const again = ask()
  pending[1]?.resolve(9)
  expect(await again).toBe(9)
})
