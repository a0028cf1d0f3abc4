import { expect, test } from '@jest/globals'
import { commonCauses, countedKinds, groupAtOnce, groupRepeats, withinWords } from './at-once.ts'

/** Newest first, by seconds before the newest. */
const began = (...ago: number[]) =>
  ago.map((sec) => ({ sec, began_at: new Date(Date.UTC(2026, 10, 20, 12) - sec * 1000).toISOString() }))
const groups = (...ago: number[]) => groupAtOnce(began(...ago)).map((group) => group.map(({ sec }) => sec))

test('four or more incidents are a group while each began within a minute of the next, and all within five minutes', () => {
  expect(groups(0, 10, 20)).toEqual([[0], [10], [20]])
  expect(groups(0, 10, 20, 80)).toEqual([[0, 10, 20, 80]])
  expect(groups(0, 10, 20, 81)).toEqual([[0], [10], [20], [81]])
  expect(groups(0, 60, 120, 180, 240, 300, 301)).toEqual([[0, 60, 120, 180, 240, 300], [301]])
  expect(groups(0, 3600, 3600, 3600, 3600)).toEqual([[0], [3600, 3600, 3600, 3600]])
  expect(groups()).toEqual([])
})

test('what is over and happened to one thing again and again, within six hours each, is a group as well', () => {
  const incident = (guid: string, hour: number, ended_at: string | null = 'then') => ({
    guid,
    hour,
    ended_at,
    began_at: new Date(Date.UTC(2026, 10, 20, hour)).toISOString(),
  })
  const of = (...all: ReturnType<typeof incident>[]) =>
    groupRepeats(groupAtOnce(all)).map((group) => group.map(({ guid, hour }) => `${guid}${hour}`).join(' '))
  const [a, b] = [(hour: number) => incident('a', hour), (hour: number) => incident('b', hour)]
  expect(of(a(23), a(22), a(21), a(15), a(8), b(7))).toEqual(['a23 a22 a21 a15', 'a8', 'b7'])
  expect(of(a(23), a(22), b(21), a(20), a(19))).toEqual(['a23', 'a22', 'b21', 'a20', 'a19'])
  expect(of(incident('a', 23, null), a(22), a(21), a(20), a(19))).toEqual(['a23', 'a22 a21 a20 a19'])
})

test('a group says how many of what went down, within how long, and why most of them did', () => {
  const kinds = (...some: ('check' | 'heartbeat')[]) => countedKinds(some.map((kind) => ({ kind })))
  expect(kinds('check', 'check', 'heartbeat')).toBe('2 checks and 1 heartbeat')
  expect(kinds('heartbeat', 'heartbeat')).toBe('2 heartbeats')
  expect([began(0, 40), began(0, 61)].map(withinWords)).toEqual(['within a minute', 'within 2 min'])
  expect(commonCauses(['a', 'a'])).toBe('a')
  expect(commonCauses(['a', 'b', 'b', 'c', 'd', 'e'])).toBe('b (2), a (1), c (1) and 2 other causes')
})
