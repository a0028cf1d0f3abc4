import { describe, expect, test } from '@jest/globals'
import { type Schedule, Timetable, timetableOf, watchesOf } from './watched.ts'

const MIN = 60_000
const HOUR = 60 * MIN
const each = (interval_min: number, from = 0, until = Infinity): Schedule => ({
  from,
  until,
  interval_ms: interval_min * MIN,
})
const hours = (...runs: number[]) =>
  runs.map((count, hour) => ({ from: hour * HOUR, until: (hour + 1) * HOUR, runs: count }))

describe('runs due', () => {
  test.each<[string, Schedule[], number]>([
    ['a whole day', [each(1)], 1440],
    ['of a check that is a quarter of a day old', [each(1, 18 * HOUR)], 360],
    ['by the interval of the time, not by that of now', [each(1, 0, HOUR), each(60, HOUR)], 60 + 23],
    ['none while it was paused', [each(1, 0, HOUR), each(1, 23 * HOUR)], 120],
    ['none of a check that was never to run', [], 0],
  ])('%s', (_, schedules, want) => {
    expect(new Timetable(schedules).runsDue(0, 24 * HOUR)).toBeCloseTo(want, 6)
  })
})

describe('the time that was watched', () => {
  test.each<[string, Schedule[], number[], [watched_min: number, scheduled_min: number]]>([
    ['all of it', [each(1)], [60, 60, 60], [180, 180]],
    ['all of it, though a run comes a little late at each edge', [each(1)], [59, 61, 60], [180, 180]],
    ['until two turns after the last run', [each(1)], [60, 0, 0], [61, 180]],
    ['from the first run on', [each(1)], [0, 0, 60], [61, 180]],
    ['an hour with half of its runs is half', [each(1)], [60, 30, 60], [151, 180]],
    ['of a check that runs less than once in each span', [each(150)], [1, 0, 0], [180, 180]],
    ['of a check that runs once in three spans, whichever they are', [each(180)], [0, 0, 1, 0, 0, 1], [360, 360]],
    ['none, which is not 100 % of anything', [each(1)], [0, 0, 0], [1, 180]],
    ['no more than there is, however many runs', [each(60)], [70, 70, 70], [180, 180]],
    ['by the interval of each time', [each(1, 0, HOUR), each(60, HOUR)], [60, 1, 1], [180, 180]],
    ['without the pauses', [each(1, 0, HOUR), each(1, 2 * HOUR)], [60, 0, 60], [120, 120]],
    ['of runs that no schedule is noted of', [each(1, 2 * HOUR)], [2, 0, 60], [62, 62]],
  ])('%s', (_, schedules, runs, [watched_min, scheduled_min]) => {
    const watches = watchesOf(new Timetable(schedules), hours(...runs))
    const minutes = (unit: 'watched_sec' | 'scheduled_sec') => watches.reduce((all, one) => all + one[unit], 0) / 60
    expect([minutes('watched_sec'), minutes('scheduled_sec')].map(Math.round)).toEqual([watched_min, scheduled_min])
  })
})

test('a check of which no schedule is noted yet has that of now, since it is there, unless it is paused', () => {
  const check = { created_at: '2026-11-20T10:00:00.000000Z', interval_sec: 60, enabled: true }
  const at = Date.parse(check.created_at)
  const all = (timetable: Timetable) => [...timetable.between(-Infinity, Infinity)]
  expect(all(timetableOf(undefined, check))).toEqual([each(1, at)])
  expect(all(timetableOf(undefined, { ...check, enabled: false }))).toEqual([])
  expect(all(timetableOf([[at, null, 30_000]], check))).toEqual([each(0.5, at)])
})
