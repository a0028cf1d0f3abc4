// The division of a range, compared with a model that looks at every interval.
import { describe, expect, test } from '@jest/globals'
import { type Dice, dice } from '../../runtime/test/support/dice.ts'
import { Cover } from '../src/results/cover.ts'
import { divide, type StretchCounts, segmentsOf } from '../src/results/division.ts'
import { type Schedule, Timetable } from '../src/results/watched.ts'
import { merged, type NaiveFacts, naiveDivision, naiveSegments } from './support/naive-division.ts'

const MIN = 60_000
const HOUR = 60 * MIN
const HOURS = 24

/** Schedules, maintenance and results of a check, and whether a clock was ever set back. */
function chance({ below, one }: Dice): { given: NaiveFacts; counted: StretchCounts[] } {
  const isSetBack = below(4) === 0
  const schedules: Schedule[] = []
  for (let at = below(3) * HOUR; at < HOURS * HOUR && schedules.length < 30; ) {
    const until = at + (1 + below(one([30, 600]))) * MIN
    schedules.push({ from: at, until, interval_ms: one([0.5, 1, 5, 60]) * MIN })
    at = until + (below(2) === 0 ? 0 : below(90) * MIN) - (isSetBack ? below(20) * MIN : 0)
  }
  const last = schedules.at(-1)
  if (last && below(2) === 0) last.until = Infinity
  schedules.sort((a, b) => a.from - b.from)
  const maintenance = merged(
    Array.from({ length: below(one([1, 5, 40])) }, () => {
      const from = below(HOURS * 60) * MIN
      return { from, until: from + (1 + below(one([10, 300]))) * MIN }
    }),
  )
  const counted = Array.from({ length: HOURS }, (_, hour): StretchCounts => {
    const [runs, excluded] = [below(3) === 0 ? 0 : below(70), below(5)]
    const failures = below(runs + 1)
    return {
      from: hour * HOUR,
      until: (hour + 1) * HOUR,
      runs,
      failures,
      excluded: { runs: Math.min(runs, excluded), failures: Math.min(failures, runs - failures, excluded) },
    }
  })
  return { given: { schedules, maintenance, exists_from: below(5) * HOUR }, counted }
}

describe.each(Array.from({ length: 200 }, (_, seed) => seed))('with chance %i', (seed) => {
  const { given, counted } = chance(dice(seed))
  const facts = {
    timetable: new Timetable(given.schedules),
    maintenance: Cover.of(given.maintenance),
    exists_from: given.exists_from,
  }

  test('a range divides as in the model', () => {
    const { excluded, ...told } = divide(facts, counted)
    const { excluded: wanted, ...want } = naiveDivision(given, counted)
    expect(excluded).toEqual(wanted)
    for (const [name, value] of Object.entries(want)) {
      expect([name, told[name as keyof typeof told]]).toEqual([name, expect.closeTo(value, 6)])
    }
  })

  test('what is shaded is as in the model', () => {
    const rounded = (segments: ReturnType<typeof segmentsOf>) =>
      segments.map(({ failed, unknown, ...one }) => ({
        ...one,
        failed: failed.toFixed(6),
        unknown: unknown.toFixed(6),
      }))
    expect(rounded(segmentsOf(facts, counted))).toEqual(rounded(naiveSegments(given, counted)))
  })
})
