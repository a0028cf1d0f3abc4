// Whose turn it is: each slot once, whatever the monitors' clocks and however their number changes.
import { document } from '@dogwatch/contract/monitor'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { FORMULA, judge, phaseOf as phaseInKit, toldTurn } from '../../conformance/slots.ts'
import { isRankKnown, nextSlot, phaseOf, type ScheduledCheck, slotNumberAt, turnOf } from '@dogwatch/monitor-sdk/agent'
import { type Change, runFleet } from './support/simulated-fleet.ts'

const START = Date.parse('2026-11-20T10:00:00Z')
const guid = fc.uuid()
const interval_sec = fc.constantFrom(1, 30, 45, 60, 300, 86_400)
const moment = fc.integer({ min: START, max: START + 86_400_000 })

interface Vector extends ScheduledCheck {
  phase_ms: number
  at: string
  slot: number
  runs: boolean
}

describe('the vectors of the document', () => {
  const vectors = document['x-turns'] as Vector[]

  test('have turns and others, with one monitor and several, and both sides of a boundary', () => {
    expect(vectors.length).toBeGreaterThan(15)
    for (const runs of [true, false]) expect(vectors.some((one) => one.runs === runs)).toBe(true)
  })

  test.each(vectors)('$guid each $interval_sec s, $monitor_rank of $monitor_count, at $at', (vector) => {
    const now = Date.parse(vector.at)
    const turn = turnOf(vector)
    expect(turn.phase_ms).toBeCloseTo(vector.phase_ms, 3)
    expect(slotNumberAt(turn, now)).toBe(vector.slot)
    expect((((vector.slot - turn.rank) % turn.count) + turn.count) % turn.count === 0).toBe(vector.runs)
    // The slot that is on is the next one for whoever looks just before it begins.
    const began = turn.phase_ms + vector.slot * turn.interval_ms
    expect(nextSlot(turn, began - 1).number === vector.slot).toBe(vector.runs)
    expect(phaseInKit(vector)).toBeCloseTo(vector.phase_ms, 3)
    expect(judge(vector as never, { at: began + 1 })).toMatchObject({ number: vector.slot, isInTurn: vector.runs })
  })

  test('the kit tells an agent with a phase of its own when it ran, when its turn is, and the formula', () => {
    const check = { guid: 'abc', interval_sec: 30, monitor_count: 2, monitor_rank: 1 }
    const turn = (phaseInKit(check) + 30_000) / 1000
    expect(toldTurn(check as never, [{ at: START }, { at: START + 500 }])).toBe(
      `abc (rank 1 of 2) was run at 0.00 s, 0.50 s of each 60 s, and its turn begins at ${turn.toFixed(2)} s`,
    )
    expect(FORMULA).toContain('SHA-256(guid)')
  })
})

test('the phase of a guid is the first four bytes of its SHA-256', () => {
  // printf abc | sha256sum begins with ba7816bf
  expect(phaseOf('abc')).toBe(0xba7816bf / 2 ** 32)
})

test('slots are counted from the Unix epoch', () => {
  const turn = turnOf({ guid: 'abc', interval_sec: 60 })
  expect(slotNumberAt(turn, phaseOf('abc') * 60_000)).toBe(0)
  expect(nextSlot(turn, 0)).toEqual({ number: 0, at: phaseOf('abc') * 60_000 })
})

