import { expect, test } from '@jest/globals'
import { coverageByDay, runsDue } from './due.ts'

const at = (text: string) => Date.parse(`2026-11-${text}:00Z`)
const check = (created: string, interval_sec = 60) => ({
  interval_sec,
  created_at: `2026-11-${created}:00.000000Z`,
})

test.each([
  ['a whole day', check('01T00:00'), at('20T00:00'), at('21T00:00'), 1440],
  ['of a rare check', check('01T00:00', 86_400), at('20T00:00'), at('20T23:59'), 0],
  ['none before it was there', check('20T23:00'), at('20T00:00'), at('21T00:00'), 60],
  ['none where it was not there at all', check('22T00:00'), at('20T00:00'), at('21T00:00'), 0],
])('runs due: %s', (_, given, from, until, want) => {
  expect(runsDue(given, from, until)).toBe(want)
})

test('each day since the check is there has its share, today first and only as far as it went', () => {
  const arrived = new Map([
    [at('20T00:00'), 720],
    [at('19T00:00'), 360],
  ])
  const days = coverageByDay(check('18T12:00'), arrived, new Date(at('20T12:00')), 7)
  expect(days.map(({ day, ...rest }) => ({ day: day.toISOString().slice(0, 10), ...rest }))).toEqual([
    { day: '2026-11-20', due: 720, arrived: 720, percent: 100 },
    { day: '2026-11-19', due: 1440, arrived: 360, percent: 25 },
    { day: '2026-11-18', due: 720, arrived: 0, percent: 0 },
  ])
})

test('where nothing was due there is no share', () => {
  expect(coverageByDay(check('20T12:00'), new Map(), new Date(at('20T12:00')), 7)).toMatchObject([
    { due: 0, percent: null },
  ])
})
