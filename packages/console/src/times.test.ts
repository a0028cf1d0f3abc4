// Times as people read them.
import { describe, expect, test } from '@jest/globals'
import { clockText, fullText, type Times, timesFor, toldBy, UTC } from './times.ts'

const PARIS: Times = { zone: 'Europe/Paris', hours: 24 }
const NEW_YORK: Times = { zone: 'America/New_York', hours: 12 }
const at = (text: string) => new Date(text)
const NOW = at('2026-11-20T22:30:00Z')

describe('a time beside its relative one', () => {
  test.each<[string, string, Times, string]>([
    ['today', '2026-11-20T13:03:00Z', PARIS, '14:03'],
    ['today, by a clock of 12 hours', '2026-11-20T13:03:00Z', NEW_YORK, '8:03 am'],
    ['noon', '2026-11-20T17:00:00Z', NEW_YORK, '12:00 pm'],
    ['midnight', '2026-11-20T05:00:00Z', NEW_YORK, '12:00 am'],
    ['yesterday', '2026-11-19T13:03:00Z', PARIS, '19 Nov, 14:03'],
    ['tomorrow there, today here', '2026-11-20T23:10:00Z', PARIS, '21 Nov, 00:10'],
    ['the same day in UTC', '2026-11-20T23:10:00Z', UTC, '23:10'],
    ['the same day of another month', '2026-10-20T12:00:00Z', UTC, '20 Oct, 12:00'],
    ['another year', '2025-11-20T12:00:00Z', UTC, '20 Nov 2025, 12:00'],
  ])('%s', (_, instant, times, expected) => {
    expect(clockText(at(instant), NOW, times)).toBe(expected)
  })
})

test('the full time names its zone, in summer and in winter', () => {
  expect(fullText(at('2026-11-20T13:03:22Z'), PARIS)).toBe('20 Nov 2026, 14:03:22 CET')
  expect(fullText(at('2026-07-20T13:03:22Z'), PARIS)).toBe('20 Jul 2026, 15:03:22 CEST')
  expect(fullText(at('2026-11-20T13:03:22Z'), UTC)).toBe('20 Nov 2026, 13:03:22 UTC')
})

test('what a person chose comes before what the browser says, each of both by itself', () => {
  expect(timesFor(undefined, '')).toEqual(UTC)
  expect(timesFor(undefined, 'America/New_York 12')).toEqual(NEW_YORK)
  expect(timesFor({ time_zone: 'Europe/Paris', hour_clock: null }, 'America/New_York 12')).toEqual({
    ...PARIS,
    hours: 12,
  })
  expect(timesFor({ time_zone: null, hour_clock: 24 }, 'America/New_York 12')).toEqual({ ...NEW_YORK, hours: 24 })
})

test.each(['', 'Europe/Nowhere 24', '+01:00 24', '<script> 12', 'x'.repeat(5000)])(
  'a cookie with %p says nothing',
  (cookie) => {
    expect(toldBy(cookie)).toBeUndefined()
  },
)

test('a zone that the system no longer knows is that of the browser', () => {
  expect(timesFor({ time_zone: 'Europe/Nowhere', hour_clock: null }, 'Europe/Paris 24')).toEqual(PARIS)
})
