import type { Segment } from '@dogwatch/domain/results/division'
import { describe, expect, test } from '@jest/globals'
import { niceTop, spotsOf } from './chart.tsx'

const HOUR = 3600
const segment = (from: number, until: number, told: Partial<Segment> = {}): Segment => ({
  from: from * HOUR * 1000,
  until: until * HOUR * 1000,
  kind: 'watched',
  failed: 0,
  unknown: 0,
  ...told,
})
const chart = (hours: number[], segments: Segment[], values: (number | null)[][] = [hours], failed: number[] = []) => ({
  lines: {
    kind: 'monitors' as const,
    at: hours.map((hour) => hour * HOUR),
    runs: hours.map(() => 60),
    failures: hours.map(() => 0),
    means: hours,
    lines: values.map((own, index) => ({
      label: `m${index}`,
      values: own,
      failed: own.map((_, at) => failed.includes(at)),
    })),
    besides: [],
    unsketched: 0,
  },
  segments,
  step_sec: HOUR,
  each_sec: 60,
})

describe('lines', () => {
  test('go on over a missing step', () => {
    const { at, lines } = spotsOf(chart([1, 3], [segment(0, 4)]))
    expect([at, lines]).toEqual([[HOUR, 3 * HOUR], [[1, 3]]])
  })

  test.each([
    ['nobody watched', { unknown: 1 }],
    ['nothing was to run', { kind: 'paused' as const }],
  ])('break where %s', (_, told) => {
    const { at, runs, lines } = spotsOf(chart([1, 4], [segment(0, 2), segment(2, 4, told), segment(4, 5)]))
    expect(at.map((sec) => sec / HOUR)).toEqual([1, 2, 4])
    expect([runs, lines]).toEqual([[60, undefined, 60], [[1, null, 4]]])
  })

  test('go on through time of which a part was watched', () => {
    expect(spotsOf(chart([1, 3], [segment(0, 4, { unknown: 0.5 })])).lines).toEqual([[1, 3]])
  })

  test('break where every run of a step failed, though the step is short', () => {
    const { lines } = spotsOf(chart([1, 2, 3], [segment(0, 4)], [[1, null, 3]], [1]))
    expect(lines).toEqual([[1, null, 3]])
  })

  test('go on while the turns of other monitors pass, however long a turn is by the present interval', () => {
    const hours = Array.from({ length: 30 }, (_, n) => n + 1)
    const own = (turn: number) => hours.map((hour) => (hour % 6 === turn ? hour : null))
    const { lines } = spotsOf(chart(hours, [segment(0, 31)], [own(0), own(3)]))
    expect(lines.flat()).not.toContain(null)
  })

  test('of a monitor that was away break, though another one ran meanwhile', () => {
    const hours = [1, 2, 3, 4, 5, 6, 7, 8]
    const away = [1, null, null, null, null, null, 7, 8]
    const { lines } = spotsOf(chart(hours, [segment(0, 9)], [hours, away]))
    expect(lines[1]).toEqual([1, null, undefined, undefined, undefined, undefined, 7, 8])
  })
})

test.each([
  [10, 10],
  [11, 15],
  [101, 150],
  [210, 300],
  [399, 400],
  [950, 1000],
  [1000, 1000],
])('the scale of %i ms ends at %i', (value, top) => {
  expect(niceTop(value)).toBe(top)
})
