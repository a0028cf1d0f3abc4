import { describe, expect, test } from '@jest/globals'
import { headlineOf, type PublicState, percentOf, sumShares } from './status.ts'

describe('the headline', () => {
  const cases: Record<string, [states: PublicState[], want: string]> = {
    'all is up': [['up', 'up'], 'operational'],
    'one is down': [['up', 'down'], 'partly_down'],
    'all are down': [['down', 'down'], 'down'],
    'one is down, of another nothing is known': [['down', 'unknown'], 'partly_down'],
    'one is degraded': [['up', 'degraded'], 'degraded'],
    'one is degraded, another is down': [['degraded', 'down'], 'partly_down'],
    'one is degraded, another is watched by nobody': [['degraded', 'unmonitored'], 'partly_unmonitored'],
    'of one nothing is known': [['up', 'unknown'], 'partly_unknown'],
    'one is watched by nobody': [['up', 'unmonitored'], 'partly_unmonitored'],
    'one is watched by nobody, another has no data yet': [['up', 'unmonitored', 'unknown'], 'partly_unmonitored'],
    'all are watched by nobody': [['unmonitored', 'paused'], 'unmonitored'],
    'one is down, another is watched by nobody': [['down', 'unmonitored'], 'partly_down'],
    'nothing is known': [['unknown', 'unknown'], 'unknown'],
    'what is paused does not count': [['up', 'paused'], 'operational'],
    'the only one that is not paused is down': [['down', 'paused'], 'down'],
    'all are paused': [['paused'], 'unknown'],
    'one is under maintenance': [['up', 'maintenance'], 'maintenance'],
    'all are under maintenance': [['maintenance', 'paused'], 'maintenance'],
    'one is under maintenance, the other is down': [['maintenance', 'down'], 'partly_down'],
    'one is under maintenance, another is degraded': [['maintenance', 'degraded', 'up'], 'degraded'],
    'one is under maintenance, the other is watched by nobody': [['maintenance', 'unmonitored'], 'partly_unmonitored'],
    'nothing is shown': [[], 'empty'],
  }
  test.each(Object.entries(cases))('%s', (_, [states, want]) => {
    expect(headlineOf(states.map((state) => ({ state, since: null }))).kind).toBe(want)
  })

  test('says since when the first of those that are down has been', () => {
    const [early, late] = ['2026-11-20T08:00:00.000000Z', '2026-11-20T09:00:00.000000Z']
    const entries = [
      { state: 'down', since: late },
      { state: 'up', since: null },
      { state: 'down', since: early },
    ] as const
    expect(headlineOf(entries)).toEqual({ kind: 'partly_down', since: early })
  })
})

describe('shares', () => {
  test('days without data neither help nor harm', () => {
    const some = { kind: 'runs', runs: 10, failures: 1, watched_sec: 600 } as const
    expect(sumShares([{ kind: 'none' }, some, { kind: 'none' }, some])).toEqual({
      kind: 'runs',
      runs: 20,
      failures: 2,
      watched_sec: 1200,
    })
  })

  test('no data is no share, and what is not whole is never 100 %', () => {
    expect(percentOf(sumShares([]))).toBeNull()
    expect(percentOf({ kind: 'runs', runs: 1_000_000, failures: 1, watched_sec: 1 })).toBe(99.99)
    expect(percentOf({ kind: 'time', watched_sec: 86_400, down_sec: 1 })).toBe(99.99)
  })
})
