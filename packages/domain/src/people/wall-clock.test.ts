// Times of day by the clock of a zone.
import { expect, test } from '@jest/globals'
import { dayStart, instantAt, wallTime } from './wall-clock.ts'

test('a clock of a zone shows a time, and a time leads back to its instant', () => {
  for (const [at, zone, shown] of [
    ['2026-11-23T13:03:22Z', 'UTC', '2026-11-23T13:03'],
    ['2026-11-23T13:03:22Z', 'Europe/Paris', '2026-11-23T14:03'],
    ['2026-07-01T23:30:00Z', 'Europe/Paris', '2026-07-02T01:30'],
    ['2026-11-23T13:03:22Z', 'Asia/Kathmandu', '2026-11-23T18:48'],
  ] as const) {
    expect(wallTime(new Date(at), zone)).toBe(shown)
    expect(instantAt(shown, zone)?.toISOString()).toBe(`${at.slice(0, 16)}:00.000Z`)
  }
})

test('of a time that occurs twice the first counts, and one that is skipped is an hour later', () => {
  expect(instantAt('2026-10-25 02:30', 'Europe/Paris')?.toISOString()).toBe('2026-10-25T00:30:00.000Z')
  expect(instantAt('2026-03-29T02:30', 'Europe/Paris')?.toISOString()).toBe('2026-03-29T01:30:00.000Z')
})

test('a day begins at the midnight of its zone', () => {
  expect(dayStart('2026-03-29', 'Europe/Paris')?.toISOString()).toBe('2026-03-28T23:00:00.000Z')
  expect(dayStart('2026-03-29', 'Europe/Paris', 1)?.toISOString()).toBe('2026-03-29T22:00:00.000Z')
})

test('what is no time is none', () => {
  for (const text of ['', 'soon', '2026-02-30T10:00', '2026-01-01T25:00', '2026-01-01T10:00Z', '2026-01-01'])
    expect(instantAt(text, 'UTC')).toBeUndefined()
  for (const day of ['', '2026-02-30', '2026-13-01', '2026-1-1']) expect(dayStart(day, 'UTC')).toBeUndefined()
})
