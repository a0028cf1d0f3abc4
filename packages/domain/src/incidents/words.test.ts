// What pages and the export say of an incident.

import type { Neighbour } from '@dogwatch/store/incidents/incident-list'
import { describe, expect, test } from '@jest/globals'
import { boundsOf, QUARTERS, stripOf } from '../overview/strip.ts'
import { causeOf, heldWords, sightOf, sightWords } from './cause.ts'
import { groupNeighbours, witnessesOf } from './inspect.ts'

const view = (id: string, failing: boolean) => ({ id, name: id, failing, ran_at: '' })

describe('where it fails', () => {
  test.each([
    [[], ''],
    [['fra'], 'Failing from fra'],
    [['nyc', 'fra'], 'Failing from all 2 monitors: fra, nyc'],
    [['fra', '-nyc'], 'Failing from 1 of 2 monitors: fra. Passing: nyc'],
    [['-nyc', '-fra', 'sgp'], 'Failing from 1 of 3 monitors: sgp. Passing: fra, nyc'],
    [['-fra'], 'No longer failing from fra'],
    [['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'Failing from all 7 monitors: a, b, c, d, e and 2 more'],
  ])('%j: %s', (monitors, words) => {
    expect(sightWords(sightOf(monitors.map((one) => view(one.replace('-', ''), !one.startsWith('-')))))).toBe(words)
  })
})

test('the cause is what a result or a job said, and otherwise why the verdict fell', () => {
  const check = { kind: 'check', began_at: '2026-11-20T12:00:00Z', verdict: null } as const
  const nothing = { error: null, reason: null, exit_code: null }
  expect(causeOf({ ...check, ...nothing, error: 'status: the status is 503' })).toBe('HTTP status 503')
  expect(causeOf({ ...check, ...nothing })).toBe('Cause unknown')
  const verdict = { failures: 4, places: { failing: 2, of: 3 }, turned_at: '2026-11-20T12:02:00Z' }
  expect(causeOf({ ...check, ...nothing, verdict })).toBe('Failing from 2 of 3 monitors for 2 min')
  expect(causeOf({ ...check, ...nothing, verdict: { failures: 3 } })).toBe('3 failures in a row')
  expect(causeOf({ ...check, ...nothing, kind: 'heartbeat', reason: 'overdue' })).toBe('No ping received in time')
})

test('every reason for which an alert waits has words of its own', () => {
  const reasons = ['delay', 'quiet', 'step', 'maintenance:7', 'dependency:3', 'grouping:m', 'muted', 'flapping']
  expect(new Set(reasons.map((one) => heldWords(one))).size).toBe(reasons.length)
})

test('monitors that failed come first, by when the failures in a row began; a success begins anew', () => {
  const results = [
    { at: '1', monitor_id: 'fra', success: false },
    { at: '2', monitor_id: 'nyc', success: false },
    { at: '3', monitor_id: 'fra', success: true },
    { at: '4', monitor_id: 'sgp', success: true },
    { at: '5', monitor_id: 'fra', success: false },
    { at: '6', monitor_id: 'nyc', success: false },
  ]
  expect(
    witnessesOf(results, '5').map(({ monitor_id, failed_at, failures }) => [monitor_id, failed_at, failures]),
  ).toEqual([
    ['nyc', '2', 2],
    ['fra', '5', 1],
    ['sgp', null, 0],
  ])
})

test('neighbours are grouped by monitor, the most first, and those without one last', () => {
  const neighbour = (monitor_id: string | null) => ({ monitor_id, monitor_name: monitor_id }) as Neighbour
  const groups = groupNeighbours([null, null, null, 'a', 'b', 'b'].map(neighbour))
  expect(groups.map(({ monitor, neighbours }) => [monitor?.id, neighbours.length])).toEqual([
    ['b', 2],
    ['a', 1],
    [undefined, 3],
  ])
})

test('a strip has the quarter that is under way last, and counts what lasted through each', () => {
  const { from, until } = boundsOf(new Date('2026-11-20T12:07:00Z'))
  expect([from.toISOString(), until.toISOString()]).toEqual(['2026-11-19T12:15:00.000Z', '2026-11-20T12:15:00.000Z'])
  const incidents = [
    { first: 0, last: 1, count: 2 },
    { first: 1, last: 95, count: 1 },
  ]
  const { quarters } = stripOf(from, '2026-11-19T12:50:00Z', {
    incidents,
    unmonitored: [],
    outages: [{ first: 3, last: 3, count: 1 }],
  })
  expect(quarters).toHaveLength(QUARTERS)
  expect(quarters.map(({ down }) => down).slice(0, 3)).toEqual([2, 3, 1])
  expect(quarters.filter(({ isOutage }) => isOutage)).toHaveLength(1)
  expect(quarters.flatMap(({ isBefore }, i) => (isBefore ? [i] : []))).toEqual([0, 1])
})
