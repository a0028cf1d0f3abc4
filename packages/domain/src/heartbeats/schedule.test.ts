// When pings are expected, by timelines: through both changes of the clock.
import { describe, expect, jest, test } from '@jest/globals'
import fc from '../../../../scripts/testing/fast-check.ts'
import { type Cron, parseCron } from './cron.ts'
import { nextStart } from './cron-times.ts'
import { deadlineOf, lateSince } from './heartbeat.ts'
import { longestGapSec } from './longest-gap.ts'
import { expectedAfter, nextTimes, type PingSchedule, readCron } from './schedule.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const DAY = 86_400
const daily = (cron: string, cron_zone = 'Europe/Berlin'): PingSchedule => ({ interval_sec: DAY, cron, cron_zone })

function read(text: string): Cron {
  const cron = parseCron(text)
  if ('fault' in cron) throw new Error(cron.fault)
  return cron
}

/** When the next pings are expected, each after the one before. */
function timeline(schedule: PingSchedule, from: string, count: number): string[] {
  const times: string[] = []
  let at = Date.parse(from)
  for (let i = 0; i < count; i++) {
    at = expectedAfter(schedule, at)
    times.push(new Date(at).toISOString().slice(0, 16))
  }
  return times
}

describe('the times of a cron expression', () => {
  test.each<[string, PingSchedule, string, string[]]>([
    ['each night', daily('30 3 * * *'), '2026-11-20T02:31:00Z', ['2026-11-21T02:30', '2026-11-22T02:30']],
    [
      'working days',
      daily('0 9 * * 1-5', 'America/New_York'),
      '2026-11-20T15:00:00Z',
      ['2026-11-23T14:00', '2026-11-24T14:00'],
    ],
    [
      'each night, and the clock is set forward: it is an hour earlier from then on',
      daily('30 4 * * *'),
      '2026-03-28T04:00:00Z',
      ['2026-03-29T02:30', '2026-03-30T02:30'],
    ],
    [
      'at a time that does not occur as the clock is set forward: when it is set',
      daily('30 2 * * *'),
      '2026-03-28T02:00:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:30'],
    ],
    [
      'at a time that occurs twice as the clock is set back: once',
      daily('30 2 * * *'),
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    [
      'every half hour as the clock is set back: all the same',
      { interval_sec: 1800, cron: '*/30 * * * *', cron_zone: 'Europe/Berlin' },
      '2026-10-25T00:10:00Z',
      ['2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30', '2026-10-25T02:00'],
    ],
    [
      'every half hour as the clock is set forward: all the same',
      { interval_sec: 1800, cron: '*/30 * * * *', cron_zone: 'Europe/Berlin' },
      '2026-03-29T00:10:00Z',
      ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30'],
    ],
    ['a period has no zone', { interval_sec: DAY }, '2026-10-24T12:00:00Z', ['2026-10-25T12:00', '2026-10-26T12:00']],
  ])('%s', (_, schedule, from, expected) => {
    expect(timeline(schedule, from, expected.length)).toEqual(expected)
  })

  test("a ping half a minute before its time is that time's, one that is earlier is not", () => {
    const nightly = daily('30 3 * * *', 'UTC')
    expect(new Date(expectedAfter(nightly, Date.parse('2026-11-20T03:29:40Z'))).toISOString()).toMatch(/^2026-11-21/)
    expect(new Date(expectedAfter(nightly, Date.parse('2026-11-20T03:29:20Z'))).toISOString()).toMatch(/^2026-11-20/)
  })
})

describe('a heartbeat that follows cron is overdue', () => {
  const weekdays = { ...daily('0 9 * * 1-5', 'UTC'), grace_sec: 600 }
  const due = (last: string, outages: [string, string][] = [], refused_at?: string) => {
    const spans = outages.map(([began, ended]) => ({ began: Date.parse(began), ended: Date.parse(ended) }))
    return new Date(deadlineOf(weekdays, last, spans, refused_at).due).toISOString().slice(0, 16)
  }

  test('when its grace has passed after the next of its times', () => {
    expect(due('2026-11-19T09:01:00Z')).toBe('2026-11-20T09:10')
    expect(due('2026-11-20T09:01:00Z')).toBe('2026-11-23T09:10')
  })

  test('at the time after an outage of ours in which its ping was lost', () => {
    expect(due('2026-11-19T09:01:00Z', [['2026-11-20T08:59:00Z', '2026-11-20T09:05:00Z']])).toBe('2026-11-23T09:10')
    expect(due('2026-11-19T09:01:00Z', [], '2026-11-20T09:00:30Z')).toBe('2026-11-23T09:10')
  })
})

describe('late is', () => {
  const up = {
    enabled: true,
    platform_enabled: true,
    state: 'up',
    grace_sec: 600,
    due_at: '2026-11-20T12:10:00.000000Z',
  }
  test.each([
    ['nobody who may still ping in time', up, '2026-11-20T11:59:59Z', null],
    ['whose time has passed, from then on', up, '2026-11-20T12:00:00Z', '2026-11-20T12:00:00.000000Z'],
    ['nobody who is down', { ...up, state: 'down', due_at: null }, '2026-11-20T12:05:00Z', null],
    ['nobody who is paused', { ...up, enabled: false }, '2026-11-20T12:05:00Z', null],
    ['nobody who has never pinged', { ...up, state: 'new', due_at: null }, '2026-11-20T12:05:00Z', null],
  ])('%s', (_, heartbeat, now, since) => {
    expect(lateSince(heartbeat, new Date(now))).toBe(since)
  })
})

