// Quiet hours and on-call weeks by the clock of a zone, on the days on which clocks are changed as well.
import { describe, expect, test } from '@jest/globals'
import { isZone, onCall, quietUntil } from './hours.ts'
import type { Quiet, Rotation } from './route.ts'

const NIGHT: Quiet = { from: '22:00', to: '07:00', days: [], zone: 'Europe/Paris', holds_down: false }
const until = (quiet: Quiet, at: string) => {
  const end = quietUntil(quiet, Date.parse(at))
  return end === undefined ? 'loud' : new Date(end).toISOString().replace(':00.000Z', 'Z')
}

describe('quiet hours', () => {
  test.each([
    ['an evening', NIGHT, '2026-11-20T20:59:59Z', 'loud'],
    ['the first instant', NIGHT, '2026-11-20T21:00:00Z', '2026-11-21T06:00Z'],
    ['after midnight', NIGHT, '2026-11-21T03:00:00Z', '2026-11-21T06:00Z'],
    ['the last instant is over', NIGHT, '2026-11-21T06:00:00Z', 'loud'],
    ['within a day', { ...NIGHT, from: '12:00', to: '13:30' }, '2026-11-20T12:00:00Z', '2026-11-20T12:30Z'],
    // 2026-11-20 is a Friday.
    ['of Fridays, on Saturday morning', { ...NIGHT, days: [5] }, '2026-11-21T03:00:00Z', '2026-11-21T06:00Z'],
    ['of Fridays, on Friday morning', { ...NIGHT, days: [5] }, '2026-11-20T03:00:00Z', 'loud'],
    [
      'a whole weekend',
      { ...NIGHT, from: '00:00', to: '00:00', days: [6, 7] },
      '2026-11-21T12:00:00Z',
      '2026-11-22T23:00Z',
    ],
    // At 02:00 clocks go forward to 03:00: the night is an hour shorter.
    ['the night of summer time', NIGHT, '2026-03-28T22:00:00Z', '2026-03-29T05:00Z'],
    ['the evening after it', NIGHT, '2026-03-29T20:00:00Z', '2026-03-30T05:00Z'],
    // At 03:00 clocks go back to 02:00: the night is an hour longer.
    ['the night of winter time', NIGHT, '2026-10-24T20:00:00Z', '2026-10-25T06:00Z'],
    ['an hour before its evening', NIGHT, '2026-10-25T20:30:00Z', 'loud'],
    ['an end that does not occur', { ...NIGHT, to: '02:30' }, '2026-03-29T00:30:00Z', '2026-03-29T01:30Z'],
    ['an end that occurs twice is the first', { ...NIGHT, to: '02:30' }, '2026-10-24T22:00:00Z', '2026-10-25T00:30Z'],
    ['and after it nothing is quiet', { ...NIGHT, to: '02:30' }, '2026-10-25T00:45:00Z', 'loud'],
  ])('%s', (_, quiet, at, expected) => {
    expect(until(quiet, at)).toBe(expected)
  })

  test('without an end, they are looked at again after some days', () => {
    const always = { ...NIGHT, from: '08:00', to: '08:00', zone: 'UTC' }
    expect(until(always, '2026-11-20T12:00:00Z')).toBe('2026-11-28T08:00Z')
  })
})

describe('on call', () => {
  const rota: Rotation = { channel_ids: [7, 8, 9], starts_on: '2026-10-19', at: '09:00', zone: 'Europe/Paris' }
  test.each([
    ['2026-10-19T06:59:59Z', 2],
    ['2026-10-19T07:00:00Z', 0],
    // Clocks went back in between: nine o'clock is an hour later.
    ['2026-10-26T07:30:00Z', 0],
    ['2026-10-26T08:00:00Z', 1],
    ['2026-11-02T08:00:00Z', 2],
    ['2026-11-09T08:00:00Z', 0],
    ['2026-10-01T12:00:00Z', 0],
  ])('at %s it is channel %i', (at, expected) => {
    expect(onCall(rota, Date.parse(at))).toBe(expected)
  })

  // The hand-over is on the day of the change, or on the day before it. From then on nobody else has the week, whatever the clock shows.
  test.each<[string, Partial<Rotation>, string]>([
    ['in the hour that repeats', { starts_on: '2027-10-24', at: '02:30' }, '2027-10-31T00:30:00Z'],
    ['as the hour that repeats begins', { starts_on: '2027-10-24', at: '02:00' }, '2027-10-31T00:00:00Z'],
    ['as the hour that repeats is over', { starts_on: '2027-10-24', at: '03:00' }, '2027-10-31T02:00:00Z'],
    ['in the hour that is skipped', { starts_on: '2027-03-21', at: '02:30' }, '2027-03-28T01:00:00Z'],
    [
      'in the half hour that repeats',
      { starts_on: '2027-03-28', at: '01:45', zone: 'Australia/Lord_Howe' },
      '2027-04-03T14:45:00Z',
    ],
    [
      'late in the evening that repeats',
      { starts_on: '2028-03-25', at: '23:30', zone: 'America/Santiago' },
      '2028-04-02T02:30:00Z',
    ],
    [
      'at a midnight that is skipped',
      { starts_on: '2027-08-29', at: '00:00', zone: 'America/Santiago' },
      '2027-09-05T04:00:00Z',
    ],
    // The clock went back from 00:01 to 23:01 of the day before.
    [
      'at midnight, just before the clock shows the day before again',
      { starts_on: '2010-10-31', at: '00:00', zone: 'America/St_Johns' },
      '2010-11-07T02:30:00Z',
    ],
  ])('is handed over once, %s', (_, changed, handed) => {
    const week = { ...rota, ...changed }
    const seen: number[] = []
    for (let minute = -150; minute <= 150; minute += 5) seen.push(onCall(week, Date.parse(handed) + minute * 60_000))
    expect(seen).toEqual([...Array.from({ length: 30 }, () => 0), ...Array.from({ length: 31 }, () => 1)])
  })
})

test.each([
  ['Europe/Paris', true],
  ['UTC', true],
  ['+02:00', false],
  ['Europe/Nowhere', false],
  ['', false],
])('%s: a zone or none', (zone, expected) => {
  expect(isZone(zone)).toBe(expected)
})
