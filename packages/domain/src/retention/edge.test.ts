import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { apply, edgeOf, longestOf, nextDay, type RetentionTerms } from './edge.ts'

const DAY_MS = 86_400_000
const NOW = new Date('2026-11-20T12:00:00Z')
const later = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS)

test('what is kept begins with a day of UTC, one more than is promised', () => {
  expect(edgeOf(30, NOW)).toBe('2026-10-20T00:00:00.000000Z')
  expect(edgeOf(30, new Date('2026-11-20T00:00:00Z'))).toBe('2026-10-20T00:00:00.000000Z')
  expect(edgeOf(30, new Date('2026-11-20T23:59:59.999Z'))).toBe('2026-10-20T00:00:00.000000Z')
  expect(nextDay(NOW)).toBe('2026-11-21T00:00:00.000000Z')
})

test('more than a day beyond the promise is kept at any moment, and less than two days', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3650 }), fc.integer({ min: 0, max: 4e12 }), (days, ms) => {
      const beyond = ms - days * DAY_MS - Date.parse(edgeOf(days, new Date(ms)))
      expect(beyond).toBeGreaterThanOrEqual(DAY_MS)
      expect(beyond).toBeLessThan(2 * DAY_MS)
    }),
  )
})

test('a longer promise holds at once, a shorter one after a week', () => {
  const first = apply({ days: null, shorter_since: null }, 30, NOW)
  expect(first).toEqual({ days: 30, shorter_since: null })
  expect(apply(first, 365, NOW)).toEqual({ days: 365, shorter_since: null })
  const held = apply({ days: 365, shorter_since: null }, 30, NOW)
  expect(held).toEqual({ days: 365, shorter_since: '2026-11-20T12:00:00.000000Z' })
  expect(apply(held, 30, later(6.99))).toEqual(held)
  expect(apply(held, 30, later(7))).toEqual({ days: 30, shorter_since: null })
  expect(apply(held, 365, later(6))).toEqual({ days: 365, shorter_since: null })
})

test('what is applied is never less than was promised at some moment of the week before', () => {
  const promises = fc.array(
    fc.record({ after: fc.integer({ min: 0, max: 9 }), days: fc.constantFrom(30, 183, 274, 365) }),
    {
      minLength: 1,
    },
  )
  fc.assert(
    fc.property(promises, (changes) => {
      let applied: RetentionTerms = { days: null, shorter_since: null }
      let day = 0
      for (const { after, days } of changes) {
        day += after
        applied = apply(applied, days, later(day))
        expect(applied.days).toBeGreaterThanOrEqual(days)
      }
    }),
  )
})

test('the longest of all orgs counts, limits set by hand and graces with it', () => {
  const org = { plan: 'free', custom_limits: null, days: null, shorter_since: null }
  expect(longestOf([], NOW)).toBe(0)
  expect(longestOf([org, { ...org, plan: 'solo' }], NOW)).toBe(183)
  expect(longestOf([org, { ...org, plan: 'custom', custom_limits: { retention_days: 3650 } }], NOW)).toBe(3650)
  expect(longestOf([org, { ...org, days: 365 }], NOW)).toBe(365)
})
