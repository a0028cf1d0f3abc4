// Cron expressions as Debian's cron accepts and refuses them.
import { describe, expect, test } from '@jest/globals'
import { parseCron } from './cron.ts'

const range = (low: number, high: number) => Array.from({ length: high - low + 1 }, (_, n) => low + n)

describe('cron accepts', () => {
  test.each<[string, number[], number[]]>([
    ['*/20 * * * *', [0, 20, 40], range(0, 23)],
    ['5,50-59/4 3-5/2 * * *', [5, 50, 54, 58], [3, 5]],
    ['\t7  08 \t* * * ', [7], [8]],
    ['0-59/100 0-23/23 * * *', [0], [0, 23]],
    // A range that runs backwards is empty, and is ignored beside another one.
    ['30-10,5 0 * * *', [5], [0]],
    // Cron ignores what follows the last range that it understands.
    ['5;x 1-3-4 * * *', [5], [1, 2, 3]],
    ['*/30/2 *h * * *', [0, 30], range(0, 23)],
    ['@hourly', [0], range(0, 23)],
  ])('%p', (text, minutes, hours) => {
    expect(parseCron(text)).toMatchObject({ minutes, hours })
  })

  test.each<[string, number[]]>([
    ['7', [0]],
    ['0-7', range(0, 6)],
    ['6-7', [0, 6]],
    ['*/7', [0]],
    ['MON-fri/2', [1, 3, 5]],
    ['fri-sun', []],
    ['5#1', [5]],
  ])('%p as the days of the week', (weekday, days) => {
    const weekdays = days.reduce((bits, day) => bits | (1 << day), 0)
    expect(parseCron(`0 0 * * ${weekday}`)).toMatchObject({ weekdays })
  })

  test.each([
    ['0 0 1 * 1', false, false],
    ['0 0 * * 1', true, false],
    ['0 0 */2 * 1', true, false],
    ['0 0 1 * */2', true, false],
    ['0 0 1,* * 1,*', false, false],
    ['*/5 0 1 * 1', false, true],
    ['0 */2 1 * 1', false, true],
    ['0,* 0-23 1 * 1', false, false],
  ])('%p: a star counts at the beginning of a field', (text, needsBothDays, followsClock) => {
    expect(parseCron(text)).toMatchObject({ needsBothDays, followsClock })
  })
})

test.each([
  ['60 * * * *', 'has a wrong minute: 60 is not between 0 and 59'],
  ['5/20 * * * *', 'has a wrong minute: 5/20 needs * or a range before the slash'],
  ['*/0 * * * *', 'has a wrong minute: the step of */0 must be at least 1'],
  ['1,,2 * * * *', 'has a wrong minute: 1,,2 is missing a number'],
  ['5=1 * * * *', 'has a wrong minute: 5=1 must not contain ='],
  ['4294967301 * * * *', 'has a wrong minute: 4294967301 is too large'],
  ['0 -1 * * *', 'has a wrong hour: -1 is missing a number'],
  ['0 5-64/30 * * *', 'has a wrong hour: 64 is not between 0 and 23'],
  ['0 0 0 * *', 'has a wrong day of month: 0 is not between 1 and 31'],
  ['0 0 L * *', 'has a wrong day of month: L is not a number'],
  ['0 0 * monday *', 'has a wrong month: monday is not a number'],
  ['0 0 * 1-13 *', 'has a wrong month: 13 is not between 1 and 12'],
  ['0 0 * * Monday', 'has a wrong day of week: Monday is not a number'],
  ['0 0 * * 5L', 'has a wrong day of week: 5L is not a number'],
  ['0 0 * * 8', 'has a wrong day of week: 8 is not between 0 and 7'],
  ...['', '* * * *', '* * * * * *', '@reboot', '@Daily', '@daily x', '0 0 *\n* *', '0 0 * * *\0', '0\u00a00 * * *'].map(
    (text) => [text, 'must have five fields: minute, hour, day of month, month, day of week'] as const,
  ),
  [`0 0 * * ${'1,'.repeat(60)}1`, 'must be 120 characters or fewer'],
])('cron refuses %p', (text, fault) => {
  expect(parseCron(text)).toEqual({ fault })
})
