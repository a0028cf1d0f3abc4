// When a composite is down or degraded, by the states of its members.
import { expect, test } from '@jest/globals'
import type { CheckState } from '../checks/state.ts'
import { judgeComposite, type MemberCheck, resolveMembers } from './composite.ts'

const member = (state: CheckState, given: Partial<MemberCheck> = {}): MemberCheck => ({
  ...{ check_id: 1, guid: 'g', key: null, name: 'web', tags: [], state, since: null },
  ...{ isPrivate: false, isComposite: false, ...given },
})

test.each<[string, CheckState[], number, string]>([
  ['all are up', ['up', 'degraded'], 0, 'up'],
  ['one is down', ['up', 'down'], 0, 'degraded'],
  ['all are down', ['down', 'down'], 0, 'down'],
  ['as many are down as it takes', ['down', 'down', 'up'], 2, 'down'],
  ['fewer are down than it takes', ['down', 'up', 'up'], 2, 'degraded'],
  ['fewer count than it takes, and all of them are down', ['down', 'paused', 'unmonitored'], 2, 'down'],
  ['paused and unmonitored ones do not count', ['down', 'up', 'paused', 'unmonitored', 'unknown'], 0, 'degraded'],
  ['none has a state', ['paused', 'unknown'], 0, 'unmonitored'],
  ['there are none', [], 1, 'unmonitored'],
])('%s', (_, states, down_at, want) => {
  expect(
    judgeComposite(
      states.map((state) => member(state)),
      down_at,
    ).state,
  ).toBe(want)
})

test('private definitions and other composites do not count', () => {
  const members = [member('down', { isPrivate: true }), member('down', { isComposite: true }), member('up')]
  expect(judgeComposite(members, 0)).toEqual({ state: 'up', reason: '' })
})

test('the reason names the members that are down, and the time at which enough were', () => {
  const down = ['c', 'a', 'b'].map((name, n) => member('down', { name, since: `2026-01-0${n + 1}` }))
  expect(judgeComposite([...down, member('up')], 2)).toEqual({
    state: 'down',
    reason: '3 of 4 members are down: a, b, c',
    since: '2026-01-02',
  })
  const many = Array.from({ length: 7 }, (_, n) => member('down', { name: `m${n}` }))
  expect(judgeComposite(many, 0).reason).toBe('7 of 7 members are down: m0, m1, m2, m3, m4 and 2 more')
})

test('names mean checks by their guid, key or tag', () => {
  const checks = [member('up', { key: 'web-1', tags: ['db'] }), member('up', { guid: 'other', tags: ['db', 'eu'] })]
  const named = resolveMembers(
    [
      { by: 'tag', name: 'db' },
      { by: 'key', name: 'web-1' },
      { by: 'guid', name: 'other' },
      { by: 'key', name: 'gone' },
    ],
    checks,
  )
  expect(named.map((one) => one.checks.map((check) => checks.indexOf(check)))).toEqual([[0, 1], [0], [1], []])
})
