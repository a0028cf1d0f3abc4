import { pingUrl } from '@dogwatch/domain/heartbeats/ping-url'
import { describe, expect, test } from '@jest/globals'
import { cronTimes, recipesFor } from './recipes.ts'

describe('the times of a crontab that come closest to an interval', () => {
  test.each([
    ['a second', 1, '* * * * *'],
    ['a minute', 60, '* * * * *'],
    ['five minutes', 300, '*/5 * * * *'],
    ['seven minutes, which leave a gap in an hour', 420, '*/6 * * * *'],
    ['an hour', 3600, '0 * * * *'],
    ['five hours, which leave a gap in a day', 18_000, '0 */4 * * *'],
    ['a day', 86_400, '0 3 * * *'],
    ['a week', 7 * 86_400, '0 3 * * 1'],
    ['thirty days', 30 * 86_400, '0 3 1 * *'],
  ])('%s', (_, interval_sec, times) => {
    expect(cronTimes(interval_sec)).toBe(times)
  })
})

test('the ping URL stands below the public address, however that ends', () => {
  expect(pingUrl('https://dogwatch.example/', 't')).toBe('https://dogwatch.example/ping/t')
})

test('a workflow, which many may read, does not have the ping URL in it', () => {
  const ofWorkflow = recipesFor('https://dogwatch.example/ping/t', 60).find(({ id }) => id === 'github-actions')
  expect(ofWorkflow?.text).not.toContain('https://dogwatch.example')
  expect(ofWorkflow?.text).toContain('${{ secrets.DOGWATCH_PING_URL }}')
})
