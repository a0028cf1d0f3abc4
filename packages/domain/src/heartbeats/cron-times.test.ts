// Compares the starts of cron jobs with those of Debian's cron 3.0pl1-162, whose answers cron-starts.json keeps, and with a model of its loop.

import { readFileSync } from 'node:fs'
import { describe, expect, jest, test } from '@jest/globals'
import { Temporal } from 'temporal-polyfill'
import fc from '../../../../scripts/testing/fast-check.ts'
import { type Cron, parseCron } from './cron.ts'
import { lastStart, nextStart } from './cron-times.ts'
import { expectedAfter } from './schedule.ts'

interface DebianCase {
  what: string
  zone: string
  from: string
  until: string
  cron: string
  starts: string[]
}

const CASES = JSON.parse(readFileSync(new URL('cron-starts.json', import.meta.url), 'utf8')) as DebianCase[]
const MINUTE = 60_000
const HOUR = 60 * MINUTE

function read(text: string): Cron {
  const cron = parseCron(text)
  if ('fault' in cron) throw new Error(cron.fault)
  return cron
}

function startsBetween(cron: Cron, zone: string, from: number, until: number): number[] {
  const starts: number[] = []
  let at = nextStart(cron, zone, from)
  for (; at !== undefined && at < until; at = nextStart(cron, zone, at)) starts.push(at)
  return starts
}

function startsBackwards(cron: Cron, zone: string, from: number, until: number): number[] {
  const starts: number[] = []
  let at = lastStart(cron, zone, until)
  for (; at !== undefined && at > from; at = lastStart(cron, zone, at)) starts.unshift(at)
  return starts
}

const shown = (starts: readonly number[]) => starts.map((at) => new Date(at).toISOString().slice(5, 16))

describe('a job starts when Debian starts it', () => {
  test.each(CASES)('$what: $cron in $zone from $from', ({ zone, from, until, cron: text, starts }) => {
    const [cron, began, ended] = [read(text), Date.parse(`${from}Z`), Date.parse(`${until}Z`)]
    const found = startsBetween(cron, zone, began, ended)
    expect(shown(found)).toEqual(starts)
    expect(shown(startsBackwards(cron, zone, began, ended))).toEqual(starts)
    // A job that pings after each start is expected at the next one.
    const heartbeat = { interval_sec: 60, cron: text, cron_zone: zone }
    const expected = found.slice(0, -1).map((at) => expectedAfter(heartbeat, at + 20_000))
    expect(shown(expected)).toEqual(starts.slice(1))
  })
})

/** The loop of Debian's cron, minute by minute: `virtual` and `running` are minutes of the clock on the wall. */
function debianStarts(text: string, zone: string, from: number, until: number): number[] {
  const followsClock = text.startsWith('*') || text.split(' ')[1]?.startsWith('*') === true
  const starts = new Set<number>()
  let virtual = wallMinute(zone, from)
  for (let at = from + MINUTE; at < until; at += MINUTE) {
    const run = (minute: number, kinds: readonly boolean[]) => {
      if (kinds.includes(followsClock) && matches(text, minute)) starts.add(at)
    }
    const running = wallMinute(zone, at)
    const late = running - virtual
    if (late > 5 && late <= 180) {
      run(running, [true])
      while (virtual < running) run(++virtual, [false])
    } else if (late > -180 && late <= 0) {
      run(running, [true])
    } else {
      virtual = running
      run(running, [true, false])
    }
  }
  return [...starts].toSorted((a, b) => a - b)
}

function wallMinute(zone: string, at: number): number {
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  return (at + offsetNanoseconds / 1e6) / MINUTE
}

function matches(text: string, minute: number): boolean {
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = text.split(' ')
  const at = new Date(minute * MINUTE)
  const isDay = has(days, at.getUTCDate(), 1, 31)
  const isWeekday = has(weekdays, at.getUTCDay(), 0, 7) || (at.getUTCDay() === 0 && has(weekdays, 7, 0, 7))
  return (
    has(minutes, at.getUTCMinutes(), 0, 59) &&
    has(hours, at.getUTCHours(), 0, 23) &&
    has(months, at.getUTCMonth() + 1, 1, 12) &&
    (days.startsWith('*') || weekdays.startsWith('*') ? isDay && isWeekday : isDay || isWeekday)
  )
}

