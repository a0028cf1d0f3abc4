// The clocks of zones, compared with Temporal.
import { expect, jest, test } from '@jest/globals'
import { Temporal } from 'temporal-polyfill'
import fc from '../../../scripts/testing/fast-check.ts'
import { clockSpanAt, firstReached } from './zone-clock.ts'

const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
const instants = fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
const there = (zone: string, at_ms: number) => Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO(zone)

test('a span has the offset of its instants, and ends where the clock is changed', () => {
  fc.assert(
    fc.property(zones, instants, (zone, at) => {
      const span = clockSpanAt(zone, at.getTime())
      const shown = there(zone, at.getTime())
      expect(span.from <= at.getTime() && at.getTime() < span.until).toBe(true)
      expect({ zone, at, offset: span.offset }).toEqual({ zone, at, offset: shown.offsetNanoseconds / 1e6 })
      const before = there(zone, span.from - 1).offsetNanoseconds / 1e6
      if (span.shift !== 0) expect({ zone, at, shift: span.shift }).toEqual({ zone, at, shift: span.offset - before })
      expect(there(zone, span.until - 1).offsetNanoseconds / 1e6).toBe(span.offset)
    }),
    { numRuns: 200 },
  )
})

test('a time is reached when the clock first shows it or a later one', () => {
  const minutes = fc.integer({ min: -1_000, max: 1_000 })
  fc.assert(
    fc.property(zones, instants, minutes, (zone, at, distance) => {
      const { until, offset } = clockSpanAt(zone, at.getTime())
      const wall_ms = until + offset + distance * 60_000
      const reached = firstReached(zone, wall_ms)
      const wallAt = (at_ms: number) => at_ms + there(zone, at_ms).offsetNanoseconds / 1e6
      expect(wallAt(reached)).toBeGreaterThanOrEqual(wall_ms)
      for (let back = 1; back <= 1_500; back += 61) expect(wallAt(reached - back * 60_000)).toBeLessThan(wall_ms)
    }),
    { numRuns: 50 },
  )
})

test('a zone is read once a year, however its name is written', () => {
  clockSpanAt('Europe/Paris', Date.UTC(2026, 5, 1))
  const readings = jest.spyOn(Intl.DateTimeFormat.prototype as unknown as { format: string }, 'format', 'get')
  for (let day = 0; day < 365; day++)
    clockSpanAt(day % 2 === 0 ? 'EUROPE/paris' : 'europe/Paris', Date.UTC(2026, 0, day))
  expect(readings.mock.calls.length).toBeLessThan(100)
  readings.mockRestore()
})

test('what is no zone is refused', () => {
  expect(() => clockSpanAt('Mars/Base', 0)).toThrow(RangeError)
})
