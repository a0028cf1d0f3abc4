// What is an RFC 3339 date-time, and the form of it that Postgres reads without rounding.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { fromDate, isDateTime, toMicroseconds } from './timestamps.ts'

describe('isDateTime', () => {
  const taken: Record<string, string> = {
    'UTC, no fraction': '2026-11-20T12:00:00Z',
    'UTC, six digits': '2026-11-20T12:00:00.123456Z',
    'one digit': '2026-11-20T12:00:00.1Z',
    'nine digits': '2026-11-20T12:00:00.123456789Z',
    'thirty digits': `2026-11-20T12:00:00.${'9'.repeat(30)}Z`,
    'lower-case t and z': '2026-11-20t12:00:00z',
    'an offset east': '2026-11-20T12:00:00+05:30',
    'an offset west': '2026-11-20T12:00:00-09:45',
    'the offset of nobody knows where': '2026-11-20T12:00:00-00:00',
    'the widest offset east': '2026-11-20T12:00:00+23:59',
    'the widest offset west': '2026-11-20T12:00:00-23:59',
    'the first instant there is': '0001-01-01T00:00:00Z',
    'the last instant there is': '9999-12-31T23:59:59.999999Z',
    'before the epoch': '1969-12-31T23:59:59Z',
    midnight: '2026-11-20T00:00:00Z',
    '29 February of a leap year': '2024-02-29T00:00:00Z',
    '29 February of 2000': '2000-02-29T00:00:00Z',
    '31 December': '2026-12-31T00:00:00Z',
    'a leap second': '2016-12-31T23:59:60Z',
    'a leap second with a fraction': '2016-12-31T23:59:60.5Z',
    'a leap second west of Greenwich': '1990-12-31T15:59:60-08:00',
    'a leap second east of Greenwich': '2017-01-01T00:59:60+01:00',
    'a leap second with the widest offset': '2017-01-01T23:58:60+23:59',
  }
  test.each(Object.entries(taken))('takes %s', (_, text) => expect(isDateTime(text)).toBe(true))

  const refused: Record<string, string> = {
    nothing: '',
    'a blank': ' ',
    now: 'now',
    today: 'today',
    infinity: 'infinity',
    epoch: 'epoch',
    'seconds since the epoch': '1763640000',
    'a date alone': '2026-11-20',
    'no zone': '2026-11-20T12:00:00',
    'no seconds': '2026-11-20T12:00Z',
    'a blank for T': '2026-11-20 12:00:00Z',
    'a blank in front': ' 2026-11-20T12:00:00Z',
    'a blank behind': '2026-11-20T12:00:00Z ',
    'a line break behind': '2026-11-20T12:00:00Z\n',
    'U+0000 behind': '2026-11-20T12:00:00Z\0',
    'a fraction of no digits': '2026-11-20T12:00:00.Z',
    'a comma': '2026-11-20T12:00:00,5Z',
    'an offset without a colon': '2026-11-20T12:00:00+0100',
    'an offset of hours alone': '2026-11-20T12:00:00+01',
    'a zone by name': '2026-11-20T12:00:00CET',
    'both zones': '2026-11-20T12:00:00Z+01:00',
    'a true minus sign': '2026-11-20T12:00:00\u221201:00',
    'Arabic digits': '\u0662\u0660\u0662\u0666-11-20T12:00:00Z',
    'a year of five digits': '12026-11-20T12:00:00Z',
    'a signed year': '+2026-11-20T12:00:00Z',
    'the year 0': '0000-01-01T00:00:00Z',
    'month 0': '2026-00-20T12:00:00Z',
    'month 13': '2026-13-20T12:00:00Z',
    'day 0': '2026-11-00T12:00:00Z',
    '30 February': '2026-02-30T12:00:00Z',
    '29 February of a common year': '2026-02-29T12:00:00Z',
    '29 February of 1900': '1900-02-29T12:00:00Z',
    '31 November': '2026-11-31T12:00:00Z',
    'day 32': '2026-12-32T12:00:00Z',
    'hour 24': '2026-11-20T24:00:00Z',
    'minute 60': '2026-11-20T12:60:00Z',
    'second 61': '2026-12-31T23:59:61Z',
    'a leap second at noon': '2026-11-20T12:00:60Z',
    'a leap second at the local midnight alone': '2016-12-31T23:59:60-08:00',
    'a leap second after the last day there is': '9999-12-31T23:59:60Z',
    'offset hour 24': '2026-11-20T12:00:00+24:00',
    'offset minute 60': '2026-11-20T12:00:00+01:60',
    'an instant in the year 0': '0001-01-01T00:00:00+00:01',
    'an instant in the year 10000': '9999-12-31T23:59:59-00:01',
    'a week date': '2026-W47-5T12:00:00Z',
    'one-digit parts': '2026-1-2T3:04:05Z',
  }
  test.each(Object.entries(refused))('refuses %s', (_, text) => expect(isDateTime(text)).toBe(false))

  test('never throws, and takes nothing that is not of the form', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !isDateTime(text)))
  })
})

describe('toMicroseconds', () => {
  const cases: Record<string, [given: string, want: string]> = {
    'six digits stay': ['2026-11-20T12:00:00.123456Z', '2026-11-20T12:00:00.123456Z'],
    'none stay none': ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z'],
    'the seventh is cut': ['2026-11-20T12:00:00.1234569Z', '2026-11-20T12:00:00.123456Z'],
    'nines are not rounded up': ['2026-12-31T23:59:59.9999999Z', '2026-12-31T23:59:59.999999Z'],
    'an offset becomes UTC': ['2026-11-20T12:00:00.9999999+05:30', '2026-11-20T06:30:00.999999Z'],
    'lower case becomes upper': ['2026-11-20t12:00:00.5z', '2026-11-20T12:00:00.5Z'],
    'also one of more hours than Postgres reads': ['2026-11-20T12:00:00.1234567+16:00', '2026-11-19T20:00:00.123456Z'],
    'likewise to the west, over the year': ['2026-12-31T12:00:00-23:59', '2027-01-01T11:59:00Z'],
    'likewise in the first century': ['0099-01-01T12:00:00+20:00', '0098-12-31T16:00:00Z'],
    'a leap second is the next midnight': ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
    'with its fraction': ['2016-12-31T23:59:60.9999999Z', '2017-01-01T00:00:00.999999Z'],
    'with its offset': ['1990-12-31T15:59:60.25-08:00', '1991-01-01T00:00:00.25Z'],
  }
  test.each(Object.entries(cases))('%s', (_, [given, want]) => expect(toMicroseconds(given)).toBe(want))
})

test('fromDate writes six digits, and reads as what it was made from', () => {
  expect(fromDate(new Date('2026-11-20T12:00:00.5Z'))).toBe('2026-11-20T12:00:00.500000Z')
  const dates = fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') })
  fc.assert(
    fc.property(
      dates.filter((date) => !Number.isNaN(date.getTime())),
      (date) => {
        const text = fromDate(date)
        expect(isDateTime(text)).toBe(true)
        expect(toMicroseconds(text)).toBe(text)
        expect(Date.parse(text)).toBe(date.getTime())
      },
    ),
  )
})
