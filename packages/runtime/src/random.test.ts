import { expect, test } from '@jest/globals'
import { systemRandom } from './random.ts'

test('random bytes are as many as were asked for, never the same, and those given out stay as they are', () => {
  const sizes = Array.from({ length: 2000 }, (_, n) => 8 + (n % 40))
  const given = sizes.map((size) => systemRandom(size))
  const texts = given.map((bytes) => Buffer.from(bytes).toString('hex'))
  expect(given.map(({ length }) => length)).toEqual(sizes)
  expect(new Set(texts).size).toBe(sizes.length)
  systemRandom(4096)
  expect(given.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual(texts)
  expect([systemRandom(0).length, systemRandom(5000).length]).toEqual([0, 5000])
})

test.each([Number.NaN, -1, 1.5, Infinity])('%d bytes are refused', (bytes) => {
  expect(() => systemRandom(bytes)).toThrow(RangeError)
  expect(new Set(systemRandom(32)).size).toBeGreaterThan(10)
})
