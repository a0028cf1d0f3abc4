// How often a maintenance window repeats, in words.
import { expect, test } from '@jest/globals'
import { ruleWords } from './rule-words.ts'

test.each([
  [null, 'Once'],
  ['FREQ=DAILY', 'Every day'],
  ['FREQ=WEEKLY;BYDAY=SA', 'Every week on Saturday'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR', 'Every 2 weeks on Monday, Wednesday and Friday'],
  ['FREQ=MONTHLY;BYDAY=2TU', 'Every month on the second Tuesday'],
  ['FREQ=MONTHLY;BYDAY=-1SU', 'Every month on the last Sunday'],
  ['FREQ=YEARLY', 'Every year'],
  ['FREQ=MONTHLY;BYMONTHDAY=1', 'FREQ=MONTHLY;BYMONTHDAY=1'],
  ['FREQ=HOURLY', 'FREQ=HOURLY'],
  ['FREQ=MONTHLY;BYDAY=7TU', 'FREQ=MONTHLY;BYDAY=7TU'],
])('%s: %s', (rule, words) => {
  expect(ruleWords(rule)).toBe(words)
})
