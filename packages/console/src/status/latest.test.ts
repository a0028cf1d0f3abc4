import type { Clock } from '@dogwatch/runtime/clock'
import { expect, test } from '@jest/globals'
import { Latest } from './latest.ts'

function setup(make: (name: string, nth: number) => Promise<string | undefined>) {
  let ms = 0
  let count = 0
  const clock: Clock = {
    now: () => new Date(ms),
    asTold: () => new Date(ms),
    monotonicMs: () => ms,
    isTrusted: () => true,
    heldMs: () => 0,
    hear: () => {},
  }
  const latest = new Latest<string>({
    clock,
    make: (name) => make(name, ++count),
    fresh_ms: 15_000,
    most: 3,
    sizeOf: ({ length }) => length,
    most_bytes: 11,
  })
  const forward = (by: number) => {
    ms += by
  }
  return { latest, forward, count: () => count }
}

test('a crowd that asks at once is served by one making, also when it takes longer than it stays fresh', async () => {
  let finish: (text: string) => void = () => {}
  const slow = new Promise<string>((resolve) => (finish = resolve))
  const { latest, forward, count } = setup(() => slow)
  const first = Array.from({ length: 50 }, () => latest.get('a'))
  forward(20_000)
  const more = Array.from({ length: 50 }, () => latest.get('a'))
  finish('made')
  expect(new Set(await Promise.all([...first, ...more]))).toEqual(new Set(['made']))
  expect(count()).toBe(1)
})

test('it is made again when it is no longer fresh, and not before', async () => {
  const { latest, forward, count } = setup(async (name, nth) => `${name}${nth}`)
  expect(await latest.get('a')).toBe('a1')
  forward(14_999)
  expect(await latest.get('a')).toBe('a1')
  forward(1)
  expect(await latest.get('a')).toBe('a2')
  expect(await latest.get('b')).toBe('b3')
  expect(count()).toBe(3)
})

test('what is not there is not kept, nor is a failure', async () => {
  const { latest, count } = setup(async (_, nth) => {
    if (nth === 1) throw new Error('broken')
    return nth === 2 ? undefined : 'there'
  })
  await expect(latest.get('a')).rejects.toThrow('broken')
  expect(latest.has('a')).toBe(false)
  expect(await latest.get('a')).toBeUndefined()
  expect(latest.has('a')).toBe(false)
  expect(await latest.get('a')).toBe('there')
  expect([latest.has('a'), count()]).toEqual([true, 3])
})

test('no more than so many are kept, the newest', async () => {
  const { latest } = setup(async (name) => name)
  for (const name of ['a', 'b', 'c', 'd', 'e']) await latest.get(name)
  expect(['a', 'b', 'c', 'd', 'e'].filter((name) => latest.has(name))).toEqual(['c', 'd', 'e'])
})

test('no more than so many bytes are kept, the newest', async () => {
  const { latest } = setup(async (name) => name.repeat(6))
  for (const name of ['a', 'b']) await latest.get(name)
  expect(['a', 'b'].filter((name) => latest.has(name))).toEqual(['b'])
})

test('a page that is larger than the whole room is kept alone', async () => {
  const { latest, count } = setup(async (name) => name.repeat(name === 'b' ? 20 : 1))
  for (const name of ['a', 'b', 'b']) await latest.get(name)
  expect([latest.has('a'), latest.has('b'), count()]).toEqual([false, true, 2])
})
