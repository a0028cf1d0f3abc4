import type { Calendar } from '@dogwatch/store/results/retention-calendar'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { dayOf, MOST_DAYS_ALONE, turn } from './calendar.ts'

const DAY_MS = 86_400_000
const NOON = Date.parse('2026-11-20T12:00:00Z')
const at = (days: number, ms = 0): Date => new Date(NOON + days * DAY_MS + ms)
const fresh: Calendar = {
  day: '2026-11-20',
  observed_sec: 0,
  seen_at: at(0).toISOString(),
  safe_at: null,
  steady_sec: 0,
}

/** Looks every 15 seconds for so long, by a clock that begins at `from`. */
function look(calendar: Calendar, from: Date, seconds: number) {
  let seen = turn(calendar, from)
  for (let second = 15; second <= seconds; second += 15)
    seen = turn(seen.calendar, new Date(from.getTime() + second * 1000))
  return seen
}

test('from one day to the next it goes on by itself', () => {
  let calendar = fresh
  for (let day = 0; day < 400; day++) {
    const seen = turn(calendar, at(day))
    expect(seen.held).toBeUndefined()
    calendar = seen.calendar
  }
  expect(calendar.day).toBe(dayOf(at(399)))
})

test.each([2, 3, 8])('a jump of %d days is looked at for a day, and then it goes on', (days) => {
  expect(turn(fresh, at(days)).held).toMatchObject({ days_ahead: days, today: dayOf(at(days)) })
  expect(look(fresh, at(days), 86_000).held).toBeDefined()
  expect(look(fresh, at(days), 86_430).held).toBeUndefined()
})

test.each([MOST_DAYS_ALONE + 2, 400])('a jump of %d days waits for an operator', (days) => {
  const seen = look(fresh, at(days), 3 * 86_400)
  expect(seen.held).toMatchObject({ remaining_sec: undefined })
  expect(seen.calendar.day).toBe(fresh.day)
})

test('a clock that comes back is as if nothing had been', () => {
  const away = look(fresh, at(3), 3600)
  expect(away.held).toBeDefined()
  expect(turn(away.calendar, at(0, 3_700_000))).toMatchObject({
    held: undefined,
    calendar: { day: fresh.day, observed_sec: 0 },
  })
})

test('a clock that is behind deletes nothing new, moves nothing for a day, and holds nothing when it comes back', () => {
  const away = look(fresh, at(-400), 3600)
  expect(away).toMatchObject({ held: undefined, calendar: { day: fresh.day } })
  expect(turn(away.calendar, at(0)).held).toBeUndefined()
})

const safeAfter = (from: Date, seconds: number) => {
  const { calendar } = look(turn(fresh, at(0)).calendar, from, seconds)
  return Math.round((Date.parse(calendar.safe_at ?? '') - NOON) / 1000)
}

test.each([
  ['two hours', at(0, 7_200_000)],
  ['404 days', at(404)],
])('four minutes with a clock that is %s ahead age nothing by more than four minutes', (_name, from) => {
  expect(safeAfter(from, 240)).toBe(240)
})

test('a jump that lasts is followed after an hour without another', () => {
  expect(safeAfter(at(0, 7_200_000), 3_585)).toBe(3_585)
  expect(safeAfter(at(0, 7_200_000), 3_600)).toBe(10_800)
})

test('the time of deletions is that of the clock while it runs, and goes back with it', () => {
  expect(safeAfter(at(0, 15_000), 600)).toBe(615)
  expect(safeAfter(at(0, -7_200_000), 60)).toBe(-7_140)
})

test('however a clock jumps about, in an hour of looking the time of deletions moves by two minutes a look at most', () => {
  const jumps = fc.array(fc.integer({ min: -400, max: 400 }), { minLength: 1, maxLength: 240 })
  fc.assert(
    fc.property(jumps, (hours) => {
      let calendar = turn(fresh, at(0)).calendar
      for (const [look, hour] of hours.entries()) {
        const before = Date.parse(calendar.safe_at ?? '')
        calendar = turn(calendar, at(0, look * 15_000 + hour * 3_600_000)).calendar
        expect(Date.parse(calendar.safe_at ?? '') - before).toBeLessThanOrEqual(240_000)
      }
    }),
  )
})

test('however a clock jumps about, in an hour of looking the calendar moves by a day at most', () => {
  const jumps = fc.array(fc.integer({ min: -400, max: 400 }), { minLength: 1, maxLength: 240 })
  fc.assert(
    fc.property(jumps, (days) => {
      let calendar = fresh
      const seen = new Set([calendar.day])
      for (const [look, day] of days.entries()) {
        const before = calendar.day
        calendar = turn(calendar, at(day, look * 15_000)).calendar
        const moved = (Date.parse(calendar.day) - Date.parse(before)) / DAY_MS
        expect([0, 1]).toContain(moved)
        seen.add(calendar.day)
      }
    }),
  )
})
