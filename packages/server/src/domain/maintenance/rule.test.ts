// Reading recurrence rules: what is refused, and in which words.
import { describe, expect, test } from '@jest/globals'
import { readRule } from './rule.ts'

describe('a rule is refused in words that name what is wrong', () => {
  test.each([
    ['FREQ=DAILY;BYHOUR=25', 'must have hours from 0 to 23 as BYHOUR, not 25'],
    ['FREQ=DAILY;BYHOUR=-1', 'must have hours from 0 to 23 as BYHOUR, not -1'],
    ['FREQ=DAILY;BYMINUTE=60', 'must have minutes from 0 to 59 as BYMINUTE, not 60'],
    ['FREQ=MONTHLY;BYMONTHDAY=32', 'must have days of a month from 1 to 31 or -31 to -1 as BYMONTHDAY, not 32'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'must have days of a month from 1 to 31 or -31 to -1 as BYMONTHDAY, not 0'],
    ['FREQ=YEARLY;BYMONTH=JAN', 'must have months from 1 to 12 as BYMONTH, not JAN'],
    ['FREQ=YEARLY;BYMONTH=13', 'must have months from 1 to 12 as BYMONTH, not 13'],
    ['FREQ=YEARLY;BYMONTH=1,,2', 'must have months from 1 to 12 as BYMONTH, not ""'],
    ['FREQ=YEARLY;BYYEARDAY=367', 'must have days of a year from 1 to 366 or -366 to -1 as BYYEARDAY, not 367'],
    ['FREQ=YEARLY;BYWEEKNO=54', 'must have weeks from 1 to 53 or -53 to -1 as BYWEEKNO, not 54'],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'must have positions from 1 to 366 or -366 to -1 as BYSETPOS, not 0'],
    [
      'FREQ=WEEKLY;BYDAY=1SA',
      'must not have 1SA as BYDAY with FREQ=WEEKLY; numbered weekdays need FREQ=MONTHLY or YEARLY',
    ],
    [
      'FREQ=HOURLY;BYDAY=-2TU',
      'must not have -2TU as BYDAY with FREQ=HOURLY; numbered weekdays need FREQ=MONTHLY or YEARLY',
    ],
    ['FREQ=YEARLY;BYWEEKNO=3;BYDAY=1MO', 'must not have 1MO as BYDAY with BYWEEKNO'],
    ['FREQ=MONTHLY;BYDAY=6MO', 'must not have 6MO as BYDAY; a weekday occurs at most five times in a month'],
    ['FREQ=YEARLY;BYDAY=54MO', 'must have weekdays such as MO, 2TU or -1FR as BYDAY, not 54MO'],
    ['FREQ=WEEKLY;BYDAY=MONDAY', 'must have weekdays such as MO, 2TU or -1FR as BYDAY, not MONDAY'],
    ['FREQ=WEEKLY;WKST=XX', 'must have a weekday such as MO as WKST, not XX'],
    [
      'FREQ=WEEKLY;BYMONTHDAY=1',
      'must not have BYMONTHDAY with FREQ=WEEKLY; BYMONTHDAY needs FREQ=YEARLY or MONTHLY or DAILY or HOURLY',
    ],
    ['FREQ=MONTHLY;BYWEEKNO=1', 'must not have BYWEEKNO with FREQ=MONTHLY; BYWEEKNO needs FREQ=YEARLY'],
    ['FREQ=DAILY;BYYEARDAY=1', 'must not have BYYEARDAY with FREQ=DAILY; BYYEARDAY needs FREQ=YEARLY or HOURLY'],
    ['FREQ=DAILY;BYSETPOS=1', 'must have another BY part, such as BYDAY, to use BYSETPOS'],
    ['FREQ=DAILY;COUNT=3;UNTIL=20270101', 'must not have both COUNT and UNTIL'],
    ['FREQ=DAILY;INTERVAL=0', 'must have a number from 1 to 1000000 as INTERVAL, not 0'],
    ['FREQ=DAILY;COUNT=1E3', 'must have a number from 1 to 1000000 as COUNT, not 1E3'],
    ['FREQ=DAILY;UNTIL=20270230', 'must have a time such as 20261231T235959Z as UNTIL, not 20270230'],
    ['FREQ=DAILY;UNTIL=20270101T250000Z', 'must have a time such as 20261231T235959Z as UNTIL, not 20270101T250000Z'],
    [
      'FREQ=DAILY;BYSECOND=1',
      'must not have BYSECOND; the supported parts are FREQ, INTERVAL, COUNT, UNTIL, BYDAY, WKST, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYHOUR, BYMINUTE, BYSETPOS',
    ],
    ['FREQ=DAILY;FREQ=DAILY', 'must not have FREQ more than once'],
    ['FREQ=MINUTELY', 'must have FREQ set to one of HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, not MINUTELY'],
    ['INTERVAL=2', 'must have FREQ set to one of HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY'],
    ['EVERY NIGHT', 'must consist of parts such as FREQ=WEEKLY;BYDAY=SA, and "EVERY NIGHT" is not such a part'],
    ['FREQ=DAILY;', 'must consist of parts such as FREQ=WEEKLY;BYDAY=SA, and "" is not such a part'],
    ['FREQ=DAILY;BYHOUR', 'must consist of parts such as FREQ=WEEKLY;BYDAY=SA, and BYHOUR is not such a part'],
    ['FREQ=DAILY\nX:1', 'must have FREQ set to one of HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, not "DAILY\\nX:1"'],
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