test.each([
  ['30 2 * * 1-5', 'Europe/Paris', undefined],
  ['*/5 * * * *', 'UTC', undefined],
  ['0 0 1 JAN *', 'UTC', undefined],
  ['0 0 29 2 *', 'UTC', /at least once a year/],
  ['0 0 30 2 *', 'UTC', /at least once a year; none of the given months has any of the given days$/],
  ['0 0 29 2 1', 'UTC', undefined],
  ['0 0 29 2 */7', 'UTC', /at least once a year$/],
  ['30-10 * * * *', 'UTC', /at least once a year; the range of minutes is empty$/],
  ['0 5-3 * * *', 'UTC', /at least once a year; the range of hours is empty$/],
  ['0 0 * * fri-sun', 'UTC', /at least once a year; none of the given months/],
  // The clock skips its times each year.
  ['* 2 25-31 3 */7', 'Europe/Berlin', /at least once a year$/],
  ['* * * * * *', 'UTC', /five fields/],
  ['@daily', 'UTC', undefined],
  ['61 * * * *', 'UTC', /wrong minute/],
  ['0 3 * * *', 'Mars/Base', /time zone/],
  ['0 3 * * *', '+02:00', /time zone/],
])('cron %p in %p', (cron, zone, fault) => {
  const made = readCron(cron, zone, NOW)
  if (fault === undefined) expect(made).toEqual({ interval_sec: expect.any(Number) })
  else expect(made).toMatchObject({ fault: { must: expect.stringMatching(fault) } })
})

describe('the longest time between two times', () => {
  const [HOUR, MINUTE] = [3600, 60]
  test.each<[string, string, number]>([
    ['0 9 * * 1-5', 'UTC', 3 * DAY],
    ['30 4 * * *', 'Europe/Berlin', 25 * HOUR],
    ['*/5 * * * *', 'UTC', 300],
    ['*/5 * * * *', 'Europe/Berlin', 300],
    // Many times before the first long gap.
    ['* * 1-10 * *', 'UTC', 21 * DAY + MINUTE],
    ['* 9-16 * * 1-5', 'America/New_York', 2 * DAY + 17 * HOUR + MINUTE],
    ['* * * 1-11 *', 'UTC', 31 * DAY + MINUTE],
    ['* * 1-9 * *', 'Australia/Lord_Howe', 22 * DAY + MINUTE],
  ])('of %p in %p', (cron, zone, sec) => {
    expect(longestGapSec(read(cron), zone, NOW)).toBe(sec)
  })

  /** Every time of a year, one after the other. */
  function longestByAll(cron: Cron, zone: string, now: number, most: number): number | undefined {
    const end = now + 366 * DAY * 1000
    let [longest, at] = [0, nextStart(cron, zone, now)]
    for (let n = 0; at !== undefined && at <= end; n++) {
      const next = nextStart(cron, zone, at)
      if (next === undefined || n > most) return undefined
      longest = Math.max(longest, next - at)
      at = next
    }
    return longest / 1000
  }

  const fields = [
    fc.constantFrom('0', '30', '59', '5,50', '*/20'),
    fc.constantFrom('*', '0', '1', '2', '3', '23', '0-2', '2-4', '*/6', '8-17'),
    fc.constantFrom('*', '1', '1-3', '31', '15,31', '26-29', '*/10'),
    fc.constantFrom('*', '3', '4', '10-11', '*/3', 'JAN'),
    fc.constantFrom('*', '1-5', '0', '*/3', 'SAT'),
  ]
  const zones = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'America/Santiago',
    'Africa/Casablanca',
    'Asia/Kolkata',
  )
  const nows = fc.date({
    min: new Date('2025-01-01T00:00:00Z'),
    max: new Date('2029-01-01T00:00:00Z'),
    noInvalidDate: true,
  })

  const seen = (longest: number) => (longest > 366 * DAY ? undefined : Math.min(365 * DAY, longest))

  test('is what a walk through all of them finds', () => {
    let compared = 0
    fc.assert(
      fc.property(fc.tuple(...fields), zones, nows, (given, zone, now) => {
        const cron = given.join(' ')
        const longest = longestByAll(read(cron), zone, now.getTime(), 2_000)
        fc.pre(longest !== undefined && longest > 0)
        compared++
        const found = longestGapSec(read(cron), zone, now)
        expect({ cron, zone, now, found }).toEqual({ cron, zone, now, found: seen(longest ?? 0) })
      }),
      { numRuns: 100 },
    )
    expect(compared).toBeGreaterThan(10)
  })

  test('is found by reading some hundred days, however many times there are in a year', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'Africa/Casablanca']) {
      longestGapSec(read('* * * * *'), zone, NOW)
      const days = jest.spyOn(Date, 'UTC')
      longestGapSec(read('* * * * *'), zone, NOW)
      expect(days.mock.calls.length).toBeLessThan(3_000)
      days.mockRestore()
    }
  })
})

test('an expression that was stored before cron refused it is expected by its interval', () => {
  const monthly = { interval_sec: 31 * DAY, cron: '0 0 L * *', cron_zone: 'UTC' }
  expect(timeline(monthly, '2026-11-20T00:00:00Z', 1)).toEqual(['2026-12-21T00:00'])
  expect(nextTimes(monthly.cron, 'UTC', NOW, 3)).toEqual([])
})

test('three hundred heartbeats read their zone once', () => {
  const readings = jest.spyOn(Intl.DateTimeFormat.prototype as unknown as { format: string }, 'format', 'get')
  for (let n = 0; n < 300; n++) readCron(`${n % 60} ${n % 24} * * *`, 'America/Caracas', NOW)
  expect(readings.mock.calls.length).toBeLessThan(300)
  readings.mockRestore()
})
