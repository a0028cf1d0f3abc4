// The pings of one heartbeat wait for each other; a flood of the same one is one.
import { expect, test } from '@jest/globals'
import { HttpError } from '../errors.ts'
import { Turns } from './turns.ts'

/** Work that ends when it is told to. */
function stage(most?: number) {
  const turns = new Turns<string>((entry, waiting) => entry === waiting, most)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const take = (entry: string, key = 'a') =>
    turns.take(key, entry, () => {
      begun.push(entry)
      return new Promise((resolve) => ends.push(resolve))
    })
  const endAll = async () => {
    for (let idle = 0; idle < 5; idle++) {
      for (const end of ends.splice(0)) {
        idle = 0
        end()
      }
      await new Promise(setImmediate)
    }
  }
  return { take, begun, endAll }
}

test('each begins when the one before is done, and other keys do not wait', async () => {
  const { take, begun, endAll } = stage()
  const all = [take('1'), take('2'), take('3', 'b')]
  await new Promise(setImmediate)
  expect(begun).toEqual(['1', '3'])
  await endAll()
  await Promise.all(all)
  expect(begun).toEqual(['1', '3', '2'])
})

test('a flood of the same is two: the one that is under way, and one for all that came since', async () => {
  const { take, begun, endAll } = stage()
  const first = take('same')
  await new Promise(setImmediate)
  const all = Array.from({ length: 700 }, () => take('same'))
  await endAll()
  await Promise.all([first, ...all])
  expect(begun).toEqual(['same', 'same'])
})

test('only the last one that waits is joined: the order is kept', async () => {
  const { take, begun, endAll } = stage()
  const all = ['first', 'start', 'success', 'start'].map((entry) => take(entry))
  await endAll()
  await Promise.all(all)
  expect(begun).toEqual(['first', 'start', 'success', 'start'])
})

test('too many different ones are refused with a time to come back, and only under their key', async () => {
  const { take, endAll } = stage(3)
  const all = Array.from({ length: 4 }, (_, n) => take(`${n}`))
  const refused = await take('one more').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(HttpError)
  expect(refused).toMatchObject({ status: 429, headers: { 'Retry-After': '5' } })
  const other = take('other', 'b')
  await endAll()
  await Promise.all([...all, other])
  const again = take('again')
  await endAll()
  await again
})

test('a failure concerns those that joined it, and nobody behind them', async () => {
  const turns = new Turns<string>((entry, waiting) => entry === waiting)
  const fail = () => Promise.reject(new Error('broken'))
  const outcomes = await Promise.allSettled([
    turns.take('a', 'first', async () => {}),
    turns.take('a', 'second', fail),
    turns.take('a', 'second', fail),
    turns.take('a', 'third', async () => {}),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
})
