// Tests which requests get a slot, who is blamed if none is free, and how many slots requests occupy.

import { clientAt } from '@dogwatch/domain/limits/address'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Holder, holdersAt, Slots, type Visit } from './slots.ts'

const visitOf = (holders: readonly Holder[]): Visit => ({
  ...{ began: 0, holders, owner: () => holders[0]?.key ?? '', isAwaited: () => false, cut: () => {} },
})
const of = (key: string, most = Infinity) => visitOf([{ key, most }])

/** Takes as many slots as there are for a holder, and returns why there are no more. */
function fill(slots: Slots, bounds: { most: number; free_share?: number }, key: string, most?: number) {
  for (;;) {
    const refusal = slots.take(of(key, most), bounds)
    if (refusal) return refusal
  }
}

test('a holder gets as many slots as it may have, and the next one is its own excess', () => {
  const slots = new Slots()
  expect(fill(slots, { most: 1000 }, 'a', 50)).toBe('excess')
  expect(slots.held('a')).toBe(50)
  expect(slots.take(of('b'), { most: 1000 })).toBeUndefined()
})

test('a holder that is alone may have a fifth of the slots, or nearly half where the whole rest is its share', () => {
  const [careful, generous] = [new Slots(), new Slots()]
  fill(careful, { most: 48 }, 'a')
  fill(generous, { most: 48, free_share: 1 }, 'a')
  expect([careful.held('a'), generous.held('a')]).toEqual([9, 22])
  // And another one finds room.
  expect(generous.take(of('b'), { most: 48, free_share: 1 })).toBeUndefined()
})

test('a slot that is given back, twice too, is one slot', () => {
  const slots = new Slots()
  const visit = of('a', 1)
  expect(slots.take(visit, { most: 1000 })).toBeUndefined()
  expect(slots.take(of('a', 1), { most: 1000 })).toBe('excess')
  slots.delete(visit)
  slots.delete(visit)
  slots.resize(visit, true)
  expect([slots.held('a'), slots.places, slots.size]).toEqual([0, 0, 0])
  expect(slots.take(of('a', 1), { most: 1000 })).toBeUndefined()
})

test('four small requests take a slot, but a holder has no more requests than it may', () => {
  const slots = new Slots()
  const takeSmall = (key: string, most?: number) => {
    const visit = of(key, most)
    const refusal = slots.take(visit, { most: 10 })
    slots.resize(visit, true)
    slots.resize(visit, true)
    return refusal ?? visit
  }
  for (let n = 0; n < 5; n++) takeSmall('a', 5)
  expect(takeSmall('a', 5)).toBe('excess')
  const others = Array.from({ length: 32 }, (_, n) => takeSmall(`one ${n}`))
  expect(others.filter((one) => one === 'full')).toEqual([])
  expect(slots.places).toBe(37 / 4)
  // The next one is large until it shrinks, and the reserve is for those who have none.
  expect(slots.take(of('b'), { most: 10 })).toBeUndefined()
  expect(slots.take(of('c'), { most: 10 })).toBe('full')
  for (const one of others) if (typeof one === 'object') slots.delete(one)
  expect(fill(slots, { most: 10 }, 'b')).toBe('full')
})

test('a small request that turns out to be large takes its own slot', () => {
  const slots = new Slots()
  const visits = Array.from({ length: 4 }, () => of('a'))
  for (const visit of visits) {
    visit.isSmall = true
    slots.add(visit)
  }
  expect(slots.places).toBe(1)
  slots.resize(visits[0] as Visit, false)
  expect(slots.places).toBe(1 + 3 / 4)
  for (const visit of visits) slots.delete(visit)
  expect(slots.places).toBe(0)
})

test('all holders of a request are counted: a network with many addresses has a share as well', () => {
  const slots = new Slots()
  let taken = 0
  for (let n = 0; n < 150; n++) {
    const holders = holdersAt(clientAt(`2001:db8:0:${n.toString(16)}::1`), 50)
    if (!slots.take(visitOf(holders), { most: 1000 })) taken++
  }
  expect(taken).toBe(100)
})

test('however many take all that they can, each newcomer finds a slot', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), (greedy) => {
      const slots = new Slots()
      for (let n = 0; n < greedy; n++) fill(slots, { most: 2048 }, `greedy ${n}`, 256)
      expect(slots.take(of('newcomer'), { most: 2048 })).toBeUndefined()
    }),
    { numRuns: 20 },
  )
})

test('who holds next to nothing is not at fault when there is no slot', () => {
  const slots = new Slots()
  for (let n = 0; n < 20; n++) slots.take(of(`one ${n}`), { most: 20 })
  expect(slots.take(of('newcomer'), { most: 20 })).toBe('full')
  expect(slots.take(of('one 1'), { most: 20 })).toBe('full')
})
