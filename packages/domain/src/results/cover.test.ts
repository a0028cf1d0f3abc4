import { Pace } from '@dogwatch/runtime/pace'
import { expect, test } from '@jest/globals'
import { dice } from '../../../runtime/test/support/dice.ts'
import { Cover, type Interval, unionOf } from './cover.ts'

const all = (cover: Cover) => [...cover.between(-Infinity, Infinity)]

test('times that touch or overlap are one', () => {
  const given = [
    { from: 5, until: 6 },
    { from: 1, until: 3 },
    { from: 3, until: 4 },
    { from: 2, until: 3 },
    { from: 7, until: 7 },
  ]
  expect(all(Cover.of(given))).toEqual([
    { from: 1, until: 4 },
    { from: 5, until: 6 },
  ])
})

/** Which of the first milliseconds are covered. */
const bits = (intervals: readonly Interval[], most: number) =>
  Array.from({ length: most }, (_, at) => intervals.some(({ from, until }) => from <= at && at < until))

test.each(Array.from({ length: 100 }, (_, seed) => seed))(
  'covers what any of its parts covers (seed %i)',
  async (seed) => {
    const { below } = dice(seed)
    const most = 60
    const given = Array.from({ length: 1 + below(6) }, () =>
      Array.from({ length: below(8) }, () => {
        const from = below(most)
        return { from, until: Math.min(most, from + below(12)) }
      }),
    )
    const covered = bits(given.flat(), most)
    const cover = await unionOf(given.map(Cover.of), new Pace())
    expect(bits(all(cover), most)).toEqual(covered)
    for (const [n, { from }] of all(cover).entries()) expect(from).toBeGreaterThan(all(cover)[n - 1]?.until ?? -1)
    for (let tries = 0; tries < 20; tries++) {
      const from = below(most)
      const until = from + below(most - from)
      const length = covered.slice(from, until).filter(Boolean).length
      expect(cover.lengthWithin(from, until)).toBe(length)
      expect(bits([...cover.between(from, until)], most)).toEqual(
        covered.map((is, at) => is && at >= from && at < until),
      )
    }
  },
)
