import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Health, type Judgement, judge as judgeBy } from './health.ts'
import type { JudgedResult, Rules } from './places.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const UP: Health = { down_since: null, last_ended_at: null }
const since = (down_since: string): Health => ({ down_since, last_ended_at: null })
const judge = (health: Health, found: readonly JudgedResult[], threshold: number, now: Date): Judgement =>
  judgeBy(health, found, { threshold, gap_ms: 300_000 } satisfies Rules, now)
const at = (second: number): string =>
  new Date(NOW.getTime() - 3_600_000 + second * 1000).toISOString().replace('Z', '000Z')

/** `F F S` as the newest first, a second apart. */
function results(outcomes: string): JudgedResult[] {
  const marks = outcomes.split(' ').filter((mark) => mark !== '')
  return marks.map((mark, index) => ({
    at: at(marks.length - index),
    monitor_id: 'm1',
    success: mark === 'S',
  }))
}

describe('a check goes down', () => {
  const cases: { name: string; given: string; threshold: number; want: string }[] = [
    { name: 'with the first failure when one is enough', given: 'F S S', threshold: 1, want: 'down' },
    { name: 'a threshold of none is one', given: 'F S', threshold: 0, want: 'down' },
    { name: 'with the third when three are needed', given: 'F F F S', threshold: 3, want: 'down' },
    { name: 'not with the second', given: 'F F S F', threshold: 3, want: 'none' },
    { name: 'although it never succeeded', given: 'F F', threshold: 2, want: 'down' },
    { name: 'not while its newest result is a success', given: 'S F F F', threshold: 1, want: 'none' },
    { name: 'not without results', given: '', threshold: 1, want: 'none' },
  ]
  test.each(cases)('$name', ({ given, threshold, want }) => {
    expect(judge(UP, results(given), threshold, NOW).change.kind).toBe(want)
  })

  test('since the first of its failures', () => {
    expect(judge(UP, results('F F F S F'), 2, NOW).change).toEqual({
      kind: 'down',
      since: at(3),
      failures: 3,
      turned_at: at(4),
    })
  })
})

describe('a check that is down', () => {
  const DOWN: Health = since(at(2))

  test('comes up with the first of its latest successes', () => {
    expect(judge(DOWN, results('S S F F'), 2, NOW).change).toEqual({
      kind: 'up',
      ended_at: at(3),
      reason: 'recovered',
    })
  })

  test('stays down when its results are gone', () => {
    expect(judge(DOWN, [], 2, NOW).change).toEqual({ kind: 'none' })
  })

  test('stays down when the failures it began with are gone, and fewer than it takes are left', () => {
    expect(judge(since(at(-9)), results('F F'), 3, NOW).change).toEqual({ kind: 'none' })
    expect(judge(since(at(-9)), results('S F'), 3, NOW).change.kind).toBe('up')
  })

  test('stays down with more failures', () => {
    expect(judge(DOWN, results('F F F'), 2, NOW).change).toEqual({ kind: 'none' })
  })

  test('comes up when more failures are needed now than there are', () => {
    expect(judge(since(at(1)), results('F F'), 3, NOW).change).toMatchObject({
      kind: 'up',
      reason: 'threshold',
    })
  })

  test('comes up by a late success that leaves too few failures after it', () => {
    expect(judge(DOWN, results('F S F F'), 2, NOW).change).toEqual({
      kind: 'up',
      ended_at: at(3),
      reason: 'recovered',
    })
  })
})

// Batches of results, each given in some order, as several monitors would send them.
const outcomes = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 })
const threshold = fc.integer({ min: 1, max: 5 })

/** Judges after each arrival, over all that arrived by then, and tells what happened. */
function replay(arrivals: readonly JudgedResult[][], needed: number): { health: Health; told: string[] } {
  let health = UP
  const told: string[] = []
  const stored: JudgedResult[] = []
  for (const batch of arrivals) {
    stored.push(...batch)
    stored.sort((a, b) => (a.at < b.at ? 1 : -1))
    const { change } = judge(health, stored, needed, NOW)
    if (change.kind === 'none') continue
    health = change.kind === 'down' ? since(change.since) : { down_since: null, last_ended_at: change.ended_at }
    told.push(change.kind)
  }
  return { health, told }
}

test('no up without a down before it, no two downs without an up between', () => {
  fc.assert(
    fc.property(fc.array(outcomes, { maxLength: 12 }), threshold, (batches, needed) => {
      let second = 0
      const arrivals = batches.map((batch) => batch.map((success) => ({ at: at(second++), monitor_id: 'm1', success })))
      const { told } = replay(arrivals, needed)
      expect(told).toEqual(told.map((_, index) => (index % 2 === 0 ? 'down' : 'up')))
    }),
  )
})

test('the same results in any order of arrival end in the same state', () => {
  const shuffled = outcomes.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray([...list.keys()], { minLength: list.length })),
  )
  fc.assert(
    fc.property(shuffled, threshold, ([list, order], needed) => {
      const all = list.map((success, index) => ({ at: at(index), monitor_id: 'm1', success }))
      const late = replay(
        order.map((index) => [all[index] as JudgedResult]),
        needed,
      )
      const inTime = replay([all], needed)
      expect(late.health.down_since === null).toBe(inTime.health.down_since === null)
    }),
  )
})

test('as many results as the threshold decide what all of them decide', () => {
  fc.assert(
    fc.property(outcomes, threshold, fc.boolean(), (list, needed, wasDown) => {
      const all = results(list.map((success) => (success ? 'S' : 'F')).join(' '))
      const health = wasDown ? since(at(0)) : UP
      const few = judge(health, all.slice(0, needed), needed, NOW)
      const whole = judge(health, all, needed, NOW)
      expect(few.change.kind).toBe(whole.change.kind)
      if (!few.wantsOlder) expect(few.change).toEqual(whole.change)
    }),
  )
})
