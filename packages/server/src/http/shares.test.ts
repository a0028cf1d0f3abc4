// Who gets a place, and whose fault it is when there is none.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Shares } from './shares.ts'

const of = (key: string, most = Infinity) => [{ key, most }]

/** Takes as many places as there are for it, and returns why there are no more. */
function fill(shares: Shares, key: string, most?: number) {
  for (;;) {
    const taken = shares.take(of(key, most))
    if (typeof taken === 'string') return taken
  }
}

test('a holder gets as many places as it may have, and the next one is its own excess', () => {
  const shares = new Shares(1000)
  expect(fill(shares, 'a', 50)).toBe('excess')
  expect(shares.held('a')).toBe(50)
  expect(shares.take(of('b'))).toBeInstanceOf(Function)
})

test('a holder that is alone may have a fifth of the places, or nearly half where the whole rest is its share', () => {
  const [careful, generous] = [new Shares(48), new Shares(48, 1)]
  for (const shares of [careful, generous]) fill(shares, 'a')
  expect([careful.held('a'), generous.held('a')]).toEqual([9, 22])
  // And another one finds room.
  expect(generous.take(of('b'))).toBeInstanceOf(Function)
})

test('a place that is given back, twice too, is one place', () => {
  const shares = new Shares(1000)
  const leave = shares.take(of('a', 1))
  expect(shares.take(of('a', 1))).not.toBeInstanceOf(Function)
  if (typeof leave === 'string') throw new Error(leave)
  leave()
  leave()
  expect(shares.held('a')).toBe(0)
  expect(shares.take(of('a', 1))).toBeInstanceOf(Function)
})

test('all holders of a request are counted: a network with many addresses has a share as well', () => {
  const shares = new Shares(1000)
  let taken = 0
  for (let n = 0; n < 100; n++) {
    const holders = [
      { key: `address ${n}`, most: 50 },
      { key: 'network', most: 60 },
    ]
    if (typeof shares.take(holders) !== 'string') taken++
  }
  expect(taken).toBe(60)
})

test('however many take all that they can, each newcomer finds a place', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), (greedy) => {
      const shares = new Shares(2048)
      for (let n = 0; n < greedy; n++) fill(shares, `greedy ${n}`, 256)
      expect(shares.take(of('newcomer'))).toBeInstanceOf(Function)
    }),
    { numRuns: 20 },
  )
})

test('who holds next to nothing is not at fault when there is no place', () => {
  const shares = new Shares(20)
  for (let n = 0; n < 20; n++) shares.take(of(`one ${n}`))
  expect(shares.take(of('newcomer'))).toBe('full')
  expect(shares.take(of('one 1'))).toBe('full')
})
