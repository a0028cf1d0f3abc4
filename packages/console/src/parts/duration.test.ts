import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { duration, readDuration } from './duration.ts'

describe('a time that people write', () => {
  test.each([
    ['', 0],
    ['0', 0],
    ['90', 90],
    ['90 s', 90],
    ['5m', 300],
    ['5 min', 300],
    ['1 H', 3600],
    ['1d', 86_400],
    [' 1 h  30min ', 5400],
  ])('%j is %i seconds', (text, sec) => {
    expect(readDuration('interval_sec', text)).toBe(sec)
  })

  test.each(['soon', '-1', '1.5 h', '5 weeks', 'h', '1 h and a bit'])('%j is refused', (text) => {
    expect(() => readDuration('interval_sec', text)).toThrow(
      'interval_sec must be a duration, such as 90 s, 5 min, 1 h or 1 d',
    )
  })

  test('what is written is read as the same', () => {
    fc.assert(
      fc.property(fc.nat(400 * 86_400), (sec) => {
        expect(readDuration('x', duration(sec))).toBe(sec)
      }),
    )
  })
})
