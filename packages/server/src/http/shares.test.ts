// Who gets a place, and whose fault it is when there is none.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Shares } from './shares.ts'

const PLACE = { leave: expect.any(Function), shrink: expect.any(Function) }
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
  expect(shares.take(of('b'))).toEqual(PLACE)
})

test('a holder that is alone may have a fifth of the places, or nearly half where the whole rest is its share', () => {
  const [careful, generous] = [new Shares(48), new Shares(48, 1)]
  for (const shares of [careful, generous]) fill(shares, 'a')
  expect([careful.held('a'), generous.held('a')]).toEqual([9, 22])
  // And another one finds room.
  expect(generous.take(of('b'))).toEqual(PLACE)
})

test('a place that is given back, twice too, is one place', () => {
  const shares = new Shares(1000)
  const place = shares.take(of('a', 1))
  expect(shares.take(of('a', 1))).toBe('excess')
  if (typeof place === 'string') throw new Error(place)
  place.leave()
  place.leave()
  place.shrink()
  expect(shares.held('a')).toBe(0)
  expect(shares.take(of('a', 1))).toEqual(PLACE)
})

test('of places that shrink, four take one, but a holder has no more requests than it may', () => {
  const shares = new Shares(10)
  const takeSmall = (key: string, most?: number) => {
    const place = shares.take(of(key, most))
    if (typeof place === 'string') return place
    place.shrink()
    place.shrink()
    return place
  }
  for (let n = 0; n < 5; n++) takeSmall('a', 5)
  expect(takeSmall('a', 5)).toBe('excess')
  const others = Array.from({ length: 32 }, (_, n) => takeSmall(`one ${n}`))
  expect(others.filter((one) => one === 'full')).toEqual([])
  // Nine places and a quarter are taken: the next one is large until it shrinks, and the reserve is for those who have none.
  expect(shares.take(of('b'))).toEqual(PLACE)
  expect(shares.take(of('c'))).toBe('full')
  for (const one of others) if (typeof one !== 'string') one.leave()
  expect(fill(shares, 'b')).toBe('full')
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
      expect(shares.take(of('newcomer'))).toEqual(PLACE)
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
