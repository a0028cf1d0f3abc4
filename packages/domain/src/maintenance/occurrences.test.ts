// When maintenance windows are on.
import { describe, expect, test } from '@jest/globals'
import { occurrences, requireRule, type WindowSchedule } from './occurrences.ts'

const PARIS: WindowSchedule = { starts_at: '2026-03-01T02:30', duration_sec: 3600, zone: 'Europe/Paris', rule: null }
const begins = (given: Partial<WindowSchedule>, from: string, until: string) =>
  occurrences({ ...PARIS, ...given }, Date.parse(from), Date.parse(until)).map(({ begins: at }) =>
    new Date(at).toISOString().slice(0, 16),
  )

describe('occurrences', () => {
  test.each<[string, Partial<WindowSchedule>, [string, string], string[]]>([
    ['once', {}, ['2026-03-01T00:00Z', '2026-04-01T00:00Z'], ['2026-03-01T01:30']],
    ['once, and on at the beginning', {}, ['2026-03-01T02:00Z', '2026-04-01T00:00Z'], ['2026-03-01T01:30']],
    ['once, and over', {}, ['2026-03-01T02:30Z', '2026-04-01T00:00Z'], []],
    [
      'daily, on the night without 02:30',
      { rule: 'FREQ=DAILY' },
      ['2026-03-28T00:00Z', '2026-03-31T00:00Z'],
      ['2026-03-28T01:30', '2026-03-29T01:30', '2026-03-30T00:30'],
    ],
    [
      'daily, on the night with two 02:30',
      { rule: 'FREQ=DAILY' },
      ['2026-10-24T00:00Z', '2026-10-27T00:00Z'],
      ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    [
      'weekly, over a change of clocks',
      { rule: 'FREQ=WEEKLY;BYDAY=SA', starts_at: '2026-03-07T22:00' },
      ['2026-03-20T00:00Z', '2026-04-10T00:00Z'],
      ['2026-03-21T21:00', '2026-03-28T21:00', '2026-04-04T20:00'],
    ],
    [
      'the last Friday of a month',
      { rule: 'FREQ=MONTHLY;BYDAY=-1FR' },
      ['2026-03-01T00:00Z', '2026-05-01T00:00Z'],
      ['2026-03-27T01:30', '2026-04-24T00:30'],
    ],
    [
      'three times',
      { rule: 'FREQ=DAILY;COUNT=3' },
      ['2026-03-02T00:00Z', '2026-05-01T00:00Z'],
      ['2026-03-02T01:30', '2026-03-03T01:30'],
    ],
    [
      'until a time in UTC',
      { rule: 'FREQ=DAILY;UNTIL=20260303T013000Z' },
      ['2026-03-02T00:00Z', '2026-05-01T00:00Z'],
      ['2026-03-02T01:30', '2026-03-03T01:30'],
    ],
    [
      'until a time by the clock',
      { rule: 'FREQ=DAILY;UNTIL=20260303T023000' },
      ['2026-03-02T00:00Z', '2026-05-01T00:00Z'],
      ['2026-03-02T01:30', '2026-03-03T01:30'],
    ],
  ])('%s', (_name, given, [from, until], expected) => {
    expect(begins(given, from, until)).toEqual(expected)
  })
})

describe('a rule', () => {
  test.each([
    ['FREQ=SECONDLY'],
    ['FREQ=MINUTELY'],
    ['FREQ=DAILY;BYSECOND=1'],
    ['FREQ=DAILY;FREQ=DAILY'],
    ['INTERVAL=2'],
    ['every night'],
    [''],
    ['FREQ=DAILY;X=1'],
    ['FREQ=DAILY\nEXRULE:FREQ=DAILY'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'],
    [`FREQ=HOURLY;BYMINUTE=${Array.from({ length: 30 }, (_, n) => n).join(',')}`],
    [`FREQ=DAILY;BYDAY=${'MO,'.repeat(100)}MO`],
    ['FREQ=DAILY;INTERVAL=0'],
    ['FREQ=DAILY;COUNT=-1'],
    ['FREQ=DAILY;UNTIL=tomorrow'],
    ['FREQ=DAILY;BYHOUR=25'],
    ['FREQ=MONTHLY;BYMONTHDAY=1,32'],
    ['FREQ=YEARLY;BYMONTH=JAN,2'],
    ['FREQ=WEEKLY;BYDAY=1SA'],
    ['FREQ=HOURLY;COUNT=15000;BYDAY=1MO,2TU,3WE,4TH,5FR'],
    // Its first minute is years away, and it would then be on every minute.
    [
      'FREQ=YEARLY;INTERVAL=3;BYMONTH=12;BYDAY=MO,TU;BYHOUR=1,2,3,4,5,6,7,8,9,10,11,12;BYMINUTE=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17',
    ],
  ])('is refused: %j', (rule) => {
    expect(() => requireRule({ ...PARIS, rule })).toThrow('rule')
  })

  test.each([
    ['freq=weekly;byday=sa', 'FREQ=WEEKLY;BYDAY=SA'],
    ['RRULE:FREQ=MONTHLY;BYDAY=-1FR', 'FREQ=MONTHLY;BYDAY=-1FR'],
    ['FREQ=HOURLY', 'FREQ=HOURLY'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29'],
  ])('is taken: %s', (rule, expected) => {
    expect(requireRule({ ...PARIS, rule })).toBe(expected)
  })
})
