// What checks depend on, and how long that holds alerts.
import { describe, expect, test } from '@jest/globals'
import { holdOf } from './holds.ts'
import { isCircular } from './validate.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const at = (sec: number) => new Date(NOON + sec * 1000).toISOString()
const ROW: Parameters<typeof holdOf>[0] = {
  depends_on: 'gateway',
  name: 'Gateway',
  is_down: false,
  offline_since: null,
  is_watched: true,
  ended_at: null,
  interval_sec: 60,
  own_interval_sec: 30,
  succeeded_at: at(-10),
  needed: 1,
  own_ran_at: at(0),
  down_since: null,
}

describe('an alert is held', () => {
  test.each<[string, Partial<typeof ROW>, number, string | null | undefined]>([
    ['while the other is down', { is_down: true }, 0, null],
    ['not while the other is down and unmonitored', { is_down: true, is_watched: false }, 0, undefined],
    ['not until a result of another that is unmonitored', { down_since: at(0), is_watched: false }, 0, undefined],
    ['for a quarter of an hour while it is a monitor that is offline', { offline_since: at(-899) }, 0, null],
    ['and then no longer, because it may stay away', { offline_since: at(-900) }, 0, undefined],
    ['not for an offline monitor that is disabled', { offline_since: at(-1), is_watched: false }, 0, undefined],
    ['not while both are up', {}, 0, undefined],
    ['until the next result of the other', { down_since: at(0) }, 0, at(5)],
    ['not once the other was up after it went down', { down_since: at(0), succeeded_at: at(1) }, 2, undefined],
    ['no longer than the other takes to run', { down_since: at(0) }, 74, at(75)],
    ['and then no longer', { down_since: at(0) }, 75, undefined],
    ['not for another that is paused', { down_since: at(0), interval_sec: null, succeeded_at: null }, 0, undefined],
    ['for a round after the other is up', { ended_at: at(10), succeeded_at: at(10) }, 11, at(16)],
    ['until that round', { ended_at: at(10), succeeded_at: at(10), own_ran_at: at(12) }, 13, undefined],
    ['or until it should have come', { ended_at: at(10), succeeded_at: at(10) }, 55, undefined],
  ])('%s', (_name, given, now, until) => {
    expect(holdOf({ ...ROW, ...given }, NOON + now * 1000)?.until).toBe(until)
  })
})

test.each<[Record<string, string>, boolean]>([
  [{}, false],
  [{ a: 'a' }, true],
  [{ a: 'b', b: 'c' }, false],
  [{ a: 'b', b: 'c', c: 'a' }, true],
  [{ x: 'a', a: 'b', b: 'a' }, true],
  [{ a: 'm', b: 'm', c: 'a' }, false],
])('%j leads back to itself: %j', (on, expected) => {
  expect(isCircular(new Map(Object.entries(on)))).toBe(expected)
})
