// Patterns: their size is known before they are compiled, and is never taken for less than it is.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { faultOfPattern, faultOfSize, PATTERN_MAX_WEIGHT, weigh } from './pattern.ts'

const TOO_LONG = 'must be a regular expression of at most 1000 characters'
const TOO_LARGE = 'must be a simpler regular expression with smaller repeat counts; the limit is 3000 steps'
const NONE = 'is not a valid regular expression (RE2 syntax)'

describe('a pattern of ordinary size passes', () => {
  test.each([
    '',
    '^ok$',
    '(error|fatal){1,30} code',
    '\\d{3}-\\d{4}',
    'x{0,1000}',
    '(?:abc){990}',
    '(a+)+$',
    '(?i)(error|fatal|panic|exception){1,30} code',
    'ERR-\\d{3}-[A-Z]{20,40}|MAINTENANCE',
    '[\\p{L}\\p{N}_.-]+@[\\p{L}\\p{N}-]+\\.\\p{L}{2,}',
    '(?i)[а-я]+ [\\x{4e00}-\\x{9fff}]{2,10}',
    '[]{1000}{1000}]',
    '\\Q{1000}{1000}((((\\E',
    '\\x{1000}\\x{1000}\\x{1000}',
    'a{,1000}{,1000}{0100}',
  ])('%s', (pattern) => expect(faultOfPattern(pattern)).toBeUndefined())
})

describe('a pattern that is a large program is refused by its text', () => {
  test.each([
    ['a program of a million instructions', `((a*)*${'b'.repeat(980)}){1000}`],
    ['one whose repeats sum up to little', '(((x?){10}){10}){10}'],
    ['the same with names and flags', '(?P<a>(?i:(?:x?){10}){10}){10}'],
    ['many repeats beside each other', 'x{1000}'.repeat(4)],
    ['a repeat of what stands before flags', `(?:${'x{10}'.repeat(100)})(?i){10}`],
    ['Unicode classes by the hundred', '\\pL'.repeat(31)],
    ['Unicode classes in one class', `[${'\\p{L}'.repeat(31)}]`],
    ['wide ranges without case', `(?i)${'[B-\\x{1e000}]'.repeat(2)}`],
    ['a wide range behind an odd one', '(?i)[!-[:alpha:]]{50}[B-\\x{1e000}][\\102-\\x{1e000}]'],
  ])('%s', (_, pattern) => expect(faultOfPattern(pattern)).toBe(TOO_LARGE))

  test('and so is a long one, before it is looked at', () => {
    expect(faultOfPattern('a'.repeat(1001))).toBe(TOO_LONG)
    expect(faultOfSize('('.repeat(10_000_000))).toBe(TOO_LONG)
  })
})

test.each([
  '(',
  ')',
  '(?<=a)b',
  '(a)\\1',
  'a**',
  '[',
  '[a',
  '\\',
  '(?',
  '(?i',
  '\\p',
  '\\pq',
  'x{1001}',
  '{2}',
  '[b-a]',
])('%s is no pattern', (pattern) => expect(faultOfPattern(pattern)).toBe(NONE))

const PIECES = [
  ...['a', 'k', 'é', '𝒳', '.', '^', '$', '\\b', '\\d', '\\W', '\\pL', '\\p{Greek}', '\\P{^L}', '\\x41', '\\x{1F600}'],
  ...['\\012', '\\.', '\\\\', '\\Q', '\\E', '(', '(?:', '(?i)', '(?i:', '(?s-m)', '(?P<n>', '(?<m>', ')', ')', '|'],
  ...['*', '+', '?', '{2}', '{3,}', '{0,4}', '{0}', '{10}', '{30,40}', '{00}', '{,3}', '{5', '[', '[^', '[]', '[a-'],
  ...['[!-[:', '[:alpha:]', ':]', ']', '-', '[[:digit:]x]', '[a-c\\d]', '[\\]]', '(?i)[A-\\x{300}]', '{1000}'],
]

test('a pattern never weighs less than its program has instructions', () => {
  const closed = fc
    .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 14 })
    .map((pieces) => pieces.join('') + ')'.repeat(pieces.filter((piece) => piece.startsWith('(')).length))
  const typed = fc.string({ unit: fc.constantFrom(...'ab(|)*+?{2,}[]^-\\pQE:'.split('')), maxLength: 14 })
  let compiled = 0
  fc.assert(
    fc.property(fc.oneof(closed, typed), (pattern) => {
      const weight = weigh(pattern)
      expect(weight).toBeGreaterThanOrEqual(pattern.length)
      // A larger one is never compiled.
      if (weight > 2 * PATTERN_MAX_WEIGHT) return
      const size = sizeOf(pattern)
      if (size === undefined) return
      compiled++
      expect({ pattern, weight: Math.max(weight, size) }).toEqual({ pattern, weight })
    }),
    { numRuns: 5000 },
  )
  expect(compiled).toBeGreaterThan(500)
})

test('a pattern weighs the same whenever it is asked for, whatever was asked for meanwhile', () => {
  const patterns = Array.from({ length: 700 }, (_, n) => `a{${n}}`)
  expect(patterns.map(weigh)).toEqual(patterns.map((_, n) => 4 + (n > 0 ? n : 1)))
  expect(patterns.toReversed().map(weigh)).toEqual(patterns.map(weigh).toReversed())
})

test('the weight of what has neither Unicode classes nor folded ranges is near the size', () => {
  for (const pattern of [
    '(ab|cd){1,30}e',
    'x{0,1000}',
    '(?:abc){900}',
    '[^<]{200}',
    'a[ab]{900}[cd]',
    '(a(b(c)?)?)?',
  ]) {
    expect(weigh(pattern) / (sizeOf(pattern) ?? 0)).toBeLessThan(1.6)
  }
})

function sizeOf(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).programSize()
  } catch {
    return undefined
  }
}
