import { expect, test } from '@jest/globals'
import { type StateFacts, stateOf } from './state.ts'

const [EARLY, LATE] = ['2026-11-20T10:00:00.000000Z', '2026-11-20T11:00:00.000000Z']
const well: StateFacts = {
  enabled: true,
  monitors: 2,
  down_since: null,
  ended_at: null,
  end_reason: null,
  unmonitored_since: null,
  degraded_since: null,
  seen_at: LATE,
}

test.each<[string, Partial<StateFacts>, ReturnType<typeof stateOf>]>([
  ['seen, and never down', {}, { state: 'up', since: null }],
  ['recovered', { ended_at: EARLY, end_reason: 'recovered' }, { state: 'up', since: EARLY }],
  ['down', { down_since: EARLY }, { state: 'down', since: EARLY }],
  ['down, and silent since', { down_since: EARLY, unmonitored_since: LATE }, { state: 'down', since: EARLY }],
  ['degraded', { degraded_since: EARLY, ended_at: LATE, end_reason: 'recovered' }, { state: 'degraded', since: EARLY }],
  ['down while degraded', { degraded_since: EARLY, down_since: LATE }, { state: 'down', since: LATE }],
  ['silent while degraded', { degraded_since: EARLY, unmonitored_since: LATE }, { state: 'unmonitored', since: LATE }],
  ['silent', { unmonitored_since: LATE }, { state: 'unmonitored', since: LATE }],
  ['without a monitor', { monitors: 0 }, { state: 'unmonitored', since: LATE }],
  ['without a monitor, never seen', { monitors: 0, seen_at: null }, { state: 'unmonitored', since: null }],
  ['never seen', { seen_at: null }, { state: 'unknown', since: null }],
  ['paused while down', { enabled: false, down_since: EARLY }, { state: 'paused', since: null }],
  [
    'back from a pause that ended an incident, not seen since',
    { seen_at: EARLY, ended_at: LATE, end_reason: 'disabled' },
    { state: 'unknown', since: null },
  ],
  [
    'back from such a pause, and seen',
    { seen_at: LATE, ended_at: EARLY, end_reason: 'disabled' },
    { state: 'up', since: EARLY },
  ],
])('%s', (_, given, want) => {
  expect(stateOf({ ...well, ...given })).toEqual(want)
})
