import { expect, test } from '@jest/globals'
import { timetableOf } from '../results/watched.ts'
import { coverageByDay } from './due.ts'

const at = (text: string) => Date.parse(`2026-11-${text}:00Z`)
const wire = (text: string) => `2026-11-${text}:00.000000Z`
const check = (created: string, interval_sec = 60) => {
  const created_at = wire(created)
  return { created_at, timetable: timetableOf(undefined, { created_at, interval_sec, enabled: true }) }
}

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

test('a changed interval changes nothing of what was due before it', () => {
  const created_at = wire('20T00:00')
  const rows = [
    [at('20T00:00'), at('20T12:00'), 60_000],
    [at('20T12:00'), null, 3_600_000],
  ] as const
  const given = { created_at, timetable: timetableOf(rows, { created_at, interval_sec: 3600, enabled: true }) }
  expect(coverageByDay(given, new Map([[at('20T00:00'), 71]]), new Date(at('20T13:00')), 7)).toMatchObject([
    { due: 721, arrived: 71, percent: 9.84 },
  ])
})

test('a pause is not due, and more than was due is no more than all', () => {
  const created_at = wire('20T00:00')
  const rows = [[at('20T00:00'), at('20T01:00'), 60_000]] as const
  const given = { created_at, timetable: timetableOf(rows, { created_at, interval_sec: 60, enabled: false }) }
  expect(coverageByDay(given, new Map([[at('20T00:00'), 70]]), new Date(at('20T12:00')), 7)).toMatchObject([
    { due: 60, arrived: 70, percent: 100 },
  ])
})

test('where nothing was due there is no share', () => {
  expect(coverageByDay(check('20T12:00'), new Map(), new Date(at('20T12:00')), 7)).toMatchObject([
    { due: 0, percent: null },
  ])
})
