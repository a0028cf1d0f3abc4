// Reading recurrence rules: what is refused, and in which words.
import { describe, expect, test } from '@jest/globals'
import { readRule } from './rule.ts'

describe('a rule is refused in words that name what is wrong', () => {
  test.each([
    ['FREQ=DAILY;BYHOUR=25', 'must have hours from 0 to 23 as BYHOUR, and 25 is none'],
    ['FREQ=DAILY;BYHOUR=-1', 'must have hours from 0 to 23 as BYHOUR, and -1 is none'],
    ['FREQ=DAILY;BYMINUTE=60', 'must have minutes from 0 to 59 as BYMINUTE, and 60 is none'],
    ['FREQ=MONTHLY;BYMONTHDAY=32', 'must have days of a month from 1 to 31 or -31 to -1 as BYMONTHDAY, and 32 is none'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'must have days of a month from 1 to 31 or -31 to -1 as BYMONTHDAY, and 0 is none'],
    ['FREQ=YEARLY;BYMONTH=JAN', 'must have months from 1 to 12 as BYMONTH, and JAN is none'],
    ['FREQ=YEARLY;BYMONTH=13', 'must have months from 1 to 12 as BYMONTH, and 13 is none'],
    ['FREQ=YEARLY;BYMONTH=1,,2', 'must have months from 1 to 12 as BYMONTH, and "" is none'],
    ['FREQ=YEARLY;BYYEARDAY=367', 'must have days of a year from 1 to 366 or -366 to -1 as BYYEARDAY, and 367 is none'],
    ['FREQ=YEARLY;BYWEEKNO=54', 'must have weeks from 1 to 53 or -53 to -1 as BYWEEKNO, and 54 is none'],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'must have positions from 1 to 366 or -366 to -1 as BYSETPOS, and 0 is none'],
    [
      'FREQ=WEEKLY;BYDAY=1SA',
      'must not have 1SA as BYDAY with FREQ=WEEKLY: numbered weekdays are for MONTHLY and YEARLY',
    ],
    [
      'FREQ=HOURLY;BYDAY=-2TU',
      'must not have -2TU as BYDAY with FREQ=HOURLY: numbered weekdays are for MONTHLY and YEARLY',
    ],
    ['FREQ=YEARLY;BYWEEKNO=3;BYDAY=1MO', 'must not have 1MO as BYDAY with BYWEEKNO'],
    ['FREQ=MONTHLY;BYDAY=6MO', 'must not have 6MO as BYDAY: a month has five of a weekday at most'],
    ['FREQ=YEARLY;BYDAY=54MO', 'must have weekdays such as MO, 2TU or -1FR as BYDAY, and 54MO is none'],
    ['FREQ=WEEKLY;BYDAY=MONDAY', 'must have weekdays such as MO, 2TU or -1FR as BYDAY, and MONDAY is none'],
    ['FREQ=WEEKLY;WKST=XX', 'must have a weekday such as MO as WKST, and XX is none'],
    [
      'FREQ=WEEKLY;BYMONTHDAY=1',
      'must not have BYMONTHDAY with FREQ=WEEKLY, only with YEARLY or MONTHLY or DAILY or HOURLY',
    ],
    ['FREQ=MONTHLY;BYWEEKNO=1', 'must not have BYWEEKNO with FREQ=MONTHLY, only with YEARLY'],
    ['FREQ=DAILY;BYYEARDAY=1', 'must not have BYYEARDAY with FREQ=DAILY, only with YEARLY or HOURLY'],
    ['FREQ=DAILY;BYSETPOS=1', 'must have another BY part beside BYSETPOS'],
    ['FREQ=DAILY;COUNT=3;UNTIL=20270101', 'must not have both COUNT and UNTIL'],
    ['FREQ=DAILY;INTERVAL=0', 'must have a number from 1 to 1000000 as INTERVAL, and 0 is none'],
    ['FREQ=DAILY;COUNT=1E3', 'must have a number from 1 to 1000000 as COUNT, and 1E3 is none'],
    ['FREQ=DAILY;UNTIL=20270230', 'must have a time such as 20261231T235959Z as UNTIL, and 20270230 is none'],
    [
      'FREQ=DAILY;UNTIL=20270101T250000Z',
      'must have a time such as 20261231T235959Z as UNTIL, and 20270101T250000Z is none',
    ],
    [
      'FREQ=DAILY;BYSECOND=1',
      'must not have BYSECOND: it can have FREQ, INTERVAL, COUNT, UNTIL, BYDAY, WKST, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYHOUR, BYMINUTE, BYSETPOS',
    ],
    ['FREQ=DAILY;FREQ=DAILY', 'must have FREQ once'],
    ['FREQ=MINUTELY', 'must have a FREQ of HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, and not MINUTELY'],
    ['INTERVAL=2', 'must have a FREQ of HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY'],
    ['EVERY NIGHT', 'must be parts like FREQ=WEEKLY;BYDAY=SA, and "EVERY NIGHT" is none'],
    ['FREQ=DAILY;', 'must be parts like FREQ=WEEKLY;BYDAY=SA, and "" is none'],
    ['FREQ=DAILY;BYHOUR', 'must be parts like FREQ=WEEKLY;BYDAY=SA, and BYHOUR is none'],
    ['FREQ=DAILY\nX:1', 'must have a FREQ of HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, and not "DAILY\\nX:1"'],
    [
      'CONSTRUCTOR=1;FREQ=DAILY',
      'must not have CONSTRUCTOR: it can have FREQ, INTERVAL, COUNT, UNTIL, BYDAY, WKST, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYHOUR, BYMINUTE, BYSETPOS',
    ],
  ])('%j', (text, fault) => {
    expect(readRule(text).faults[0]).toBe(fault)
  })

  test('and what is wrong is left out of rules that are stored already', () => {
    expect(readRule('FREQ=DAILY;BYHOUR=2,25').rule).toMatchObject({ frequency: 'DAILY', hours: [2] })
    expect(readRule('FREQ=DAILY;INTERVAL=0;COUNT=X').rule).toMatchObject({ interval: 1, count: undefined })
  })
})