test.each<[string, Partial<ScheduledCheck>]>([
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
          return runsOf(view, skew, START + 3_600_000)
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

/** The slots that a monitor runs which sees `view`, on a clock that is off by `skew`. */
function runsOf(view: ScheduledCheck, skew: number, end: number) {
  const runs: { number: number; at: number }[] = []
  const turn = turnOf(view)
  for (let slot = nextSlot(turn, START + skew); slot.at - skew < end; slot = nextSlot(turn, slot.at, slot.number)) {
    runs.push({ number: slot.number, at: slot.at - skew })
  }
  return runs
}

const DAY_MS = 86_400_000
const INTERVAL_MS = 60_000
/** After so long all have heard of all. */
const SETTLED_MS = 40_000
/** So far behind is a clock that an idle server told the time, at most. */
const BEHIND_MS = 2000
/** A run begins up to so much before its slot, by clocks that agree only so well. */
const SLACK_MS = 500
const skew_ms = fc.integer({ min: -30_000, max: 30_000 })
const step = fc.record({
  member: fc.integer({ min: 0, max: 3 }),
  gap_ms: fc.integer({ min: 60_000, max: 7_200_000 }),
  restarts: fc.boolean(),
  down_ms: fc.integer({ min: 100, max: 20_000 }),
})

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** The steps as changes of a fleet that begins with three of four. It never loses its last one. */
function changesOf(steps: readonly Step[]): Change[] {
  const active = new Set([0, 1, 2])
  let at = START + SETTLED_MS
  return steps.flatMap(({ member, gap_ms, restarts, down_ms }): Change[] => {
    at += gap_ms
    if (at > START + DAY_MS - SETTLED_MS) return []
    if (restarts && active.has(member)) return [{ kind: 'restart', at, member, down_ms }]
    if (active.has(member)) {
      if (active.size === 1) return []
      active.delete(member)
      return [{ kind: 'leave', at, member }]
    }
    active.add(member)
    return [{ kind: 'join', at, member }]
  })
}

test('over a day of joins, leaves and restarts each of them costs one missed or doubled slot at most, else each is run once', async () => {
  const skews = fc.array(skew_ms, { minLength: 4, maxLength: 4 })
  const scenario = fc.tuple(guid, skews, fc.array(step, { minLength: 10, maxLength: 60 }), fc.integer())
  await fc.assert(
    fc.asyncProperty(scenario, async ([id, skews_ms, steps, seed]) => {
      const changes = changesOf(steps)
      const [from, to] = [START, START + DAY_MS]
      const random = randomFrom(seed)
      const runs = await runFleet({
        guid: id,
        interval_sec: 60,
        from,
        to,
        skews_ms,
        joined: [0, 1, 2],
        changes,
        random,
      })
      const wrong = wrongSlots(id, runs)
      const near = changes.map(({ at }) => wrong.filter((slot) => slot > at - BEHIND_MS && slot < at + SETTLED_MS))
      expect(near.filter((slots) => slots.length > 1)).toEqual([])
      expect(near.flat()).toEqual(wrong)
    }),
    // Each run is a day: a counterexample is told as it is.
    { numRuns: 4, endOnFailure: true },
  )
})

/** The steps as monitors that are disabled and enabled while their agents run. One stays. */
function switchesOf(steps: readonly Step[], gaps_ms: number): Change[] {
  const on = new Set([0, 1, 2, 3])
  let at = START + SETTLED_MS
  return steps.flatMap(({ member, gap_ms }): Change[] => {
    at += gaps_ms + (gap_ms % 600_000)
    const isOn = on.has(member)
    if (at > START + DAY_MS - 2 * SETTLED_MS || (isOn && on.size === 1)) return []
    if (isOn) on.delete(member)
    else on.add(member)
    return [{ kind: isOn ? 'disable' : 'enable', at, member }]
  })
}

test.each([10, 30, 60, 300])(
  'no slot of %i s is lost when monitors are enabled and disabled that the server can notify',
  async (interval) => {
    const skews = fc.array(skew_ms, { minLength: 4, maxLength: 4 })
    const scenario = fc.tuple(guid, skews, fc.array(step, { minLength: 40, maxLength: 60 }), fc.integer())
    let [changed, lost, doubled] = [0, 0, 0]
    await fc.assert(
      fc.asyncProperty(scenario, async ([id, skews_ms, steps, seed]) => {
        const changes = switchesOf(steps, 15_000)
        const to = (changes.at(-1)?.at ?? START) + 3 * SETTLED_MS
        const joined = [0, 1, 2, 3]
        const random = randomFrom(seed)
        const given = { guid: id, interval_sec: interval, from: START, to, skews_ms, joined, changes, random }
        const fleet = { ...given, notifies: true }
        const times = timesOf(id, interval, await runFleet(fleet), to)
        changed += changes.length
        lost += times.filter((n) => n === 0).length
        doubled += times.filter((n) => n > 1).length
      }),
      { numRuns: 12 },
    )
    expect({ lost, rarelyDoubled: doubled < changed / 5 }).toEqual({ lost: 0, rarelyDoubled: true })
  },
)

/** How often each slot was run, those at the edges aside. */
function timesOf(id: string, interval: number, runs: readonly number[], to: number): number[] {
  const phase_ms = phaseOf(id) * interval * 1000
  const numberAt = (time: number) => Math.floor((time + SLACK_MS - phase_ms) / (interval * 1000))
  const [first, last] = [numberAt(START + SETTLED_MS) + 1, numberAt(to - SETTLED_MS)]
  const times = Array<number>(last - first).fill(0)
  for (const run of runs) {
    const place = numberAt(run) - first
    if (place >= 0 && place < times.length) times[place] = (times[place] ?? 0) + 1
  }
  return times
}

/** When the slots began that were not run exactly once, the first and the last minutes aside. */
function wrongSlots(id: string, runs: readonly number[]): number[] {
  const phase_ms = phaseOf(id) * INTERVAL_MS
  const numberAt = (time: number) => Math.floor((time + BEHIND_MS - phase_ms) / INTERVAL_MS)
  const times = new Map<number, number>()
  for (const time of runs) times.set(numberAt(time), (times.get(numberAt(time)) ?? 0) + 1)
  const wrong: number[] = []
  for (let number = numberAt(START + SETTLED_MS) + 1; number < numberAt(START + DAY_MS - 60_000); number += 1) {
    if (times.get(number) !== 1) wrong.push(phase_ms + number * INTERVAL_MS)
  }
  return wrong
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
