import { describe, expect, test } from '@jest/globals'
import { Cover } from './cover.ts'
import { divide, type Facts, type StretchCounts, segmentsOf, uptimeOf } from './division.ts'
import { type Schedule, Timetable } from './watched.ts'

const MIN = 60_000
const HOUR = 60 * MIN
const each = (interval_min: number, from = 0, until = Infinity) => ({ from, until, interval_ms: interval_min * MIN })
const facts = ({
  schedules = [each(1)],
  maintenance = [],
  exists_from = 0,
}: {
  schedules?: Schedule[]
  maintenance?: { from: number; until: number }[]
  exists_from?: number
} = {}): Facts => ({
  timetable: new Timetable(schedules),
  maintenance: Cover.of(maintenance),
  exists_from,
})
const hours = (...counts: (readonly [runs: number, failures: number, excluded?: number])[]): StretchCounts[] =>
  counts.map(([runs, failures, excluded = 0], hour) => ({
    from: hour * HOUR,
    until: (hour + 1) * HOUR,
    runs,
    failures,
    excluded: { runs: excluded, failures: 0 },
  }))
const minutes = (told: ReturnType<typeof divide>) =>
  [told.up_sec, told.failing_sec, told.unknown_sec, told.paused_sec, told.maintenance_sec].map((sec) =>
    Math.round(sec / 60),
  )

describe('a range divides into up, failing, unknown, paused and maintenance', () => {
  test.each<[string, Facts, StretchCounts[], number[], number | null]>([
    ['all well', facts(), hours([60, 0], [60, 0]), [120, 0, 0, 0, 0], 100],
    ['a quarter of the runs failed', facts(), hours([60, 30], [60, 0]), [90, 30, 0, 0, 0], 75],
    ['nobody watched the second hour', facts(), hours([60, 0], [0, 0], [60, 0]), [121, 0, 59, 0, 0], 100],
    ['nobody watched at all', facts(), hours([0, 0]), [0, 0, 60, 0, 0], null],
    ['paused', facts({ schedules: [each(1, 0, HOUR)] }), hours([60, 0], [0, 0]), [60, 0, 0, 60, 0], 100],
    [
      'maintenance, whose runs do not count',
      facts({ maintenance: [{ from: HOUR, until: 2 * HOUR }] }),
      hours([60, 6], [60, 60, 60], [60, 0]).map((one) => ({
        ...one,
        excluded: { runs: one.excluded.runs, failures: one.excluded.runs },
      })),
      [114, 6, 0, 0, 60],
      95,
    ],
    [
      'maintenance of a check that was paused is a pause',
      facts({ schedules: [each(1, 0, HOUR)], maintenance: [{ from: HOUR, until: 2 * HOUR }] }),
      hours([60, 0], [0, 0]),
      [60, 0, 0, 60, 0],
      100,
    ],
    [
      'the time before there was a check is left out',
      facts({ exists_from: HOUR, schedules: [each(1, HOUR)] }),
      hours([0, 0], [60, 0]),
      [60, 0, 0, 0, 0],
      100,
    ],
  ])('%s', (_, given, counted, want, percent) => {
    const told = divide(given, counted)
    expect([minutes(told), uptimeOf(told)]).toEqual([want, percent])
    expect(want.reduce((sum, one) => sum + one, 0)).toBe(Math.round(told.total_sec / 60))
  })

  test('runs that were due count by the interval of their time', () => {
    const given = facts({ schedules: [each(1, 0, HOUR), each(60, HOUR)] })
    expect(divide(given, hours([60, 0], [1, 0], [0, 0]))).toMatchObject({ due: 62, arrived: 61 })
  })
})

describe('what is shaded', () => {
  const shown = (given: Facts, counted: StretchCounts[]) =>
    segmentsOf(given, counted).map(({ from, until, kind, failed, unknown }) => [
      from / HOUR,
      until / HOUR,
      kind,
      failed,
      Math.round(unknown * 100) / 100,
    ])

  test('covers the range without a gap, and what is the same is one', () => {
    expect(shown(facts(), hours([60, 0], [60, 0], [60, 30], [60, 60]))).toEqual([
      [0, 2, 'watched', 0, 0],
      [2, 3, 'watched', 0.5, 0],
      [3, 4, 'watched', 1, 0],
    ])
  })

  test('is unknown, and no longer red, where nobody watched', () => {
    expect(shown(facts(), hours([60, 60], [0, 0], [0, 0]))).toEqual([
      [0, 1, 'watched', 1, 0],
      [1, 2, 'watched', 1, 0.98],
      [2, 3, 'watched', 0, 1],
    ])
  })

  test('is as it was where a check runs less than once in a step', () => {
    expect(shown(facts({ schedules: [each(120)] }), hours([1, 1], [0, 0], [1, 0], [0, 0]))).toEqual([
      [0, 2, 'watched', 1, 0],
      [2, 4, 'watched', 0, 0],
    ])
  })

  test('has pauses and maintenance to the minute', () => {
    const given = facts({
      schedules: [each(1, 0, 1.5 * HOUR), each(1, 1.75 * HOUR)],
      maintenance: [{ from: 0.25 * HOUR, until: 0.5 * HOUR }],
    })
    expect(shown(given, hours([60, 0, 15], [45, 0]))).toEqual([
      [0, 0.25, 'watched', 0, 0],
      [0.25, 0.5, 'maintenance', 0, 0],
      [0.5, 1.5, 'watched', 0, 0],
      [1.5, 1.75, 'paused', 0, 0],
      [1.75, 2, 'watched', 0, 0],
    ])
  })

  test('of a step with more changes than can be seen is what most of it was', () => {
    const schedules = Array.from({ length: 10 }, (_, index) => each(1, index * 6 * MIN, index * 6 * MIN + MIN))
    expect(shown(facts({ schedules }), hours([10, 0]))).toEqual([[0, 1, 'paused', 0, 0]])
  })
})
