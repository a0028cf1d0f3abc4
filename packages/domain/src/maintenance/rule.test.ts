// Reading recurrence rules: what is refused, and in which words.
import { describe, expect, test } from '@jest/globals'
import { readRule } from './rule.ts'

describe('a rule is refused in words that name what is wrong', () => {
  test.each([
    ['FREQ=DAILY;BYHOUR=25', 'must set BYHOUR to hours from 0 to 23, not 25'],
    ['FREQ=DAILY;BYHOUR=-1', 'must set BYHOUR to hours from 0 to 23, not -1'],
    ['FREQ=DAILY;BYMINUTE=60', 'must set BYMINUTE to minutes from 0 to 59, not 60'],
    ['FREQ=MONTHLY;BYMONTHDAY=32', 'must set BYMONTHDAY to days of a month from 1 to 31 or -31 to -1, not 32'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'must set BYMONTHDAY to days of a month from 1 to 31 or -31 to -1, not 0'],
    ['FREQ=YEARLY;BYMONTH=JAN', 'must set BYMONTH to months from 1 to 12, not JAN'],
    ['FREQ=YEARLY;BYMONTH=13', 'must set BYMONTH to months from 1 to 12, not 13'],
    ['FREQ=YEARLY;BYMONTH=1,,2', 'must set BYMONTH to months from 1 to 12, not ""'],
    ['FREQ=YEARLY;BYYEARDAY=367', 'must set BYYEARDAY to days of a year from 1 to 366 or -366 to -1, not 367'],
    ['FREQ=YEARLY;BYWEEKNO=54', 'must set BYWEEKNO to weeks from 1 to 53 or -53 to -1, not 54'],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'must set BYSETPOS to positions from 1 to 366 or -366 to -1, not 0'],
    [
      'FREQ=WEEKLY;BYDAY=1SA',
      'must not set BYDAY to 1SA with FREQ=WEEKLY; numbered weekdays need FREQ=MONTHLY or YEARLY',
    ],
    [
      'FREQ=HOURLY;BYDAY=-2TU',
      'must not set BYDAY to -2TU with FREQ=HOURLY; numbered weekdays need FREQ=MONTHLY or YEARLY',
    ],
    ['FREQ=YEARLY;BYWEEKNO=3;BYDAY=1MO', 'must not set BYDAY to 1MO with BYWEEKNO'],
    ['FREQ=MONTHLY;BYDAY=6MO', 'must not set BYDAY to 6MO; a weekday occurs at most five times in a month'],
    ['FREQ=YEARLY;BYDAY=54MO', 'must set BYDAY to weekdays such as MO, 2TU or -1FR, not 54MO'],
    ['FREQ=WEEKLY;BYDAY=MONDAY', 'must set BYDAY to weekdays such as MO, 2TU or -1FR, not MONDAY'],
    ['FREQ=WEEKLY;WKST=XX', 'must set WKST to a weekday such as MO, not XX'],
    [
      'FREQ=WEEKLY;BYMONTHDAY=1',
      'must not have BYMONTHDAY with FREQ=WEEKLY; BYMONTHDAY needs FREQ=YEARLY or MONTHLY or DAILY or HOURLY',
    ],
    ['FREQ=MONTHLY;BYWEEKNO=1', 'must not have BYWEEKNO with FREQ=MONTHLY; BYWEEKNO needs FREQ=YEARLY'],
    ['FREQ=DAILY;BYYEARDAY=1', 'must not have BYYEARDAY with FREQ=DAILY; BYYEARDAY needs FREQ=YEARLY or HOURLY'],
    ['FREQ=DAILY;BYSETPOS=1', 'must have another BY part, such as BYDAY, to use BYSETPOS'],
    ['FREQ=DAILY;COUNT=3;UNTIL=20270101', 'must not have both COUNT and UNTIL'],
    ['FREQ=DAILY;INTERVAL=0', 'must set INTERVAL to a number from 1 to 1000000, not 0'],
    ['FREQ=DAILY;COUNT=1E3', 'must set COUNT to a number from 1 to 1000000, not 1E3'],
    ['FREQ=DAILY;UNTIL=20270230', 'must set UNTIL to a time such as 20261231T235959Z, not 20270230'],
    ['FREQ=DAILY;UNTIL=20270101T250000Z', 'must set UNTIL to a time such as 20261231T235959Z, not 20270101T250000Z'],
    [
      'FREQ=DAILY;BYSECOND=1',
      'must not have BYSECOND; the supported parts are FREQ, INTERVAL, COUNT, UNTIL, BYDAY, WKST, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYHOUR, BYMINUTE, BYSETPOS',
    ],
    ['FREQ=DAILY;FREQ=DAILY', 'must not have FREQ more than once'],
    ['FREQ=MINUTELY', 'must set FREQ to one of HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, not MINUTELY'],
    ['INTERVAL=2', 'must set FREQ to one of HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY'],
    [
      'EVERY NIGHT',
      'must consist of parts of the form NAME=VALUE, such as FREQ=WEEKLY;BYDAY=SA, but has "EVERY NIGHT"',
    ],
    ['FREQ=DAILY;', 'must consist of parts of the form NAME=VALUE, such as FREQ=WEEKLY;BYDAY=SA, but has ""'],
    ['FREQ=DAILY;BYHOUR', 'must consist of parts of the form NAME=VALUE, such as FREQ=WEEKLY;BYDAY=SA, but has BYHOUR'],
    ['FREQ=DAILY\nX:1', 'must set FREQ to one of HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, not "DAILY\\nX:1"'],
    [
      'CONSTRUCTOR=1;FREQ=DAILY',
      'must not have CONSTRUCTOR; the supported parts are FREQ, INTERVAL, COUNT, UNTIL, BYDAY, WKST, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYHOUR, BYMINUTE, BYSETPOS',
    ],
  ])('%j', (text, fault) => {
    expect(readRule(text).faults[0]).toBe(fault)
  })

  test('and what is wrong is left out of rules that are stored already', () => {
    expect(readRule('FREQ=DAILY;BYHOUR=2,25').rule).toMatchObject({ frequency: 'DAILY', hours: [2] })
    expect(readRule('FREQ=DAILY;INTERVAL=0;COUNT=X').rule).toMatchObject({ interval: 1, count: undefined })
  })
})