function has(field: string, value: number, low: number, high: number): boolean {
  return field.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/')
    const [from = low, to = range === '*' ? high : from] = range === '*' ? [] : range.split('-').map(Number)
    return value >= from && value <= to && (value - from) % Number(step) === 0
  })
}

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/Santiago',
  'UTC',
  'Antarctica/Troll',
]

/** Some field of cron: `*`, a number, a range or a list, with steps. */
function field(low: number, high: number, likely: readonly number[]) {
  const value = fc.oneof(fc.constantFrom(...likely), fc.integer({ min: low, max: high }))
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)
  const stepped = fc
    .tuple(fc.oneof(range, fc.constant('*')), fc.integer({ min: 1, max: 9 }))
    .map((both) => both.join('/'))
  const part = fc.oneof(value.map(String), value.map(String), range, stepped, fc.constant('*'))
  return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','))
}

const EXPRESSIONS = fc
  .tuple(
    field(0, 59, [0, 15, 30, 45, 59]),
    field(0, 23, [0, 1, 2, 3, 22, 23]),
    fc.oneof(fc.constant('*'), field(1, 31, [1, 28, 31])),
    fc.oneof(fc.constant('*'), field(1, 12, [3, 4, 10, 11])),
    fc.oneof(fc.constant('*'), field(0, 7, [0, 6, 7])),
  )
  .map((fields) => fields.join(' '))

/** An instant at which the clock of a zone is changed, or any other where it never is. */
const CHANGES = fc
  .tuple(
    fc.constantFrom(...ZONES),
    fc.date({ min: new Date('2025-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
  )
  .map(([zone, date]) => {
    const hour = Math.floor(date.getTime() / HOUR) * HOUR
    const next = Temporal.Instant.fromEpochMilliseconds(hour).toZonedDateTimeISO(zone).getTimeZoneTransition('next')
    return { zone, change: next?.epochMilliseconds ?? hour }
  })

test("around a change of the clock, a job starts when a model of Debian's loop starts it", () => {
  let starts = 0
  fc.assert(
    fc.property(EXPRESSIONS, CHANGES, (text, { zone, change }) => {
      const [from, until] = [change - 5 * HOUR, change + 5 * HOUR]
      const found = startsBetween(read(text), zone, from, until)
      starts += found.length
      expect({ text, zone, found: shown(found) }).toEqual({
        text,
        zone,
        found: shown(debianStarts(text, zone, from, until)),
      })
      expect(startsBackwards(read(text), zone, from, until)).toEqual(found)
    }),
    { numRuns: 150 },
  )
  expect(starts).toBeGreaterThan(100)
})

describe('the work for a start is bounded', () => {
  // The last of them never starts a job, because the clock skips its times each year.
  const worst = ['* * * * *', '0 0 29 2 1', '0 0 29 2 */7', '0 0 30 2 *', '59 23 31 12 *', '* 2 25-31 3 */7']

  test.each(worst)('of %p: some hundred months and no reading of the zone', (text) => {
    const cron = read(text)
    for (const find of [nextStart, lastStart]) {
      const now = Date.UTC(2027, 5, 1)
      find(cron, 'Europe/Berlin', now)
      const months = jest.spyOn(Date, 'UTC')
      const readings = jest.spyOn(Intl.DateTimeFormat.prototype as unknown as { format: string }, 'format', 'get')
      find(cron, 'Europe/Berlin', now)
      expect(months.mock.calls.length).toBeLessThan(600)
      expect(readings).not.toHaveBeenCalled()
      months.mockRestore()
      readings.mockRestore()
    }
  })

  test('a day of the week on 29 February is found after forty years', () => {
    const cron = read('0 0 29 2 */7')
    expect(new Date(nextStart(cron, 'UTC', Date.UTC(2080, 0, 1)) ?? 0).toISOString()).toBe('2088-02-29T00:00:00.000Z')
    expect(new Date(lastStart(cron, 'UTC', Date.UTC(2088, 1, 29)) ?? 0).toISOString()).toBe('2060-02-29T00:00:00.000Z')
    expect(nextStart(read('0 0 30 2 *'), 'UTC', Date.UTC(2080, 0, 1))).toBeUndefined()
  })
})
