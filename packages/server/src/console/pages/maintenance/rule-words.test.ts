// How often a maintenance window repeats, in words.
import { expect, test } from '@jest/globals'
import { ruleWords } from './rule-words.ts'

test.each([
  [null, 'once'],
  ['FREQ=DAILY', 'every day'],
  ['FREQ=WEEKLY;BYDAY=SA', 'every week on Saturday'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR', 'every 2 weeks on Monday, Wednesday and Friday'],
  ['FREQ=MONTHLY;BYDAY=2TU', 'every month on the second Tuesday'],
  ['FREQ=MONTHLY;BYDAY=-1SU', 'every month on the last Sunday'],
  ['FREQ=YEARLY', 'every year'],
  ['FREQ=MONTHLY;BYMONTHDAY=1', 'FREQ=MONTHLY;BYMONTHDAY=1'],
  ['FREQ=HOURLY', 'FREQ=HOURLY'],
  ['FREQ=MONTHLY;BYDAY=7TU', 'FREQ=MONTHLY;BYDAY=7TU'],
])('%s: %s', (rule, words) => {
  expect(ruleWords(rule)).toBe(words)
})
