// Compiled patterns are kept as far as memory allows, whatever the patterns are.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from '@jest/globals'
import { Patterns } from './pattern.ts'

const MIB = 1024 ** 2

test('a pattern is found or not, and what is no pattern is told', () => {
  const patterns = new Patterns()
  expect([patterns.test('^a+$', 'aaa'), patterns.test('^a+$', 'aab'), patterns.test('(', 'a')]).toEqual([
    true,
    false,
    undefined,
  ])
  expect([patterns.has('^a+$'), patterns.has('('), patterns.size]).toEqual([true, false, 1])
})

test('the oldest are dropped before all of them take more memory than they may', () => {
  const patterns = new Patterns(32 * MIB)
  for (let n = 0; n < 500; n++) {
    patterns.test(`x{0,${1 + (n % 300)}}${n}`, 'x'.repeat(n))
    patterns.has('kept')
    expect(patterns.bytes).toBeLessThanOrEqual(32 * MIB)
  }
  expect(patterns.size).toBeGreaterThan(2)
  expect(patterns.size).toBeLessThan(250)
})

test('small patterns are kept by the hundred, and one that is dropped is compiled again', () => {
  const patterns = new Patterns(32 * MIB)
  for (let n = 0; n < 500; n++) patterns.has(`^ok ${n}$`)
  expect(patterns.size).toBe(500)
  const few = new Patterns(1)
  expect([few.test('a', 'a'), few.test('b', 'b'), few.test('a', 'b'), few.size]).toEqual([true, true, false, 1])
})

test.each([
  ['that has as many states as characters', 'a[ab]{30}[cd]', 'ab'],
  ['of many instructions', '((a)|(b)){300}c', 'ab'],
  ['of Unicode classes', '(?i)(\\pL\\pN?){100}z', 'abcdé1'],
  ['of one Unicode class', '[\\p{L}]+[\\pN]', 'abcdé'],
])('a pattern %s takes no more memory than it is taken for', (_, pattern, letters) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = (): number => {
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const text = Array.from({ length: 1000 }, coinOf(letters)).join('')
  new Patterns().test(pattern, text)
  const patterns = new Patterns()
  const before = used()
  patterns.test(pattern, text)
  expect(used() - before).toBeLessThan(patterns.bytes)
})

function coinOf(letters: string): () => string {
  let state = 1
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return letters[(state >> 16) % letters.length] ?? ''
  }
}
