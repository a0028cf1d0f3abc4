import { expect, test } from '@jest/globals'
import { faultOfRetries, timeForRetries } from './retries.ts'

test.each([
  ['a retry has its delay, its timeout and two seconds', { retry_count: 1, interval_sec: 17 }, 1, undefined],
  ['one second less is too short', { retry_count: 1, interval_sec: 16 }, 1, 2],
  ['the first of several counts', { retry_count: 10, interval_sec: 17 }, 1, undefined],
  [
    'the delay and the timeout are those of the check',
    { retry_count: 1, interval_sec: 60, retry_interval_sec: 100, timeout_sec: 30 },
    1,
    3,
  ],
  ['monitors that take turns have more time', { retry_count: 1, interval_sec: 16 }, 2, undefined],
  ['without retries nothing has to fit', { interval_sec: 5 }, 1, undefined],
  ['a faulty value is left alone', { retry_count: 'two', interval_sec: 5 }, 1, undefined],
])('%s', (_, check, monitors, fewest) => {
  const said = fewest === undefined ? undefined : expect.stringContaining(`fewer than ${fewest} monitors`)
  expect(faultOfRetries(check, monitors)).toEqual(said)
})

test('several retries need their delays one after the other', () => {
  expect(timeForRetries({ retry_count: 3, retry_interval_sec: 4, timeout_sec: 5 })).toBe(3 * 4 + 5 + 2)
})
