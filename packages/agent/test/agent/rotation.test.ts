// Whose turn it is: each slot once, whatever the monitors' clocks and however their number changes.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isRankKnown, nextSlot, phaseOf, type Rotated, slotNumberAt, turnOf } from '../../src/rotation.ts'

const START = Date.parse('2026-11-20T10:00:00Z')
const guid = fc.uuid()
const interval_sec = fc.constantFrom(1, 30, 45, 60, 300, 86_400)
const moment = fc.integer({ min: START, max: START + 86_400_000 })

test('the phase of a guid is the first four bytes of its SHA-256', () => {
  // printf abc | sha256sum begins with ba7816bf
  expect(phaseOf('abc')).toBe(0xba7816bf / 2 ** 32)
})

test('slots are counted from the Unix epoch', () => {
  const turn = turnOf({ guid: 'abc', interval_sec: 60 })
  expect(slotNumberAt(turn, phaseOf('abc') * 60_000)).toBe(0)
  expect(nextSlot(turn, 0)).toEqual({ number: 0, at: phaseOf('abc') * 60_000 })
})

test('the second of three monitors begins one interval later and then runs each third', () => {
  const turn = turnOf({ guid: 'abc', interval_sec: 60, monitor_count: 3, monitor_rank: 1 })
  const first = nextSlot(turn, 0)
  const second = nextSlot(turn, first.at)
  expect([first.number, second.number]).toEqual([1, 4])
  expect(second.at - first.at).toBe(180_000)
})

test.each<[string, Partial<Rotated>]>([
  ['no rank', { monitor_count: 3 }],
  ['a rank beyond the count', { monitor_count: 3, monitor_rank: 3 }],
])('with %s the check is run in each slot', (_, odd) => {
  const check = { guid: 'abc', interval_sec: 60, ...odd }
  expect(isRankKnown(check)).toBe(false)
  expect(turnOf(check)).toMatchObject({ count: 1, rank: 0 })
})

test('a count of 0 and none mean one monitor', () => {
  expect(turnOf({ guid: 'abc', interval_sec: 60, monitor_count: 0 })).toMatchObject({ count: 1, rank: 0 })
  expect(isRankKnown({ guid: 'abc', interval_sec: 60, monitor_count: 0 })).toBe(true)
})

test('the next slot is strictly in the future, within one round, and of the right rank', () => {
  fc.assert(
    fc.property(
      guid,
      interval_sec,
      moment,
      fc.integer({ min: 1, max: 7 }),
      fc.nat(6),
      (id, interval, now, count, r) => {
        const turn = turnOf({ guid: id, interval_sec: interval, monitor_count: count, monitor_rank: r % count })
        const { number, at } = nextSlot(turn, now)
        expect(at).toBeGreaterThan(now)
        expect(at).toBeLessThanOrEqual(now + turn.interval_ms * count + 1)
        expect(number % count).toBe(r % count)
        expect(nextSlot(turn, at, number).number).toBe(number + count)
      },
    ),
  )
})

test('a timer that fires early does not run its slot twice', () => {
  const turn = turnOf({ guid: 'abc', interval_sec: 60 })
  const { number, at } = nextSlot(turn, START)
  expect(nextSlot(turn, at - 2, number).number).toBe(number + 1)
})

test('a clock put back by an hour does not silence a check for an hour', () => {
  const turn = turnOf({ guid: 'abc', interval_sec: 60 })
  const { number } = nextSlot(turn, START)
  expect(nextSlot(turn, START - 3_600_000, number).at).toBeLessThanOrEqual(START - 3_600_000 + 60_000)
})

test('monitors with clocks of any skew run each slot exactly once', () => {
  fc.assert(
    fc.property(
      guid,
      fc.array(fc.integer({ min: -30_000, max: 30_000 }), { minLength: 1, maxLength: 5 }),
      (id, skews) => {
        const runs = skews.flatMap((skew, rank) => {
          const view = { guid: id, interval_sec: 60, monitor_count: skews.length, monitor_rank: rank }
          return runsOf([{ from: START, view }], skew, START + 3_600_000)
        })
        const numbers = runs.map(({ number }) => number).sort((a, b) => a - b)
        expect(new Set(numbers).size).toBe(numbers.length)
        // The slots at the edges belong to monitors whose clocks are not there yet, or are beyond.
        const [first = 0, last = 0] = [numbers[0], numbers.at(-1)]
        const inner = numbers.filter((n) => n >= first + skews.length && n <= last - skews.length)
        expect(inner).toEqual(inner.map((_, index) => (inner[0] ?? 0) + index))
      },
    ),
  )
})

interface View {
  from: number
  view: Rotated
}

/** The slots that a monitor runs which comes to see `views` one after the other, on a clock that is off by `skew`. */
function runsOf(views: readonly View[], skew: number, end: number) {
  const runs: { number: number; at: number }[] = []
  let last: number | undefined
  views.forEach(({ from, view }, index) => {
    const until = views[index + 1]?.from ?? end
    const turn = turnOf(view)
    for (let slot = nextSlot(turn, from + skew, last); slot.at - skew < until; ) {
      runs.push({ number: slot.number, at: slot.at - skew })
      last = slot.number
      slot = nextSlot(turn, slot.at, last)
    }
  })
  return runs
}

// Joins, leaves and restarts of up to four monitors over a day, each told within a sync period of 33 s. Their clocks
// follow the server's, within half a round trip.
const member = fc.integer({ min: 0, max: 3 })
const changes = fc.array(fc.record({ member, gap_ms: fc.integer({ min: 300_000, max: 7_200_000 }) }), { maxLength: 20 })
const learning = fc.array(fc.nat(33_000), { minLength: 84, maxLength: 84 })
const skews = fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 4, maxLength: 4 })

test('over a day of joins and leaves at most one slot is missed or doubled for each of them', () => {
  fc.assert(
    fc.property(guid, changes, learning, skews, (id, plan, delays, offsets) => {
      const views: View[][] = [[], [], [], []]
      const active = new Set([0, 1, 2])
      let now = START
      const tell = (round: number) => {
        const order = [...active].sort()
        views.forEach((seen, index) => {
          const from = now + (round === 0 ? 0 : (delays[round * 4 + index] ?? 0))
          const rank = order.indexOf(index)
          const absent = { guid: 'nobody', interval_sec: 1e9 }
          const turns = { guid: id, interval_sec: 60, monitor_count: order.length, monitor_rank: rank }
          seen.push({ from, view: rank < 0 ? absent : turns })
        })
      }
      tell(0)
      let made = 0
      for (const { member: who, gap_ms } of plan) {
        now += gap_ms
        if (active.has(who) && active.size > 1) active.delete(who)
        else if (active.has(who)) continue
        else active.add(who)
        made += 1
        tell(made)
      }
      const end = now + 3_600_000
      const runs = views
        .flatMap((seen, index) => runsOf(seen, offsets[index] ?? 0, end))
        .filter(({ number }) => number > 1)
      expect(wrongSlots(runs.map(({ number }) => number))).toBeLessThanOrEqual(made)
    }),
    { numRuns: 200 },
  )
})

/** How many slots between the second and the last but one were not run exactly once. */
function wrongSlots(numbers: readonly number[]): number {
  const times = new Map<number, number>()
  for (const number of numbers) times.set(number, (times.get(number) ?? 0) + 1)
  const first = Math.min(...numbers) + 1
  const last = Math.max(...numbers) - 1
  let wrong = 0
  for (let number = first; number <= last; number += 1) if (times.get(number) !== 1) wrong += 1
  return wrong
}
